#include "emit/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "emit/kernel_code.h"
#include "support/text.h"

namespace heddle::emit {
namespace {

using kernel::triton::Field;
using kernel::triton::Node;

constexpr std::size_t kColumns = 100;
constexpr std::size_t kFewestColumns = 40;  ///< for comments, however deep the kernel is indented

/// The lines of a text as Python counts them.
class Lines {
 public:
  explicit Lines(const std::string& text) : text_(text), begins_{0} {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
      if ((text[i] == '\n' || text[i] == '\r') && !is_pair) begins_.push_back(i + 1);
    }
  }

  /// The place of a position in the text, which may be its end.
  std::size_t offset(Position position) const {
    const auto line = static_cast<std::size_t>(position.line) - 1;
    if (position.line < 1 || position.column < 1 || line >= begins_.size()) return text_.size();
    return std::min(begins_[line] + static_cast<std::size_t>(position.column) - 1, text_.size());
  }

  std::size_t begin_of_line(int line) const { return offset({line, 1}); }

  /// "\n", "\r\n" or "\r": how the line ends, or the one before it where it is the last.
  std::string ending(int line) const {
    for (int i = line; i >= 1; --i) {
      const std::size_t end = begin_of_line(i + 1);
      if (end == 0 || (text_[end - 1] != '\n' && text_[end - 1] != '\r')) continue;
      return end > 1 && text_[end - 1] == '\n' && text_[end - 2] == '\r'
                 ? "\r\n"
                 : std::string(1, text_[end - 1]);
    }
    return "\n";
  }

  /// Whether the line before ends in a backslash, which makes them one.
  bool is_continued(int line) const {
    if (line < 2) return false;
    const std::size_t begin = begin_of_line(line - 1);
    std::string_view before = std::string_view(text_).substr(begin, begin_of_line(line) - begin);
    before = trim(before);
    return !before.empty() && before.back() == '\\' && before.front() != '#';
  }

 private:
  const std::string& text_;
  std::vector<std::size_t> begins_;
};

/// "M = 8192" as "M=8192", which no line break takes apart.
std::string dense(std::string text) {
  for (std::size_t at = text.find(" = "); at != std::string::npos; at = text.find(" = ", at))
    text.replace(at, 3, "=");
  return text;
}

struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

class Rewriting {
 public:
  Rewriting(const ProgramIds& ids, const proof::ProvenOrder& proven,
            const Independence& independence, const std::vector<std::string>& assumptions)
      : ids_(ids),
        proven_(proven),
        independence_(independence),
        assumptions_(assumptions),
        text_(ids.module->text),
        lines_(text_) {}

  std::string run() {
    check_axes(ids_, proven_.shape());
    check_names();
    place_ = &find_place();
    margin_ = text_.substr(lines_.begin_of_line(place_->begin.line),
                           static_cast<std::size_t>(place_->begin.column) - 1);
    const PrintedParts code = kernel_code(proven_, context());
    add_replacements(code);
    const std::size_t begin = lines_.begin_of_line(place_->begin.line);
    edits_.push_back({begin, begin, fitted(code.lines + definitions(code))});
    return edited();
  }

 private:
  [[noreturn]] void refuse(const Node& node, const std::string& what,
                           const std::string& hint) const {
    throw Error(what, hint).at(ids_.module->path, node.begin);
  }

  // ---- what cannot be done ----------------------------------------------------------------

  void check_names() const {
    const Node& first = ids_.function->list("body")[ids_.first_statement()];
    for (const std::string& name : free_names(proven_)) {
      if (ids_.known.count(name) > 0) continue;
      refuse(
          first,
          fmt::format("the order uses '{}', which is no parameter of the kernel with a value here",
                      name),
          fmt::format("write the order with the kernel's own: {}", fmt::join(ids_.known, " ")));
    }
  }

  // ---- where the code goes ----------------------------------------------------------------

  bool begins_line(const Node& statement) const {
    const std::size_t begin = lines_.begin_of_line(statement.begin.line);
    const std::size_t end = lines_.offset(statement.begin);
    return !lines_.is_continued(statement.begin.line) &&
           std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                       text_.begin() + static_cast<std::ptrdiff_t>(end),
                       [](char c) { return c == ' ' || c == '\t'; });
  }

  /// The last statement that begins a line, up to the first that uses a program id.
  const Node& find_place() const {
    const auto& body = ids_.function->list("body");
    for (std::size_t i = ids_.first_statement() + 1; i-- > 0;)
      if (begins_line(body[i])) return body[i];
    refuse(body.front(), "the function's body stands on the line of its 'def'",
           "put it on lines of its own");
  }

  KernelContext context() const {
    KernelContext context;
    context.language = ids_.language;
    context.own_minimum = ids_.own_minimum;
    context.taken = ids_.names;
    context.remarks = order_remarks(independence_, assumptions_);
    context.columns = std::max(kColumns - std::min(kColumns, margin_.size()), kFewestColumns);
    return context;
  }

  /// One level of indentation, as the function's body has it.
  std::string indentation() const {
    const std::size_t begin = lines_.begin_of_line(ids_.function->begin.line);
    const std::string outer =
        text_.substr(begin, static_cast<std::size_t>(ids_.function->begin.column) - 1);
    const bool is_deeper = margin_.size() > outer.size() && margin_.rfind(outer, 0) == 0;
    return is_deeper ? margin_.substr(outer.size()) : "    ";
  }

  /// The code with the kernel's margin, indentation and line ends.
  std::string fitted(const std::string& code) const {
    constexpr std::size_t kLevel = 4;
    const std::string level = indentation();
    const std::string ending = lines_.ending(place_->begin.line);
    std::string result;
    for (std::size_t at = 0; at < code.size();) {
      const std::string line = code.substr(at, code.find('\n', at) - at);
      at += line.size() + 1;
      const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
      result += margin_;
      for (std::size_t i = 0; i < blanks / kLevel; ++i) result += level;
      result += line.substr(blanks);
      result += ending;
    }
    return result;
  }

  // ---- what stands where a program id stood -----------------------------------------------

  /// The statements at the place that only name program ids can take the index itself.
  bool takes_index(const ProgramId& use) const {
    const auto& body = ids_.function->list("body");
    if (!use.is_whole || place_ != &body[ids_.first_statement()]) return false;
    for (std::size_t i = ids_.first_statement(); i <= use.statement; ++i) {
      const auto found =
          std::find_if(ids_.uses.begin(), ids_.uses.end(),
                       [&](const ProgramId& one) { return one.statement == i && one.is_whole; });
      if (found == ids_.uses.end()) return false;
    }
    return std::count_if(ids_.uses.begin(), ids_.uses.end(),
                         [&](const ProgramId& one) { return one.axis == use.axis; }) == 1;
  }

  void add_replacements(const PrintedParts& code) {
    for (const ProgramId& use : ids_.uses) {
      const auto axis = static_cast<std::size_t>(use.axis);
      const bool takes = takes_index(use);
      needs_name_[axis] = needs_name_[axis] || !takes;
      const Edit edit{lines_.offset(use.call->begin), lines_.offset(use.call->end),
                      takes ? code.results[axis] : code.names[axis]};
      if (edit.end <= edit.begin || text_[edit.end - 1] != ')')
        refuse(*use.call, "tl.program_id is not where Python says it is",
               "save the file as UTF-8 text");
      edits_.push_back(edit);
    }
  }

  std::string definitions(const PrintedParts& code) const {
    std::string lines;
    for (std::size_t axis = 0; axis < code.results.size(); ++axis)
      if (needs_name_[axis])
        lines += fmt::format("{} = {}\n", code.names[axis], code.results[axis]);
    return lines;
  }

  std::string edited() {
    std::sort(edits_.begin(), edits_.end(),
              [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string result;
    std::size_t at = 0;
    for (const Edit& edit : edits_) {
      result += text_.substr(at, edit.begin - at);
      result += edit.text;
      at = edit.end;
    }
    return result + text_.substr(at);
  }

  const ProgramIds& ids_;
  const proof::ProvenOrder& proven_;
  const Independence& independence_;
  const std::vector<std::string>& assumptions_;
  const std::string& text_;
  Lines lines_;
  const Node* place_ = nullptr;  ///< the statement that the code stands before
  std::string margin_;
  std::array<bool, 3> needs_name_{};
  std::vector<Edit> edits_;
};

/// Whether a new tree is the old one with statements added to the kernel and other expressions in
/// place of its program ids.
class Comparison {
 public:
  explicit Comparison(const ProgramIds& ids) : ids_(ids) {}

  bool same(const Node& before, const Node& after) const {
    const bool replaced = std::any_of(ids_.uses.begin(), ids_.uses.end(),
                                      [&](const ProgramId& use) { return use.call == &before; });
    if (replaced) return true;
    if (before.kind != after.kind || before.text != after.text ||
        before.constant != after.constant || before.fields.size() != after.fields.size())
      return false;
    for (std::size_t i = 0; i < before.fields.size(); ++i) {
      const bool is_body = &before == ids_.function && before.fields[i].name == "body";
      if (before.fields[i].name != after.fields[i].name ||
          !same(before.fields[i], after.fields[i], is_body))
        return false;
    }
    return true;
  }

 private:
  bool same(const Field& before, const Field& after, bool is_kernel) const {
    if (after.nodes.size() < before.nodes.size()) return false;
    const std::size_t added = after.nodes.size() - before.nodes.size();
    if (added > 0 && !is_kernel) return false;
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
      // Where the code was added is known up to statements that share a line with the first use.
      const bool is_before = i < ids_.first_statement() && same(before.nodes[i], after.nodes[i]);
      if (!is_before && !same(before.nodes[i], after.nodes[i + added])) return false;
    }
    return true;
  }

  const ProgramIds& ids_;
};

}  // namespace

std::vector<std::string> order_remarks(const Independence& independence,
                                       const std::vector<std::string>& assumptions) {
  std::vector<std::string> remarks;
  if (!assumptions.empty())
    remarks.push_back(fmt::format("given {}", fmt::join(assumptions, ", ")));
  if (const auto* traced = std::get_if<trace::IndependentTiles>(&independence)) {
    remarks.push_back(
        fmt::format("tiles: independent as traced on {}", dense(traced->traced_on())));
    if (traced->rounding_may_differ())
      remarks.emplace_back("sums of floating numbers by atomics may round differently");
  } else {
    remarks.emplace_back("tiles: assumed independent, not traced");
  }
  return remarks;
}

void check_axes(const ProgramIds& ids, const order::Shape& shape) {
  if (shape.own_tiles || shape.launch_axes == ids.axes) return;
  const auto last = std::find_if(ids.uses.begin(), ids.uses.end(),
                                 [&](const ProgramId& use) { return use.axis + 1 == ids.axes; });
  throw Error(fmt::format("the kernel is launched on {}-D grids, the order is of {}-D grids",
                          ids.axes, shape.launch_axes),
              fmt::format("give an order of {}-D grids", ids.axes))
      .at(ids.module->path, last->call->begin);
}

std::string rewrite_kernel(const ProgramIds& ids, const proof::ProvenOrder& proven,
                           const Independence& independence,
                           const std::vector<std::string>& assumptions) {
  std::string text = Rewriting(ids, proven, independence, assumptions).run();
  const Node root = kernel::triton::parse_python(text, ids.module->path);
  if (!Comparison(ids).same(ids.module->root, root))
    throw Error("the kernel cannot be rewritten without changing something else",
                "write each tl.program_id on one line, outside of texts")
        .at(ids.module->path, ids.uses.front().call->begin);
  return text;
}

}  // namespace heddle::emit
