// Where an order's code goes in a Triton kernel, and whether a new text is the old one with it.
#include <algorithm>

#include "kernel/triton/lines.h"
#include "kernel/triton/program_ids.h"

namespace heddle::kernel::triton {
namespace {

bool begins_line(const Node& statement, const std::string& text, const Lines& lines) {
  const std::size_t begin = lines.begin_of_line(statement.begin.line);
  const std::size_t end = lines.offset(statement.begin);
  return !lines.is_continued(statement.begin.line) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin),
                     text.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char c) { return c == ' ' || c == '\t'; });
}

/// What a line begins with, up to a position in it.
std::string margin_of(Position position, const std::string& text, const Lines& lines) {
  return text.substr(lines.begin_of_line(position.line),
                     static_cast<std::size_t>(position.column) - 1);
}

/// Whether a new tree is the old one with statements added to the kernel and other expressions in
/// place of its program ids.
class Comparison {
 public:
  Comparison(const Node& function, const std::vector<ProgramId>& calls)
      : function_(function), calls_(calls) {}

  bool same(const Node& before, const Node& after) const {
    const bool replaced = std::any_of(calls_.begin(), calls_.end(),
                                      [&](const ProgramId& one) { return one.call == &before; });
    if (replaced) return true;
    if (before.kind != after.kind || before.text != after.text ||
        before.constant != after.constant || before.fields.size() != after.fields.size())
      return false;
    for (std::size_t i = 0; i < before.fields.size(); ++i) {
      const bool is_body = &before == &function_ && before.fields[i].name == "body";
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
      const bool is_before = i < calls_.front().statement && same(before.nodes[i], after.nodes[i]);
      if (!is_before && !same(before.nodes[i], after.nodes[i + added])) return false;
    }
    return true;
  }

  const Node& function_;
  const std::vector<ProgramId>& calls_;
};

}  // namespace

/// Before the last statement that begins a line, up to the first that uses a program id.
CodePlace ProgramIds::place() const {
  const std::string& text = module_->text;
  const Lines lines(text);
  for (const IndexUse& use : uses)
    if (use.end <= use.begin || text[use.end - 1] != ')')
      throw Error("tl.program_id is not where Python says it is", "save the file as UTF-8 text")
          .at(path, use.position);
  const auto& body = function_->list("body");
  std::size_t at = first_statement();
  while (at > 0 && !begins_line(body[at], text, lines)) --at;
  if (!begins_line(body[at], text, lines))
    throw Error("the function's body stands on the line of its 'def'", "put it on lines of its own")
        .at(path, body.front().begin);
  CodePlace place;
  place.begin = place.end = lines.begin_of_line(body[at].begin.line);
  place.margin = margin_of(body[at].begin, text, lines);
  place.ending = lines.ending(body[at].begin.line);
  const std::string outer = margin_of(function_->begin, text, lines);
  const bool is_deeper = place.margin.size() > outer.size() && place.margin.rfind(outer, 0) == 0;
  place.level = is_deeper ? place.margin.substr(outer.size()) : "    ";
  for (const ProgramId& call : calls_)
    place.takes_index.push_back(at == first_statement() && may_take_index(call));
  return place;
}

/// Statements at the place that only name program ids can take the index itself.
bool ProgramIds::may_take_index(const ProgramId& call) const {
  if (!call.is_whole) return false;
  for (std::size_t i = first_statement(); i <= call.statement; ++i) {
    const bool only_names = std::any_of(calls_.begin(), calls_.end(), [&](const ProgramId& one) {
      return one.statement == i && one.is_whole;
    });
    if (!only_names) return false;
  }
  return std::count_if(calls_.begin(), calls_.end(),
                       [&](const ProgramId& one) { return one.axis == call.axis; }) == 1;
}

void ProgramIds::check_rewritten(const std::string& after, const std::vector<std::string>&) const {
  const Node root = parse_python(after, path);
  if (!Comparison(*function_, calls_).same(module_->root, root))
    throw Error("the kernel cannot be rewritten without changing something else",
                "write each tl.program_id on one line, outside strings")
        .at(path, uses.front().position);
}

}  // namespace heddle::kernel::triton
