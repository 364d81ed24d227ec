// Two C++ kernels as texts, compared as `audit --patch` does it; nothing of them is traced.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "audit/patch_code.h"
#include "kernel/body.h"
#include "kernel/cxx/device_headers.h"
#include "kernel/cxx/patch/changes.h"
#include "kernel/cxx/patch/launch.h"
#include "kernel/cxx/tree.h"

namespace heddle::audit_tests {

namespace fs = std::filesystem;

inline void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// A folder for the files of one test program.
inline fs::path work_folder(const std::string& name) {
  const fs::path folder = fs::path(HEDDLE_WORK_DIR) / ("cxx_judge_" + name);
  fs::create_directories(folder);
  return folder;
}

/// The device headers, written once.
inline const fs::path& header_folder() {
  static const fs::path folder = [] {
    const fs::path made = work_folder(std::to_string(::getpid())) / "include";
    for (const auto& header : kernel::cxx::device_headers())
      write_file(made / header.path, std::string(header.text));
    return made;
  }();
  return folder;
}

/// A kernel 'k' with its tree. `function` may have template arguments.
class Compiled {
 public:
  Compiled(const std::string& path, const std::string& text, const std::string& function,
           const std::vector<std::string>& defines)
      : source(path, text) {
    static int count = 0;
    const fs::path folder = work_folder(std::to_string(::getpid())) / std::to_string(count++);
    fs::create_directories(folder);
    fs::create_directory_symlink(header_folder(), folder / "include");
    kernel::NativeCode native;
    native.place = kernel::cxx::make_place(folder.string(), fs::absolute(path).parent_path());
    native.place.readable.push_back(header_folder().string());
    native.source_path = path;
    const auto& kernel = source.kernel(function);
    native.function = kernel.scope + kernel.name;
    const std::size_t bracket = function.find('<');
    if (bracket != std::string::npos) native.function += function.substr(bracket);
    native.entry = "HEDDLE_ENTRY(&" + native.function + ")";
    native.device_text = source.device_text();
    native.defines = defines;
    kernel::KernelProgram program;
    kernel::Body::set(program, std::make_shared<kernel::NativeKernel>(std::move(native)));
    tree = std::make_shared<const kernel::cxx::CxxTree>(program);
  }

  kernel::cxx::CxxSource source;
  std::shared_ptr<const kernel::cxx::CxxTree> tree;
};

struct Judged {
  kernel::cxx::CxxChanges changes;
  CheckResult code;
  CheckResult launch;

  /// "I" and "O" per change, then the verdicts of code and launch: "II PU".
  std::string text() const {
    std::string letters;
    for (const CodeChange& one : changes.changes)
      letters += one.kind == CodeChange::Kind::index ? 'I' : 'O';
    return letters + " " + std::string(verdict_text(code.verdict)).substr(0, 1) +
           std::string(verdict_text(launch.verdict)).substr(0, 1);
  }
  /// The verdict on the code with its reason.
  std::string why() const {
    std::string text = std::string(verdict_text(code.verdict)) + ": " + code.finding;
    for (const std::string& line : code.evidence) text += "\n" + line;
    return text;
  }
};

struct Settings {
  std::string function = "k";
  std::string after_function = "k";
  std::string folder_before = "a";  ///< beneath the work folder, for headers
  std::string folder_after = "a";
  std::vector<std::string> defines = {};
  Grid after_grid{{12}};
};

inline config::Launch twelve_blocks(const Grid& grid) {
  config::Launch launch;
  launch.grid = grid;
  launch.threads = {64, 1, 1};
  config::Argument n;
  n.name = "n";
  n.value.data = std::int64_t{5};
  launch.arguments.push_back(n);
  return launch;
}

/// On 12 blocks of 64 threads with n = 5.
inline Judged judge(const std::string& before, const std::string& after,
                    const Settings& settings = {}) {
  static std::map<std::string, std::shared_ptr<Compiled>> known;
  const auto compiled = [&](const std::string& folder, const std::string& text,
                            const std::string& function) {
    std::string key = folder + "\n" + function + "\n" + text;
    for (const std::string& define : settings.defines) key += "\n" + define;
    const bool is_fixed = folder == "a";  // headers of others may change
    if (const auto found = known.find(key); is_fixed && found != known.end()) return found->second;
    const fs::path path = work_folder(std::to_string(::getpid())) / folder / "kernel.hip";
    auto made = std::make_shared<Compiled>(path.string(), text, function, settings.defines);
    if (is_fixed) known[key] = made;
    return made;
  };
  const auto old_one = compiled(settings.folder_before, before, settings.function);
  const auto new_one = compiled(settings.folder_after, after, settings.after_function);
  const auto code_of = [&](const Compiled& one, const std::string& function) {
    kernel::cxx::CxxCodeSide side = kernel::cxx::code_side(one.source, one.source.kernel(function));
    for (const std::string& define : settings.defines)
      side.numbers.insert(define.substr(0, define.find('=')));
    return side;
  };
  const auto side_of = [&](const Grid& grid) {
    kernel::PatchSide side;
    side.function = "k";
    side.launch = twelve_blocks(grid);
    side.program.emplace();
    return side;
  };
  const kernel::cxx::CxxCodeSide old_code = code_of(*old_one, settings.function);
  kernel::cxx::CxxCodeSide new_code = code_of(*new_one, settings.after_function);
  const kernel::PatchSide old_side = side_of(Grid({12}));
  const kernel::PatchSide new_side = side_of(settings.after_grid);
  Judged result;
  result.launch =
      kernel::cxx::judge_launch(old_code, new_code, old_side, old_side, std::nullopt).check;
  kernel::cxx::doubt_grids(old_code, new_code);
  result.changes = kernel::cxx::find_cxx_changes({&old_code, old_one->tree, &old_side.launch},
                                                 {&new_code, new_one->tree, &new_side.launch});
  const kernel::CodeComparison code =
      kernel::cxx::comparison_of(old_code, new_code, result.changes);
  std::int64_t budget = audit::kMostWork;
  result.code = audit::judge_code(old_side, new_side, code, audit::judge_index(code, budget),
                                  Verdict::unknown);
  return result;
}

inline const std::string kHost = "\nint main() { dim3 g(n / 4); k<<<g, 64>>>(x, n); }\n";

inline std::string kernel_of(const std::string& body, const std::string& before = "") {
  return before + "__global__ void k(float* x, int n) {\n" + body + "}\n" + kHost;
}

inline const std::string kWork = "  x[blockIdx.x * 64 + threadIdx.x] = n;\n";

inline const std::string kRow = "  const int row = blockIdx.x;\n";
inline const std::string kLast = "  const int row = gridDim.x - 1 - blockIdx.x;\n";
inline const std::string kStore = "  x[row * 64 + threadIdx.x] = n;\n";

inline void expect_cheat(const std::string& before, const std::string& after,
                         const Settings& settings = {}) {
  const Judged judged = judge(before, after, settings);
  EXPECT_NE(judged.code.verdict, Verdict::proved) << after << judged.why();
}
inline void expect_honest(const std::string& before, const std::string& after,
                          const Settings& settings = {}) {
  const Judged judged = judge(before, after, settings);
  EXPECT_EQ(judged.code.verdict, Verdict::proved) << after << judged.why();
}

}  // namespace heddle::audit_tests
