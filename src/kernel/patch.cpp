#include "kernel/patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/source.h"
#include "support/text.h"

namespace heddle::kernel {
namespace {

bool is_same_grid(const Grid& a, const Grid& b) {
  return a.extent(0) == b.extent(0) && a.extent(1) == b.extent(1) && a.extent(2) == b.extent(2);
}

void set_check(LaunchComparison& comparison, Verdict verdict, std::string finding) {
  comparison.check.verdict = verdict;
  comparison.check.finding = std::move(finding);
}

}  // namespace

void set_other_grid(LaunchComparison& comparison, const Grid& before, const Grid& after,
                    const std::string& source) {
  comparison.after_grid = after;
  comparison.is_by_bytes = true;
  const std::int64_t more = after.count() - before.count();
  const std::string how = more == 0  ? "as many blocks in another shape"
                          : more > 0 ? fmt::format("{} more", with_separators(more))
                                     : fmt::format("{} fewer", with_separators(-more));
  set_check(comparison, Verdict::unknown,
            fmt::format("the new kernel is launched on {} instead of {}, {} ({})", after.text(),
                        before.text(), how, source));
}

LaunchComparison compare_launches(
    const PatchSide& before, const PatchSide& after, const std::optional<Grid>& given,
    const std::vector<HostPlace>& old_launches, const std::vector<HostPlace>& new_launches,
    const std::function<bool(std::size_t, LaunchComparison&)>& compare) {
  const Grid& grid = before.launch.grid;
  LaunchComparison result;
  result.after_grid = given.value_or(after.launch.grid);
  if (given && is_same_grid(*given, grid)) {
    set_check(result, Verdict::proved,
              fmt::format("both are launched on {}, as you say", given->text()));
  } else if (given) {
    set_other_grid(result, grid, *given, "as you say");
  } else if (old_launches.empty() && new_launches.empty()) {
    if (is_same_grid(grid, after.launch.grid))
      set_check(result, Verdict::proved,
                fmt::format("neither file launches the kernel; the job's grid {} is that of both",
                            grid.text()));
    else
      set_other_grid(result, grid, after.launch.grid,
                     "the job's expression with the new kernel's constexprs");
  } else if (new_launches.empty()) {
    set_check(result, Verdict::unknown,
              fmt::format("line {} of the original launches the kernel, the new file does not",
                          old_launches.front().line));
  } else if (!old_launches.empty() && old_launches.size() != new_launches.size()) {
    set_check(result, Verdict::unknown,
              fmt::format("the original launches the kernel {} times, the new file {} times",
                          old_launches.size(), new_launches.size()));
  } else {
    for (std::size_t i = 0; i < new_launches.size(); ++i)
      if (!compare(i, result)) break;
  }
  return result;
}

bool CodeComparison::has_other() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const CodeChange& one) { return one.kind == CodeChange::Kind::other; });
}

std::unique_ptr<Patch> Patch::open(Source& before, Source& after) {
  if (&before.language() != &after.language())
    throw Error("the two kernels are of different languages",
                "give two Triton kernels, or two C++ kernels");
  return before.language().patch(before, after);
}

}  // namespace heddle::kernel
