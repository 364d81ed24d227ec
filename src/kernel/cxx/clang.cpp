#include "kernel/cxx/clang.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "kernel/cxx/clang_cache.h"
#include "kernel/cxx/device_headers.h"
#include "kernel/cxx/project.h"
#include "support/child_process.h"
#include "support/program_path.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace heddle::kernel::cxx {

std::string clang_name() {
  const char* const named = std::getenv("HEDDLE_CLANG");
  return named != nullptr && *named != '\0' ? named : "clang-19";
}

namespace {

constexpr std::size_t kMostSeconds = 60;  ///< of the processor: a busy machine changes nothing
constexpr std::chrono::seconds kMostTime{600};
constexpr std::size_t kMostMemory = std::size_t{4} << 30;
constexpr std::size_t kMostOutput = std::size_t{64} << 20;
constexpr std::size_t kMostFiltered = std::size_t{2} << 30;

namespace fs = std::filesystem;

/// Clang's own installation: two folders above the program; empty where it is not found.
fs::path clang_installation() {
  std::error_code error;
  const std::string name = clang_name();
  if (name.find('/') != std::string::npos)
    return fs::canonical(name, error).parent_path().parent_path();
  const std::vector<std::string> found = programs_in_path(name);
  return found.empty() ? fs::path{} : fs::canonical(found[0], error).parent_path().parent_path();
}

/// Folders of headers, libraries and compilers, which anybody may read.
std::vector<std::string> system_folders() {
  std::vector<std::string> folders = {"/usr", "/lib",       "/lib64",    "/bin",
                                      "/opt", "/nix/store", "/gnu/store"};
  const fs::path installed = clang_installation();
  if (installed.has_relative_path())
    for (const char* const part : {"bin", "lib", "lib64", "include", "share"})
      folders.push_back((installed / part).string());
  for (const char* const variable :
       {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH"}) {
    const char* const value = std::getenv(variable);
    for (const std::string_view folder : split(value != nullptr ? value : "", ':'))
      if (folder.starts_with("/") && folder.size() > 1) folders.emplace_back(folder);
  }
  std::erase_if(folders, [](const std::string& folder) {
    std::error_code error;
    return !fs::is_directory(folder, error);
  });
  return folders;
}

std::string overlay_path(const std::string& folder) {
  return folder + "/files.json";
}

std::string temporary_path(const std::string& folder) {
  return folder + "/temporary";
}

/// Whether a file of the kernel's folder is a link that leads out of it.
bool leads_out(const std::string& file, const std::string& source_path) {
  std::error_code error;
  const fs::path folder = fs::absolute(source_path).lexically_normal().parent_path();
  const fs::path lexical = fs::absolute(file).lexically_normal();
  if (!is_below(lexical, folder)) return false;
  const fs::path real = fs::canonical(lexical, error);
  return error || !is_below(real, fs::canonical(folder, error));
}

using Message = ClangMessage;

/// False where a line is something else.
bool read_message(std::string_view line, Message& message) {
  std::size_t mark = std::string_view::npos;
  std::size_t length = 0;
  for (const std::string_view kind : {": error: ", ": fatal error: ", ": note: "}) {
    const std::size_t at = line.find(kind);
    if (at >= mark) continue;
    mark = at;
    length = kind.size();
    message.is_error = kind != ": note: ";
  }
  if (mark == std::string_view::npos) {
    const std::size_t begin = line.find("error: ");
    if (begin == std::string_view::npos) return false;
    message = {"", {}, std::string(line.substr(begin + 7)), true};
    return true;
  }
  const std::string_view place = line.substr(0, mark);
  message.text = line.substr(mark + length);
  message.file = place;
  const std::size_t last = place.rfind(':');
  if (last == std::string_view::npos) return true;
  const std::size_t before = place.rfind(':', last - 1);
  const auto column = parse_integer(place.substr(last + 1));
  if (before == std::string_view::npos || !column) return true;
  const auto number = parse_integer(place.substr(before + 1, last - before - 1));
  if (!number) return true;
  message.file = place.substr(0, before);
  message.position = {static_cast<int>(*number), static_cast<int>(*column)};
  return true;
}

/// `errors` is all that Clang says: it names assembly that it could not read below its message.
std::string advice_for(const std::string& text, const std::string& errors) {
  if (text.find(" asm") != std::string::npos || text.find("inline assembly") != std::string::npos ||
      text.find("instruction mnemonic") != std::string::npos ||
      errors.find("<inline asm>") != std::string::npos)
    return "inline assembly of a GPU cannot be run here: give a variant without it";
  if (text.find("undeclared identifier") != std::string::npos ||
      text.find("no matching function") != std::string::npos ||
      text.find("no member named") != std::string::npos)
    return "docs/cxx.md lists what heddle's device header has; constexprs of the job are macros";
  return "the kernel has to compile as C++20; docs/cxx.md says what is supported";
}

}  // namespace

void write_input(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush())
    throw Error(fmt::format("'{}' cannot be written", path),
                "is there room in the folder for temporary files (TMPDIR)?", ExitCode::missing);
}

bool is_outside(const ClangPlace& place, const std::string& header) {
  const fs::path path = (fs::path(place.sources) / header).lexically_normal();
  return std::none_of(place.readable.begin(), place.readable.end(),
                      [&](const std::string& folder) { return is_below(path, folder); });
}

Error outside_error(const std::string& header) {
  return Error(fmt::format("the kernel includes '{}', which is outside its folder", header),
               "name its folder in the job: include = [\"...\"], or copy the file");
}

std::string header_path(const ClangPlace& place) {
  return place.folder + "/before.hpp";
}

namespace {

/// The device headers as files, which no run of Clang may write: one folder for all places that are
/// there at a time.
std::shared_ptr<const TemporaryFolder> written_device_headers() {
  static std::mutex mutex;
  static std::weak_ptr<const TemporaryFolder> known;
  const std::lock_guard lock(mutex);
  if (auto folder = known.lock()) return folder;
  auto made = std::make_shared<const TemporaryFolder>();
  for (const DeviceHeader& header : device_headers()) {
    const fs::path path = fs::path(made->path()) / header.path;
    fs::create_directories(path.parent_path());
    write_input(path.string(), header.text);
  }
  known = made;
  return made;
}

/// The files that Clang sees.
void write_overlay(const ClangPlace& place) {
  nlohmann::json roots = nlohmann::json::array();
  for (const auto& [path, own] : place.replaced)
    roots.push_back({{"name", path},
                     {"type", "file"},
                     {"use-external-name", false},
                     {"external-contents", own}});
  for (const std::string& root : place.readable)
    roots.push_back({{"name", root}, {"type", "directory-remap"}, {"external-contents", root}});
  // Clang wants the folder that it is started in to be there; what it holds does not matter.
  std::error_code error;
  if (const fs::path here = fs::current_path(error); !error && is_outside(place, here.string()))
    roots.push_back(
        {{"name", here.string()}, {"type", "directory"}, {"contents", nlohmann::json::array()}});
  roots.push_back({{"name", kHeaderName},
                   {"type", "file"},
                   {"use-external-name", false},
                   {"external-contents", header_path(place)}});
  roots.push_back({{"name", kDeviceFolder},
                   {"type", "directory-remap"},
                   {"use-external-name", false},
                   {"external-contents", place.headers}});
  const nlohmann::json overlay = {{"version", 0},
                                  {"case-sensitive", "true"},
                                  {"redirecting-with", "redirect-only"},
                                  {"roots", roots}};
  write_input(overlay_path(place.folder),
              overlay.dump(1, ' ', false, nlohmann::json::error_handler_t::ignore));
}

}  // namespace

ClangPlace make_place(const std::string& folder, const std::string& sources,
                      std::vector<std::string> include) {
  ClangPlace place;
  place.folder = folder;
  place.headers_folder = written_device_headers();
  place.headers = place.headers_folder->path();
  const fs::path whole = fs::absolute(sources.empty() ? "." : sources).lexically_normal();
  place.sources = (whole.has_filename() ? whole : whole.parent_path()).string();
  place.readable = system_folders();
  place.readable.push_back(folder);
  place.readable.push_back(place.headers);
  place.readable.push_back(place.sources);
  place.include = std::move(include);
  for (const std::string& one : place.include)
    if (is_outside(place, one)) place.readable.push_back(one);
  write_overlay(place);
  fs::create_directory(temporary_path(folder));
  return place;
}

void replace_files(ClangPlace& place, std::vector<std::pair<std::string, std::string>> replaced) {
  place.replaced = std::move(replaced);
  write_overlay(place);
}

const std::vector<std::string>& system_header_folders() {
  static const std::vector<std::string> folders = [] {
    std::vector<std::string> found;
    const ClangOutput output = run_clang({"-x", "c++", "-E", "-v", "/dev/null"});
    bool is_in = false;
    for (const std::string_view line : split_lines(output.errors)) {
      if (line.starts_with("End of search list")) is_in = false;
      if (is_in && line.starts_with(" /")) found.emplace_back(trim(line));
      if (line.starts_with("#include <...>")) is_in = true;
    }
    return found;
  }();
  return folders;
}

Error too_large_error() {
  return Error(fmt::format("the kernel's variables take more than {} MiB", kMostFileBytes >> 20),
               "pass large arrays as tensors of the job");
}

namespace {

ChildLimits limits_at(const ClangPlace* place) {
  ChildLimits limits;
  limits.time = kMostTime;
  limits.processor_seconds = kMostSeconds;
  limits.memory_bytes = kMostMemory;
  limits.output_bytes = kMostOutput;
  if (place == nullptr) return limits;
  limits.file_bytes = kMostFileBytes;
  limits.temporary = temporary_path(place->folder);
  limits.writable = {place->folder, "/dev/null"};
  limits.readable = place->readable;
  for (const char* const file : {"/etc/ld.so.cache", "/etc/os-release", "/etc/lsb-release",
                                 "/etc/debian_version", "/etc/redhat-release"})
    limits.readable.emplace_back(file);
  return limits;
}

/// Throws what run_child throws, and where a limit is met.
ClangOutput run_anew(const std::vector<std::string>& command, const ClangPlace* place,
                     OutputFilter* filter) {
  ChildLimits limits = limits_at(place);
  if (filter != nullptr) {
    limits.output_bytes = kMostFiltered;
    limits.on_output = [&](std::string_view piece) { filter->take(piece); };
  }
  ChildResult result = run_child(command, "", limits);
  if (result.timed_out)
    throw Error(fmt::format("Clang takes longer than {} s for this kernel", kMostSeconds),
                "make it simpler: fewer templates, less unrolling");
  if (result.too_much_output && filter != nullptr)
    throw Error(fmt::format("the syntax trees of the kernel's files are larger than {} MiB",
                            limits.output_bytes >> 20),
                "give a variant with fewer headers");
  if (result.too_much_output)
    throw Error("Clang makes more than 64 MiB of code of this kernel", "unroll less");
  if (result.exit_code == 128 + SIGXFSZ ||
      result.errors.find("File size limit") != std::string::npos ||
      result.errors.find("File too large") != std::string::npos)
    throw too_large_error();
  return {result.exit_code == 0, filter != nullptr ? filter->kept() : std::move(result.output),
          std::move(result.errors)};
}

/// The same, or what it gave before.
ClangOutput run_bounded(std::vector<std::string> command, const ClangPlace* place,
                        const ClangRun& how) {
  static const ClangPlace kNowhere;
  const CachedRun cached(command, place != nullptr ? *place : kNowhere, how.keeps_refusals);
  if (auto known = cached.find()) return std::move(*known);
  if (how.prepare) how.prepare();
  ClangOutput made = run_anew(command, place, how.filter);
  if (how.filter == nullptr || !made.output.empty()) cached.keep(made);
  return made;
}

}  // namespace

ClangOutput run_clang(const std::vector<std::string>& arguments, const ClangPlace* place,
                      const ClangRun& how) {
  std::vector<std::string> command = {clang_name(),
                                      "-w",
                                      "-fno-color-diagnostics",
                                      "-fno-caret-diagnostics",
                                      "-fno-crash-diagnostics",
                                      "-ferror-limit=4"};
  if (place != nullptr)
    command.insert(command.end(), {"-ivfsoverlay", overlay_path(place->folder)});
  command.insert(command.end(), arguments.begin(), arguments.end());
  try {
    return run_bounded(command, place, how);
  } catch (const Error& error) {
    if (error.code() != ExitCode::missing) throw;
    throw Error(fmt::format("C++ kernels need Clang, but there is no '{}'", command.front()),
                "apt-get install clang-19, or set HEDDLE_CLANG to its name", ExitCode::missing);
  }
}

ClangOutput run_linker(const std::vector<std::string>& arguments, const ClangPlace& place) {
  std::vector<std::string> command = {"ld"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  try {
    return run_bounded(command, &place, {});
  } catch (const Error& error) {
    if (error.code() != ExitCode::missing) throw;
    return {};
  }
}

std::vector<ClangMessage> clang_messages(const std::string& errors) {
  std::vector<ClangMessage> all;
  for (const std::string_view line : split(errors, '\n')) {
    Message message;
    if (read_message(line, message)) all.push_back(std::move(message));
  }
  return all;
}

Error message_error(const ClangMessage& message, const std::string& errors,
                    const std::string& source_path) {
  const std::string advice = advice_for(message.text, errors);
  if (message.file == kMainFile)
    return Error(message.text, advice).at(source_path, message.position);
  if (message.position.line == 0) return Error(message.text, advice).in(source_path);
  if (leads_out(message.file, source_path))
    return Error("the kernel includes a file outside its folder", "copy the file beside the kernel")
        .in(source_path);
  const std::size_t slash = message.file.find_last_of('/');
  return Error(
             fmt::format("{} (in {}, line {})", message.text,
                         slash == std::string::npos ? message.file : message.file.substr(slash + 1),
                         message.position.line),
             advice)
      .in(source_path);
}

Error clang_error(const std::string& errors, const std::string& source_path) {
  for (const ClangMessage& message : clang_messages(errors))
    if (message.is_error) return message_error(message, errors, source_path);
  return Error("Clang cannot compile the kernel", "it may need more than 4 GiB: make it simpler")
      .in(source_path);
}

std::string missing_header(const std::string& errors) {
  constexpr std::string_view kBefore = "fatal error: '";
  constexpr std::string_view kBehind = "' file not found";
  const std::size_t begin = errors.find(kBefore);
  if (begin == std::string::npos) return {};
  const std::size_t end = errors.find(kBehind, begin);
  if (end == std::string::npos) return {};
  return errors.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

}  // namespace heddle::kernel::cxx
