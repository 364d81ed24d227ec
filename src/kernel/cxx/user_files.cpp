#include "kernel/cxx/user_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "kernel/cxx/device_headers.h"
#include "kernel/cxx/gpu_assembly.h"
#include "kernel/cxx/outline.h"
#include "kernel/cxx/target.h"
#include "kernel/cxx/token.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 500;
constexpr std::size_t kMostUserHeader = std::size_t{2} << 20;
constexpr std::size_t kMostBytes = std::size_t{24} << 20;  ///< of all
constexpr std::size_t kNotRead = static_cast<std::size_t>(-1);

/// Pieces of code that are not files of their own.
bool is_fragment(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  return ending == ".inc" || ending == ".inl" || ending == ".def" || ending == ".ipp";
}

/// The vendors' headers: those that heddle has none for are not found, where they are installed as
/// well. They are written for the vendors' compilers, and clash with heddle's.
bool is_of_vendor(const std::string& name) {
  constexpr std::string_view kFolders[] = {"hip/",     "hipcub/",  "rocprim/", "thrust/",
                                           "cub/",     "cuda/",    "nv/",      "rocrand/",
                                           "hiprand/", "rocwmma/", "rocblas/", "hipblas/"};
  return std::any_of(std::begin(kFolders), std::end(kFolders),
                     [&](std::string_view folder) { return name.starts_with(folder); }) ||
         name.starts_with("cuda_") || name.starts_with("curand") || name.starts_with("cublas");
}

bool is_of_system(const std::string& name) {
  if (is_of_vendor(name)) return false;
  std::error_code error;
  return std::any_of(
      system_header_folders().begin(), system_header_folders().end(),
      [&](const std::string& folder) { return fs::exists(fs::path(folder) / name, error); });
}

struct Include {
  std::string name;
  bool is_quoted = false;
};

/// Of `"a.h"` or `<a.h>` and what follows it.
std::optional<Include> included(std::string_view rest) {
  if (rest.size() < 3 || (rest.front() != '"' && rest.front() != '<')) return std::nullopt;
  const std::size_t end = rest.find(rest.front() == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos || end == 1) return std::nullopt;
  return Include{std::string(rest.substr(1, end - 1)), rest.front() == '"'};
}

/// #include_next is left to Clang, which knows where it is.
std::optional<Include> include_of(const Token& token) {
  if (token.kind != TokenKind::directive || directive_name(token) != "include") return std::nullopt;
  return included(directive_rest(token));
}

std::string folder_of(const std::string& path) {
  return fs::absolute(path).lexically_normal().parent_path().string();
}

/// Whether Clang may read a file by itself.
bool is_clangs(const ClangPlace& place, const std::string& path) {
  return is_file_below(path, place.sources) ||
         std::any_of(place.include.begin(), place.include.end(),
                     [&](const std::string& folder) { return is_file_below(path, folder); });
}

/// Every word of a text, comments and all.
std::vector<std::string> words_in(std::string_view text) {
  std::set<std::string> words;
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end > i) words.emplace(text.substr(i, end - i));
    i = end + 1;
  }
  return {words.begin(), words.end()};
}

bool has_gpu_assembly(const std::string& text) {
  return text.find("asm") != std::string::npos && without_gpu_assembly(text) != text;
}

bool is_torchs(const std::string& header) {
  return header.starts_with("torch/") || header.starts_with("ATen/") ||
         header.starts_with("c10/") || header.starts_with("THC/");
}

/// Something of what heddle/torch.h has.
bool names_torch(std::string_view text) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{
          "c10::", "C10_", "at::", "torch::", "WARP_SHFL", "gpuAtomicAdd", "CUDA_KERNEL_",
          "PackedTensorAccessor", "namespace torch", "namespace at", "namespace c10"},
      [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
}

std::string own_path(const ClangPlace& place, std::size_t file) {
  return fmt::format("{}/user-{}.h", place.folder, file);
}

std::string raw_path(const ClangPlace& place, std::size_t file) {
  return fmt::format("{}/raw-{}.h", place.folder, file);
}

}  // namespace

/// What an include means.
struct UserFiles::Found {
  /// clang: it finds it, or says so; outside: it is there and may not be read.
  enum class Kind { clang, file, outside, missing } kind = Kind::clang;
  std::string path;
};

UserFiles::UserFiles(const CxxSource& source, const CxxFunction& kernel, const ClangPlace& place,
                     Project& project, std::vector<std::string> words, const CxxSource* before)
    : source_(source), kernel_(kernel), words_(std::move(words)) {
  gather(place, project, before);
  for (const RawFile& raw : raw_) append(words_, words_in(raw.text));
  reach_ = std::make_unique<Reach>(files_);
  reach_->follow(kernel, words_);
  for (std::size_t file = 0; file < files_.size(); ++file) {
    cuts_.push_back(reach_->cuts(file));
    cuts_.back().directives = includes_[file];
  }
}

void UserFiles::gather(const ClangPlace& place, Project& project, const CxxSource* before) {
  files_.push_back(&source_);
  includes_.emplace_back();
  if (before != nullptr) {
    by_path_[before->path()] = files_.size();
    files_.push_back(before);
    includes_.emplace_back();
  }
  missing_ = project.command().included;
  forced_ = missing_.size();
  is_plain_ = forced_ == 0;
  std::size_t raw = 0;
  for (std::size_t file = 0; file < files_.size() || raw < raw_.size();) {
    if (file < files_.size()) {
      take_includes(file++, place, project);
      continue;
    }
    const RawFile one = raw_[raw++];  // a copy: there may be more of them soon
    for (const std::string_view line : split_lines(one.text)) {
      const std::string_view text = trim(line);
      const std::size_t word = text.find("include");
      if (!text.starts_with('#') || word == std::string_view::npos) continue;
      const auto include = included(trim(text.substr(word + 7)));
      if (!include) continue;
      const Found found =
          resolve(include->name, include->is_quoted, folder_of(one.path), place, project);
      if (found.kind == Found::Kind::outside) throw outside_error(include->name).in(source_.path());
      if (found.kind == Found::Kind::file) read_header(found.path);
    }
  }
  for (const CxxSource* file : files_) {
    is_plain_ = is_plain_ && file->text().find("__has_include") == std::string::npos;
    // Clang would see the assembly of headers as it is.
    is_plain_ = is_plain_ && (file == &source_ || !has_gpu_assembly(file->text()));
  }
  for (const RawFile& one : raw_)
    is_plain_ = is_plain_ && one.text.find("__has_include") == std::string::npos &&
                !has_gpu_assembly(one.text);
}

void UserFiles::take_includes(std::size_t file, const ClangPlace& place, Project& project) {
  const CxxSource& one = *files_[file];
  const std::vector<std::size_t> plain = one.plain_includes();
  for (std::size_t i = 0; i < one.tokens().size(); ++i) {
    const auto include = include_of(one.tokens()[i]);
    if (!include) continue;
    const Found found =
        resolve(include->name, include->is_quoted, folder_of(one.path()), place, project);
    if (found.kind == Found::Kind::clang) continue;
    if (found.kind == Found::Kind::missing) {
      unclear_ = project.unclear();
      if (!is_one_of(include->name, missing_)) missing_.push_back(include->name);
      const auto at = std::find(missing_.begin(), missing_.end(), include->name);
      includes_[file].emplace_back(
          i, "#define " + missing_mark(static_cast<std::size_t>(at - missing_.begin())));
      is_plain_ = false;
      continue;
    }
    is_plain_ = is_plain_ && found.kind == Found::Kind::file && is_clangs(place, found.path);
    includes_[file].emplace_back(i, fmt::format("#include \"{}\"", found.path));
    if (found.kind != Found::Kind::file) continue;
    read_header(found.path);
    if (is_one_of(i, plain)) plainly_.emplace_back(file, found.path);
  }
}

void UserFiles::read_header(const std::string& path) {
  if (by_path_.count(path) != 0) return;
  if (files_.size() + raw_.size() >= kMostFiles)
    throw Error(fmt::format("the kernel includes more than {} files", kMostFiles),
                "give a variant with fewer headers")
        .in(source_.path());
  by_path_[path] = kNotRead;
  std::string text = read_text(path, kMostUserHeader);
  if ((bytes_ += text.size()) > kMostBytes)
    throw Error(fmt::format("the kernel's headers are larger than {} MiB", kMostBytes >> 20),
                "give a variant with fewer headers")
        .in(source_.path());
  try {
    if (!is_fragment(path)) {
      auto header = std::make_unique<CxxSource>(path, text);
      by_path_[path] = files_.size();
      files_.push_back(header.get());
      includes_.emplace_back();
      headers_.push_back(std::move(header));
      return;
    }
  } catch (const Error&) {
    by_path_[path] = kNotRead;  // Clang reads it as it is
  }
  raw_.push_back({path, std::move(text)});
}

UserFiles::Found UserFiles::resolve(const std::string& name, bool is_quoted,
                                    const std::string& from, const ClangPlace& place,
                                    Project& project) const {
  using Kind = Found::Kind;
  if (name.front() == '/') return {Kind::clang, {}};
  std::vector<std::string> folders;
  if (is_quoted) folders.push_back(from);
  append(folders, place.include);
  folders.push_back(place.sources);
  for (const std::string& folder : folders) {
    const std::string path = (fs::path(folder) / name).lexically_normal().string();
    if (is_clangs(place, path) || is_header_below(path, project.root())) return {Kind::file, path};
  }
  std::error_code error;
  for (const std::string& folder : {is_quoted ? from : place.sources, place.sources})
    if (const fs::path path = (fs::path(folder) / name).lexically_normal(); fs::exists(path, error))
      return {Kind::outside, path.string()};
  if (is_device_header(name) || is_of_system(name)) return {Kind::clang, {}};
  if (auto found = project.find(name, from)) return {Kind::file, std::move(*found)};
  return {Kind::missing, {}};
}

std::vector<std::pair<std::size_t, std::string>> includes_beside(const CxxSource& source,
                                                                 const std::string& folder) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (std::size_t i = 0; i < source.tokens().size(); ++i) {
    const auto include = include_of(source.tokens()[i]);
    if (!include || !include->is_quoted || include->name.front() == '/') continue;
    const std::string path = (fs::path(folder) / include->name).lexically_normal().string();
    if (is_file_below(path, folder)) found.emplace_back(i, fmt::format("#include \"{}\"", path));
  }
  return found;
}

std::unique_ptr<CxxSource> text_before(const CxxSource& source, const Project& project) {
  const fs::path path = fs::absolute(source.path()).lexically_normal();
  std::unique_ptr<CxxSource> found;
  std::error_code error;
  for (const fs::path& folder : {path.parent_path(), path.parent_path().parent_path()}) {
    std::vector<std::string> names;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (is_cxx_path(at->path().string()) && at->path() != path &&
          is_file_below(at->path().string(), project.root()))
        names.push_back(at->path().string());
    std::sort(names.begin(), names.end());
    if (names.size() > kMostFiles) names.resize(kMostFiles);
    for (const std::string& name : names) {
      try {
        const std::string text = read_text(name, kMostUserHeader);
        if (text.find(path.filename().string()) == std::string::npos) continue;
        const CxxSource whole(name, text);
        for (const Token& token : whole.tokens()) {
          const auto include = include_of(token);
          if (!include || (folder / include->name).lexically_normal() != path) continue;
          auto before = std::make_unique<CxxSource>(name, text.substr(0, token.offset));
          outline_of(before->tokens(), before->path());
          if (found != nullptr && found->text() != before->text()) return nullptr;
          found = std::move(before);
          break;
        }
      } catch (const Error&) {
        continue;  // cut in the middle of something
      }
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::string UserFiles::missing_mark(std::size_t header) {
  return fmt::format("HEDDLE_MISSING_{}", header);
}

void UserFiles::check_source() const {
  if (const auto doubt = reach_->doubt())
    throw Error(
        fmt::format("'{}' is the device's or the host's as the macro '{}' says, which nothing "
                    "defines",
                    doubt->name, doubt->word),
        fmt::format("define it in the file, or include the header that does; or, for a type, "
                    "declare '{}'",
                    doubt->word))
        .at(files_[doubt->file]->path(), doubt->position);
}

bool UserFiles::is_hip() const {
  std::set<std::size_t> reached = {0};
  for (std::size_t known = 0; known != reached.size();) {
    known = reached.size();
    for (const auto& [from, path] : plainly_)
      if (const std::size_t to = by_path_.at(path); to != kNotRead && reached.count(from) != 0)
        reached.insert(to);
  }
  return std::any_of(reached.begin(), reached.end(),
                     [&](std::size_t file) { return files_[file]->includes_hip(); });
}

std::vector<std::string> UserFiles::texts() const {
  std::vector<std::string> all;
  for (std::size_t file = 0; file < files_.size(); ++file)
    all.push_back(files_[file]->device_text(cuts_[file], reach_->directives()));
  for (const RawFile& raw : raw_) all.push_back(raw.text);
  return all;
}

void UserFiles::write(NativeCode& native) const {
  const bool lacks_torch = std::any_of(missing_.begin(), missing_.end(), is_torchs);
  native.device_text =
      without_gpu_assembly(source_.device_text(cuts_.front(), reach_->directives()));
  const auto put = [&](const std::string& path, const std::string& text) {
    write_input(path, without_unrolling(text));
    std::vector<std::string> needed = headers_for(text);
    if (lacks_torch && names_torch(text)) needed.emplace_back("heddle/torch.h");
    for (const std::string& header : needed)
      if (!is_one_of(header, native.headers)) native.headers.push_back(header);
  };
  if (lacks_torch && names_torch(native.device_text)) native.headers.emplace_back("heddle/torch.h");
  for (std::size_t file = 1; file < files_.size(); ++file)
    put(own_path(native.place, file),
        without_gpu_assembly(files_[file]->device_text(cuts_[file], reach_->directives())));
  for (std::size_t file = 0; file < raw_.size(); ++file)
    put(raw_path(native.place, file), without_gpu_assembly(raw_[file].text));
}

std::vector<std::pair<std::string, std::string>> UserFiles::replaced(
    const ClangPlace& place) const {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t file = 1; file < files_.size(); ++file)
    all.emplace_back(files_[file]->path(), own_path(place, file));
  for (std::size_t file = 0; file < raw_.size(); ++file)
    all.emplace_back(raw_[file].path, raw_path(place, file));
  return all;
}

}  // namespace heddle::kernel::cxx
