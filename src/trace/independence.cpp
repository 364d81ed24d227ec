#include "trace/independence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernel/native.h"
#include "kernel/tile_program.h"
#include "support/text.h"
#include "trace/conflict_search.h"
#include "trace/neighbours.h"
#include "trace/regions.h"

namespace heddle::trace {
namespace {

using kernel::KernelProgram;
using kernel::MemoryKind;

/// The tensor of a parameter; nothing for a scalar.
std::optional<std::size_t> tensor_of(const KernelProgram& program, const config::Launch& launch,
                                     int parameter) {
  const kernel::Parameter& found = program.parameters[static_cast<std::size_t>(parameter)];
  if (found.argument >= launch.arguments.size()) return std::nullopt;
  const config::Value* value = &launch.arguments[found.argument].value;
  if (const auto* list = std::get_if<config::ValueList>(&value->data)) {
    const auto index = static_cast<std::size_t>(std::max(found.element, 0));
    if (index >= list->size()) return std::nullopt;
    value = &(*list)[index];
  }
  const auto* reference = std::get_if<config::TensorReference>(&value->data);
  return reference != nullptr ? std::optional(reference->index) : std::nullopt;
}

/// Whether memory that is written can also be reached through a parameter that is not: then loads
/// of that parameter matter too, and the program must keep them.
bool writes_hide(const KernelProgram& program, const config::Launch& launch, const RegionMap& map) {
  std::vector<bool> is_written_parameter(program.parameters.size(), false);
  std::vector<bool> is_written_region(map.regions().size(), false);
  for (const kernel::Site& site : program.sites) {
    if (site.kind == MemoryKind::read) continue;
    if (site.parameters.empty()) return true;
    for (const int parameter : site.parameters) {
      is_written_parameter[static_cast<std::size_t>(parameter)] = true;
      const auto tensor = tensor_of(program, launch, parameter);
      if (!tensor) return true;
      if (const auto region = map.of_tensor(*tensor)) is_written_region[*region] = true;
    }
  }
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const auto tensor = tensor_of(program, launch, static_cast<int>(i));
    if (!tensor || is_written_parameter[i]) continue;
    const auto region = map.of_tensor(*tensor);
    if (region && is_written_region[*region]) return true;
  }
  return false;
}

constexpr std::int64_t kLoadProbes = 16;             ///< tiles that tell what all of them cost
constexpr std::int64_t kMostLoadWork = 100'000'000;  ///< a few seconds

std::int64_t loads_of(const KernelProgram& program) {
  std::int64_t count = 0;
  for (const kernel::Block& block : kernel::code_of(program).blocks)
    count += std::ranges::count_if(
        block.code, [](const kernel::Instruction& one) { return one.op == kernel::Opcode::load; });
  return count;
}

/// Counts what there is to look at; the tracer notes the faults.
class CountingSink : public AccessSink {
 public:
  void access(const AccessPattern&) override { ++accesses; }
  std::int64_t accesses = 0;
};

/// Loads that reach no write were left out of the search. One that leaves its tensor may read what
/// another tile writes: which memory that is depends on where tensors lie.
void check_other_loads(const KernelProgram& program, const KernelProgram& reduced,
                       const config::Launch& launch, const IndependenceOptions& options,
                       IndependenceReport& report) {
  const KernelProgram whole = kernel::remove_unneeded(program, kernel::Keep::all);
  if (kernel::native_of(program) != nullptr || loads_of(whole) == loads_of(reduced)) return;
  Tracer tracer(whole, launch, options.trace);
  CountingSink sink;
  std::int64_t work = 0;
  const auto look_at = [&](std::int64_t id) {
    tracer.run(block_of(launch.grid, LaunchId{id}), sink);
    work += tracer.steps();
  };
  const std::int64_t count = launch.grid.count();
  const std::vector<std::int64_t> probes = spread_tiles(count, kLoadProbes);
  for (const std::int64_t id : probes) look_at(id);
  work += kInstructionWork * sink.accesses;
  const std::int64_t each = std::max<std::int64_t>(1, work / std::ssize(probes));
  const std::int64_t room = std::min(options.most_work, kMostLoadWork) / each;
  const std::vector<std::int64_t> tiles =
      spread_tiles(count, std::min(count, std::max(room, kLoadProbes)));
  for (const std::int64_t id : tiles) look_at(id);
  look_at(count - 1);  // the edge, where most leave their tensors
  if (std::ssize(tiles) < count)
    report.notes.push_back(
        fmt::format("of the loads that reach no write, those of {} of {} tiles were looked at for "
                    "reads outside their tensors",
                    with_separators(std::ssize(tiles)), with_separators(count)));
  for (const Fault& fault : tracer.faults()) {
    if (fault.kind != Fault::Kind::out_of_bounds || fault.site < 0) continue;
    report.verdict = Verdict::unknown;
    report.reason = outside_text(SourceText(whole).at(fault.place).line, false);
    return;
  }
}

std::string_view contents_text(config::Contents::Kind kind) {
  using Kind = config::Contents::Kind;
  static const std::map<Kind, std::string_view> kTexts = {{Kind::zeros, "zeros"},
                                                          {Kind::constant, "constant"},
                                                          {Kind::normal, "normal"},
                                                          {Kind::uniform, "uniform"},
                                                          {Kind::range, "range"},
                                                          {Kind::csr_offsets, "csr_offsets"},
                                                          {Kind::csr_columns, "csr_columns"},
                                                          {Kind::file, "a file"},
                                                          {Kind::addresses, "addresses"},
                                                          {Kind::permutation, "permutation"},
                                                          {Kind::values, "values"}};
  const auto found = kTexts.find(kind);
  return found == kTexts.end() ? "unspecified" : found->second;
}

/// What nobody said: the tensors that a C++ kernel found full of zeros.
std::string assumed_text(const config::Launch& launch) {
  std::vector<std::string> names;
  for (const config::Tensor& tensor : launch.tensors)
    if (tensor.contents.kind == config::Contents::Kind::unspecified) names.push_back(tensor.name);
  if (names.empty()) return {};
  return fmt::format("; {}: zeros, as the job gives no contents", fmt::join(names, ", "));
}

}  // namespace

std::string launch_text(const config::Launch& launch) {
  std::vector<std::string> sizes;
  for (const config::Argument& argument : launch.arguments) {
    const auto& data = argument.value.data;
    if (std::holds_alternative<std::int64_t>(data) || std::holds_alternative<bool>(data))
      sizes.push_back(fmt::format("{} = {}", argument.name, config::value_text(argument.value)));
  }
  std::string text = fmt::format("grid {}", launch.grid.text());
  if (!sizes.empty()) text += fmt::format("; {}", fmt::join(sizes, ", "));
  for (const config::Tensor& tensor : launch.tensors) {
    if (tensor.contents.kind == config::Contents::Kind::unspecified) continue;
    text += fmt::format("; {}: {}, seed {}", tensor.name, contents_text(tensor.contents.kind),
                        tensor.contents.seed);
  }
  return text;
}

std::optional<IndependentTiles> find_independence(const KernelProgram& program,
                                                  const config::Launch& launch,
                                                  const IndependenceOptions& options,
                                                  IndependenceReport& report) {
  report = {};
  report.traced_on = launch_text(launch);
  if (program.traits().runs) report.traced_on += assumed_text(launch);
  const RegionMap map(launch);
  try {
    const kernel::Keep keep =
        writes_hide(program, launch, map) ? kernel::Keep::all : kernel::Keep::writes;
    const KernelProgram reduced = kernel::remove_unneeded(program, keep);
    const std::vector<kernel::AtomicUse> atomics = program.atomics();
    ConflictSearch(reduced, atomics, launch, map, options, report).run();
    if (report.verdict == Verdict::proved)
      check_other_loads(program, reduced, launch, options, report);
  } catch (const Error& error) {
    report.verdict = Verdict::unknown;
    report.failed = error.code() != ExitCode::inconclusive;  // that is a limit of work
    report.reason = error.source().empty()
                        ? error.message()
                        : fmt::format("line {}: {}", error.position().line, error.message());
  }
  if (report.verdict != Verdict::proved) return std::nullopt;
  return IndependentTiles(launch.grid, report.traced_on, report.rounding_may_differ);
}

}  // namespace heddle::trace
