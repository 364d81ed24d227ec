#include "optimize_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "kernel/source.h"
#include "output.h"
#include "report/html/page.h"
#include "report/optimization_json.h"
#include "report/optimization_log.h"
#include "report/optimization_view.h"
#include "report/simulation_counters.h"
#include "support/error.h"
#include "support/file.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPatched = "patched";
constexpr const char* kPatch = "kernel.patch";

std::string verdict_page(const OptimizationReport& report) {
  const BestOrder& best = report.best;
  std::string text = fmt::format("{}  {}\n  scope          {}\n", verdict_text(best.verdict),
                                 best.title, best.scope);
  for (const std::string& line : best.argument) text += fmt::format("  because        {}\n", line);
  text += fmt::format("{}  tiles are independent\n  traced on      {}\n",
                      verdict_text(report.independence.verdict), report.independence.traced_on);
  if (!report.independence.reason.empty())
    text += fmt::format("  reason         {}\n", report.independence.reason);
  if (!report.agreement.empty()) text += fmt::format("  kernel         {}\n", report.agreement);
  return text;
}

std::string counters_page(const OptimizationReport& report) {
  std::string text = "counter,before,after\n";
  const auto before = report::launch_counters(report.baseline);
  const auto after = report::launch_counters(report.best.predicted);
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i)
    text += fmt::format("{},{},{}\n", before[i].name, before[i].value, after[i].value);
  text += fmt::format("predicted_time_us,{:.3f},{:.3f}\n", report.baseline.time_us,
                      report.best.predicted.time_us);
  return text;
}

/// A byte order mark that the kernel's file begins with belongs to what is written, too.
std::string mark_of(const std::string& path) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  std::ifstream file(path, std::ios::binary);
  std::string begin(kMark.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kMark ? begin : "";
}

}  // namespace

OutputFolder::OutputFolder(std::string path) : path_(std::move(path)) {
  std::error_code error;
  if (path_.empty()) throw Error("-o names no folder", "write -o out");
  fs::create_directories(path_, error);
  if (!fs::is_directory(path_, error))
    throw Error(fmt::format("the folder '{}' cannot be made", path_),
                "name another one with -o DIR");
  if (fs::exists(fs::path(path_) / kPatched, error) &&
      !fs::is_directory(fs::path(path_) / kPatched, error))
    throw Error(fmt::format("'{}/{}' is not a folder", path_, kPatched),
                "name another folder with -o DIR");
  const fs::path probe = fs::path(path_) / ".heddle_writes";
  {
    std::ofstream file(probe);
    if (!file)
      throw Error(fmt::format("nothing can be written to '{}'", path_),
                  "name another folder with -o DIR");
  }
  fs::remove(probe, error);
}

void OutputFolder::put(const std::string& name, const std::string& text) const {
  const fs::path whole = fs::path(path_) / name;
  std::error_code error;
  fs::create_directories(whole.parent_path(), error);
  if (error)
    throw Error(fmt::format("the folder '{}' cannot be made", whole.parent_path().string()),
                "name another folder with -o DIR");
  write_text(whole.string(), text);
}

void OutputFolder::write(const OptimizationReport& report) const {
  const report::FileColumns as_in_all_files;
  std::error_code ignored;
  fs::remove(fs::path(path_) / kPatch, ignored);
  const std::string kernel = fs::path(report.kernel_path).filename().string();
  for (const fs::directory_entry& old : fs::directory_iterator(fs::path(path_) / kPatched, ignored))
    if (kernel::is_kernel_path(old.path())) fs::remove(old.path(), ignored);
  if (!report.patched.empty()) {
    const std::string mark = mark_of(report.kernel_path);
    put((fs::path(kPatched) / kernel).string(), mark + report.patched);
    put(kPatch, report.patch);
  }
  put("order.py", report.best.triton);
  put("order.hip", report.best.hip);
  put("order.cu", report.best.cuda);
  put("order.cl", report.best.opencl);
  put("verdict.txt", verdict_page(report));
  put("counters.csv", counters_page(report));
  put("log.txt", report::optimization_log(report));
  put("summary.md", report::optimization_markdown(report));
  put("report.html", report::html_page(report::optimization_view(report)));
  put("report.json", json_text(report::optimization_json(report)));
}

}  // namespace heddle::tool
