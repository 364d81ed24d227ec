#include "kernel/cxx/user_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "kernel/cxx/device_headers.h"
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
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kMostShown = 4;  ///< headers in a message

/// Pieces of code that are not files of their own.
bool is_fragment(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  return ending == ".inc" || ending == ".inl" || ending == ".def" || ending == ".ipp";
}

bool is_ours(const std::string& name) {
  return std::any_of(device_headers().begin(), device_headers().end(),
                     [&](const DeviceHeader& header) { return header.path == name; });
}

bool is_of_system(const std::string& name) {
  std::error_code error;
  return std::any_of(
      system_header_folders().begin(), system_header_folders().end(),
      [&](const std::string& folder) { return fs::exists(fs::path(folder) / name, error); });
}

struct Include {
  std::string name;
  bool is_quoted = false;
};

std::optional<Include> include_of(const Token& token) {
  if (token.kind != TokenKind::directive) return std::nullopt;
  const std::string_view kind = directive_name(token);
  if (kind != "include" && kind != "include_next") return std::nullopt;
  const std::string_view rest = directive_rest(token);
  if (rest.size() < 3 || (rest.front() != '"' && rest.front() != '<')) return std::nullopt;
  const std::size_t end = rest.find(rest.front() == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(rest.substr(1, end - 1)), rest.front() == '"'};
}

std::string folder_of(const std::string& path) {
  return fs::absolute(path).lexically_normal().parent_path().string();
}

bool may_read(const ClangPlace& place, const Project& project, const std::string& path) {
  if (is_file_below(path, project.root()) || is_file_below(path, place.sources)) return true;
  return std::any_of(place.include.begin(), place.include.end(),
                     [&](const std::string& folder) { return is_file_below(path, folder); });
}

std::string own_path(const ClangPlace& place, std::size_t file) {
  return fmt::format("{}/user-{}.h", place.folder, file);
}

/// The position of the first token of a file at a line and column, or behind it.
std::size_t token_at(const CxxSource& file, Position place) {
  const auto& tokens = file.tokens();
  std::size_t found = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Position at = tokens[i].position;
    if (at.line > place.line || (at.line == place.line && at.column > place.column)) break;
    found = i;
  }
  return found;
}

}  // namespace

UserFiles::UserFiles(const CxxSource& source, const CxxFunction& kernel, const ClangPlace& place,
                     Project& project, const std::vector<std::string>& words,
                     const CxxSource* before)
    : source_(source), kernel_begin_(kernel.begin), kernel_end_(kernel.body_end) {
  gather(source, before, place, project);
  reach_ = std::make_unique<Reach>(files_);
  reach_->follow(kernel, words);
  for (std::size_t file = 0; file < files_.size(); ++file) {
    cuts_.push_back(reach_->cuts(file));
    cuts_.back().directives = includes_[file];
  }
}

void UserFiles::gather(const CxxSource& first, const CxxSource* before, const ClangPlace& place,
                       Project& project) {
  files_.push_back(&first);
  includes_.emplace_back();
  if (before != nullptr) {
    by_path_[before->path()] = files_.size();
    files_.push_back(before);
    includes_.emplace_back();
  }
  std::size_t bytes = 0;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    const CxxSource& one = *files_[file];
    for (std::size_t i = 0; i < one.tokens().size(); ++i) {
      const auto include = include_of(one.tokens()[i]);
      if (!include) continue;
      const auto path =
          resolve(include->name, include->is_quoted, folder_of(one.path()), place, project);
      if (!path) continue;
      if (path->empty()) {
        if (!is_one_of(include->name, missing_)) missing_.push_back(include->name);
        includes_[file].emplace_back(i, "");
        continue;
      }
      includes_[file].emplace_back(i, fmt::format("#include \"{}\"", *path));
      if (by_path_.count(*path) != 0 || files_.size() >= kMostFiles || is_fragment(*path)) continue;
      try {
        std::string text = read_text(*path, kMostUserHeader);
        if ((bytes += text.size()) > kMostBytes) continue;
        auto header = std::make_unique<CxxSource>(*path, std::move(text));
        outline_of(header->tokens(), header->path());
        by_path_[*path] = files_.size();
        files_.push_back(header.get());
        includes_.emplace_back();
        headers_.push_back(std::move(header));
      } catch (const Error&) {
        by_path_[*path] = kNone;  // Clang reads it as it is
      }
    }
  }
}

/// Nothing: Clang finds it by itself. Empty: nobody does.
std::optional<std::string> UserFiles::resolve(const std::string& name, bool is_quoted,
                                              const std::string& from, const ClangPlace& place,
                                              Project& project) {
  std::vector<std::string> folders;
  if (is_quoted) folders.push_back(from);
  folders.push_back(place.sources);
  append(folders, place.include);
  for (const std::string& folder : folders) {
    const std::string path = (fs::path(folder) / name).lexically_normal().string();
    if (name.front() != '/' && may_read(place, project, path)) return path;
  }
  if (is_ours(name) || is_of_system(name)) return std::nullopt;
  if (auto found = project.find(name)) return found;
  std::error_code error;
  if (name.front() == '/' || fs::exists(fs::path(from) / name, error) ||
      fs::exists(fs::path(place.sources) / name, error))
    throw outside_error(name).in(source_.path());
  return "";
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

void UserFiles::write(NativeCode& native) const {
  native.device_text = source_.device_text(cuts_.front(), reach_->directives());
  for (std::size_t file = 1; file < files_.size(); ++file)
    write_input(own_path(native.place, file),
                without_unrolling(files_[file]->device_text(cuts_[file], reach_->directives())));
}

std::size_t UserFiles::unit_at(std::size_t file, std::size_t token) const {
  const auto& units = reach_->units();
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    if (units[unit].file == file && units[unit].all.begin <= token && token <= units[unit].all.end)
      return unit;
  return kNone;
}

/// Takes out what stands at a token: a member's body, or the unit. False if it is out.
bool UserFiles::cut(std::size_t file, std::size_t unit, std::size_t token) {
  const ReachUnit& one = reach_->units()[unit];
  const auto holds = [&](const std::vector<TokenRange>& ranges) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const TokenRange& range) {
      return range.begin <= token && token <= range.end;
    });
  };
  if (holds(cuts_[file].all)) return false;
  const bool was_cut = holds(cuts_[file].bodies);
  if (!one.is_function && one.body && !was_cut)
    for (const OutlineItem& item : reach_->outline(file).items)
      if (item.is_member && item.is_function && item.body && item.head_end <= token &&
          token <= item.body->end) {
        cuts_[file].bodies.push_back({item.head_end, item.body->end});
        return true;
      }
  const bool in_body = one.body && one.body->begin <= token && token <= one.body->end;
  if (in_body && !was_cut) {
    cuts_[file].bodies.push_back(*one.body);
  } else {
    cuts_[file].all.push_back(one.all);
  }
  return true;
}

/// Whether something went.
bool UserFiles::drop_at(const ClangMessage& message, const Error& error) {
  std::size_t file = kNone;
  if (message.file == kMainFile) file = 0;
  if (const auto found = by_path_.find(message.file); found != by_path_.end()) file = found->second;
  if (file == kNone || message.position.line == 0) return false;
  const std::size_t token = token_at(*files_[file], message.position);
  if (file == 0 && kernel_begin_ <= token && token <= kernel_end_) return false;
  const std::size_t unit = unit_at(file, token);
  if (unit == kNone) return false;
  if (!cut(file, unit, token)) return false;
  const ReachUnit& one = reach_->units()[unit];
  dropped_.push_back({one.names, error});
  return true;
}

bool UserFiles::drop(const std::string& errors) {
  const std::vector<ClangMessage> messages = clang_messages(errors);
  bool has_gone = false;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].is_error) continue;
    const Error error = explained(message_error(messages[i], errors, source_.path()));
    // Where Clang stands in a header that is not the user's, its notes say who sent it there.
    for (std::size_t k = i; k < messages.size() && (k == i || !messages[k].is_error); ++k)
      if (drop_at(messages[k], error)) {
        has_gone = true;
        break;
      }
  }
  return has_gone;
}

std::optional<Error> UserFiles::needed_in(const std::string& ir) const {
  for (std::size_t at = ir.find("\ndeclare "); at != std::string::npos;
       at = ir.find("\ndeclare ", at + 1)) {
    const std::string line = ir.substr(at + 1, ir.find('\n', at + 1) - at - 1);
    for (const Dropped& one : dropped_)
      for (const std::string& name : one.names)
        if (line.find(fmt::format("{}{}", name.size(), name)) != std::string::npos ||
            line.find("@" + name + "(") != std::string::npos)
          return one.error;
  }
  return std::nullopt;
}

Error UserFiles::error(const std::string& errors) const {
  return explained(clang_error(errors, source_.path()));
}

/// What a declaration that went was refused for is why its names are not known.
Error UserFiles::explained(const Error& found) const {
  for (const Dropped& one : dropped_)
    for (const std::string& name : one.names)
      if (found.message().find("'" + name) != std::string::npos) return one.error;
  if (missing_.empty()) return found;
  std::vector<std::string> shown = missing_;
  if (shown.size() > kMostShown) shown.resize(kMostShown);
  return Error(found.message(),
               fmt::format("these headers were not found: {}{}; name their folders in the job: "
                           "include = [\"...\"]",
                           fmt::join(shown, " "), shown.size() < missing_.size() ? " ..." : ""),
               found.code())
      .at(found.source(), found.position());
}

std::vector<std::pair<std::string, std::string>> UserFiles::replaced(
    const ClangPlace& place) const {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t file = 1; file < files_.size(); ++file)
    all.emplace_back(files_[file]->path(), own_path(place, file));
  return all;
}

}  // namespace heddle::kernel::cxx
