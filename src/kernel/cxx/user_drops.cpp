// UserFiles: what goes where Clang refuses it, and whether that can matter.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "kernel/cxx/conditions.h"
#include "kernel/cxx/stand_in.h"
#include "kernel/cxx/target.h"
#include "kernel/cxx/token.h"
#include "kernel/cxx/user_files.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kNoFile = static_cast<std::size_t>(-1);
constexpr std::size_t kMostShown = 4;  ///< headers in a message

/// Words by which code asks whether a class has something, and goes on if it has not.
constexpr std::array<const char*, 7> kAsking = {"void_t",   "enable_if", "enable_if_t", "declval",
                                                "requires", "concept",   "is_detected"};

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

/// A note that says how Clang came to a place.
bool is_way(const ClangMessage& note) {
  return note.text.find("requested here") != std::string::npos ||
         note.text.find("in instantiation") != std::string::npos ||
         note.text.find("expanded from") != std::string::npos;
}

/// Directives that act on what follows them, however it is compiled: pack, push_macro, pop_macro.
std::size_t count_pragmas(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find("ragma"); at != std::string_view::npos;
       at = text.find("ragma", at + 1)) {
    const std::size_t word = text.find_first_not_of(" \t(\"", at + 5);
    if (word == std::string_view::npos) break;
    const std::string_view rest = text.substr(word);
    count +=
        rest.starts_with("pack") || rest.starts_with("push_macro") || rest.starts_with("pop_macro");
  }
  return count;
}

/// The name that a message of Clang says nobody declares; empty where it says something else.
std::string unknown_name(const std::string& message) {
  for (const std::string_view begin : {"use of undeclared identifier '", "unknown type name '"}) {
    const std::size_t at = message.find(begin);
    if (at == std::string::npos) continue;
    const std::size_t from = at + begin.size();
    return message.substr(from, message.find('\'', from) - from);
  }
  return {};
}

/// An unknown name, with the others of the same run: a person can set all of them at once.
Error with_other_names(const Error& found, const std::string& errors) {
  constexpr std::size_t kMostNames = 12;
  const std::string first = unknown_name(found.message());
  std::vector<std::string> others;
  for (const ClangMessage& message : clang_messages(errors)) {
    const std::string name = message.is_error ? unknown_name(message.text) : "";
    if (!name.empty() && name != first && !is_one_of(name, others)) others.push_back(name);
  }
  if (first.empty() || others.empty()) return found;
  const bool is_long = others.size() > kMostNames;
  if (is_long) others.resize(kMostNames);
  return Error(fmt::format("{}; also unknown: {}{}", found.message(), fmt::join(others, " "),
                           is_long ? " ..." : ""),
               found.hint(), found.code())
      .at(found.source(), found.position());
}

}  // namespace

std::size_t UserFiles::file_at(const ClangMessage& message) const {
  if (message.position.line == 0) return kNoFile;
  if (message.file == kMainFile) return 0;
  const auto found = by_path_.find(message.file);
  return found != by_path_.end() ? found->second : kNoFile;
}

std::size_t UserFiles::unit_at(std::size_t file, std::size_t token) const {
  const auto& units = reach_->units();
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    if (units[unit].file == file && units[unit].all.begin <= token && token <= units[unit].all.end)
      return unit;
  return kNoFile;
}

/// Takes out what stands at a token: a member's body, a body, or the unit. False if it is out.
bool UserFiles::cut(std::size_t file, std::size_t unit, std::size_t token) {
  const ReachUnit& one = reach_->units()[unit];
  const auto holds = [&](const TokenRange& range) {
    return range.begin <= token && token <= range.end;
  };
  if (left_out_.whole.count(unit) != 0) {
    auto& inserted = cuts_[file].inserted;
    const auto stands_in = [&](const auto& text) { return text.first == one.all.begin; };
    return unnamed_.insert(unit).second && std::erase_if(inserted, stands_in) > 0;
  }
  const auto& bodies = cuts_[file].bodies;
  if (std::any_of(bodies.begin() + static_cast<std::ptrdiff_t>(known_bodies_[file]), bodies.end(),
                  holds))
    return false;  // another error of what goes by now
  const bool was_cut = std::any_of(bodies.begin(), bodies.end(), holds);
  if (!one.is_function && one.body && !was_cut)
    for (const OutlineItem& item : reach_->outline(file).items)
      if (item.is_member && item.is_function && item.body && item.head_end <= token &&
          token <= item.body->end) {
        cuts_[file].bodies.push_back({item.head_end, item.body->end});
        return true;
      }
  if (one.body && holds(*one.body) && left_out_.bodies.insert(unit).second) {
    cuts_[file].bodies.push_back(*one.body);
  } else {
    cut_whole(file, unit);
  }
  return true;
}

void UserFiles::cut_whole(std::size_t file, std::size_t unit) {
  const TokenRange all = reach_->units()[unit].all;
  left_out_.whole.insert(unit);
  left_out_.bodies.erase(unit);
  cuts_[file].all.push_back(all);
  if (auto text = stand_in(*reach_, unit)) {
    cuts_[file].inserted.emplace_back(all.begin, std::move(*text));
  } else {
    unnamed_.insert(unit);
  }
}

/// Whether something went.
bool UserFiles::drop_at(const ClangMessage& message, const Error& error) {
  const std::size_t file = file_at(message);
  if (file == kNoFile) return false;
  const std::size_t token = token_at(*files_[file], message.position);
  if (file == 0 && kernel_.begin <= token && token <= kernel_.body_end) return false;
  const std::size_t unit = unit_at(file, token);
  if (unit == kNoFile || !cut(file, unit, token)) return false;
  dropped_.push_back({unit, reach_->units()[unit].names, error});
  return true;
}

bool UserFiles::drop(const std::string& errors) {
  const std::vector<ClangMessage> messages = clang_messages(errors);
  known_bodies_.clear();
  for (const TextCuts& cuts : cuts_) known_bodies_.push_back(cuts.bodies.size());
  bool has_gone = false;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!messages[i].is_error) continue;
    const Error error = explained(message_error(messages[i], errors, source_.path()));
    if (messages[i].text.starts_with("static assertion failed") && file_at(messages[i]) != kNoFile)
      throw error;
    // Where Clang stands in a header that is not the user's, its notes say who sent it there.
    for (std::size_t k = i; k < messages.size() && (k == i || !messages[k].is_error); ++k) {
      if (k > i && (file_at(messages[i]) == 0 || !is_way(messages[k]))) continue;
      if (!drop_at(messages[k], error)) continue;
      has_gone = true;
      break;
    }
  }
  return has_gone;
}

void UserFiles::check(const NativeCode& native, const std::string& ir) {
  if (const auto needed = needed_in(ir)) throw *needed;
  check_names();
  check_conditions(native);
}

void UserFiles::check_names() {
  if (dropped_.empty()) return;
  reach_->follow(kernel_, words_, left_out_);
  const bool asks = std::any_of(kAsking.begin(), kAsking.end(),
                                [&](const char* word) { return reach_->is_word(word); });
  for (const Dropped& one : dropped_) {
    const ReachUnit& unit = reach_->units()[one.unit];
    const bool is_class = !unit.is_function && unit.body.has_value();
    const bool counts = unnamed_.count(one.unit) != 0 || (asks && is_class);
    if (!counts) continue;
    const bool is_named = std::any_of(one.names.begin(), one.names.end(), [&](const auto& name) {
      return name.starts_with("operator") || reach_->is_word(name);
    });
    if (is_named) throw one.error;
  }
}

void UserFiles::check_conditions(const NativeCode& native) const {
  if (is_plain_) return;
  const Conditions conditions(texts());
  const auto fail = [&](const std::string& what, const std::string& hint) {
    throw Error(what, hint).in(source_.path());
  };
  for (const std::string& header : conditions.headers()) {
    if (header.size() < 3) continue;
    const std::string name = header.substr(1, header.size() - 2);
    if (has_header(native, header)) continue;
    fail(fmt::format("the kernel depends on whether there is a header '{}', and it was not found",
                     name),
         "name its folder in the job: include = [\"...\"]");
  }
  if (missing_.empty() || conditions.macros().empty()) return;
  const std::set<std::string> known = known_macros(native);
  for (const std::string& macro : conditions.macros())
    for (std::size_t i = 0; i < missing_.size(); ++i) {
      const std::string& header = missing_[i];
      const bool is_asked_for = i < forced_ || known.count(missing_mark(i)) != 0;
      if (is_asked_for && may_define(header, macro) && known.count(macro) == 0)
        fail(fmt::format("the kernel depends on the macro '{}', which nothing defines; '{}', which "
                         "was not found, may do so",
                         macro, header),
             fmt::format("say in the job what it is: defines = [\"{}=1\"], or [\"-U{}\"] if there "
                         "is none; or name the header's folder: include = [\"...\"]",
                         macro, macro));
    }
}

/// Whether `using namespace lib` went: its names may be those that the kernel uses.
bool UserFiles::drops_using() const {
  return std::any_of(dropped_.begin(), dropped_.end(), [&](const Dropped& one) {
    const ReachUnit& unit = reach_->units()[one.unit];
    const std::vector<Token>& tokens = reach_->tokens(unit);
    for (std::size_t i = unit.all.begin; i < unit.all.end; ++i)
      if (tokens[i].text == "using" && tokens[i + 1].text == "namespace") return true;
    return false;
  });
}

/// Headers that were not found, and are included: those of libraries that are well known keep to names
/// of their own, others may hold a macro, an overload or a specialisation that the kernel means.
std::vector<std::string> UserFiles::absent(const NativeCode& native) const {
  const bool trusts = !drops_using();
  const auto is_trusted = [&](const std::string& one) { return trusts && is_library(one); };
  if (std::all_of(missing_.begin(), missing_.end(), is_trusted)) return {};
  const std::set<std::string> known = known_macros(native);
  std::vector<std::string> headers;
  for (std::size_t i = 0; i < missing_.size(); ++i)
    if (!is_trusted(missing_[i]) && (i < forced_ || known.count(missing_mark(i)) != 0))
      headers.push_back(missing_[i]);
  return headers;
}

std::string UserFiles::doubt(const NativeCode& native) const {
  const std::vector<std::string> headers = absent(native);
  if (headers.size() == 1)
    return fmt::format("'{}' was not found, and may change what the kernel does", headers[0]);
  if (!headers.empty())
    return fmt::format(
        "'{}' and {} were not found, and may change what the kernel does", headers[0],
        heddle::count_of(static_cast<std::int64_t>(headers.size()) - 1, "more header"));
  // What is left out, host code at least, has an effect on what follows it.
  for (const CxxSource* const file : files_) {
    if (file->text().find("__COUNTER__") != std::string::npos)
      return "the kernel's files count with __COUNTER__, and not all of their code is compiled";
    const bool is_whole = is_plain_ && file != files_.front();
    const std::size_t kept = is_whole    ? count_pragmas(file->text())
                             : is_plain_ ? count_pragmas(native.device_text)
                                         : 0;
    if (count_pragmas(file->text()) > kept)
      return "a #pragma that acts on what follows stands in code that is not compiled";
  }
  return {};
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
  return explained(with_other_names(clang_error(errors, source_.path()), errors));
}

/// What a declaration that went was refused for is why its names are not known.
Error UserFiles::explained(const Error& found) const {
  // 'name', 'name<int>', 'space::name'.
  for (const Dropped& one : dropped_)
    for (const std::string& name : one.names)
      for (const std::string& mark : {"'" + name, "::" + name + "<", "::" + name + "'"})
        if (found.message().find(mark) != std::string::npos) return one.error;
  if (missing_.empty()) return found;
  if (!unclear_.empty())
    return Error(found.message(),
                 unclear_.begin()->second +
                     ": name the folder of the one that is meant in the job: include = [\"...\"]",
                 found.code())
        .at(found.source(), found.position());
  std::vector<std::string> shown = missing_;
  if (shown.size() > kMostShown) shown.resize(kMostShown);
  return Error(found.message(),
               fmt::format("these headers were not found: {}{}; name their folders in the job: "
                           "include = [\"...\"]",
                           fmt::join(shown, " "), shown.size() < missing_.size() ? " ..." : ""),
               found.code())
      .at(found.source(), found.position());
}

}  // namespace heddle::kernel::cxx
