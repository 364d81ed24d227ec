#include "kernel/cxx/tile_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernel/cxx/scope_numbers.h"
#include "kernel/cxx/token.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

bool is_compound_symbol(std::string_view text) {
  static const std::set<std::string_view> kSymbols = {"+=", "-=", "*=", "/=", "%=", ">>=", "<<="};
  return kSymbols.count(text) != 0;
}

/// "gemm<16, 4>" -> "16", "4".
std::vector<std::string> template_arguments(const std::string& function) {
  std::vector<std::string> values;
  const std::size_t open = function.find('<');
  if (open == std::string::npos || function.back() != '>') return values;
  for (const std::string_view part :
       split(std::string_view(function).substr(open + 1, function.size() - open - 2), ','))
    values.emplace_back(trim(part));
  return values;
}

/// "tile.m" -> "tile", "m".
std::pair<std::string, std::string> member_of(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {name, ""};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

}  // namespace

CxxTileUses::CxxTileUses(const CxxSource& source, const config::Launch& launch,
                         const std::vector<TileVariable>& asked)
    : source_(source),
      tokens_(source.tokens()),
      function_(source.kernel(launch.function)),
      outline_(outline_of(source.tokens(), source.path())),
      template_values_(template_arguments(launch.function)) {
  path = source.path();
  position = function_.position;
  for (const Token& token : tokens_) {
    if (is_name(token)) names.emplace(token.text);
    if (token.kind != TokenKind::directive) continue;
    for (const Token& word : tokenize(directive_rest(token), path))
      if (is_name(word)) names.emplace(word.text);
  }
  for (const config::Argument& argument : launch.arguments) names.insert(argument.name);
  spelling.dialect = source.is_cuda() ? "cuda" : "hip";
  spelling.ends = ";";
  spelling.own_minimum =
      std::any_of(function_.parameters.begin(), function_.parameters.end(),
                  [](const CxxParameter& one) { return one.name == "min" || one.name == "max"; });
  find_givers();
  for (const TileVariable& one : asked)
    if (one.is_required) add_variable(one);
  find_sites();
}

std::string_view CxxTileUses::text(std::size_t i) const {
  return i < tokens_.size() ? tokens_[i].text : std::string_view();
}

void CxxTileUses::refuse(std::size_t at, const std::string& what, const std::string& hint) const {
  throw Error(what, hint).at(path, tokens_[at].position);
}

std::string CxxTileUses::text_of(std::size_t first, std::size_t last) const {
  const std::size_t begin = tokens_[first].offset;
  return source_.text().substr(begin, tokens_[last].offset + tokens_[last].text.size() - begin);
}

// ---- statements -------------------------------------------------------------------------------

/// The last token before the comma or semicolon that ends a value.
std::size_t CxxTileUses::end_of_value(std::size_t first) const {
  std::size_t at = first;
  while (at < function_.body_end) {
    if (text(at) == "," || text(at) == ";" || text(at) == ")" || text(at) == "}") break;
    const bool opens = text(at) == "(" || text(at) == "[" || text(at) == "{";
    at = opens ? outline_.partner[at] + 1 : at + 1;
  }
  return at - 1;
}

void CxxTileUses::add_giver(std::size_t name, std::size_t statement, bool is_declaration) {
  Giver giver;
  giver.name = name;
  giver.first = name + 2;
  giver.last = end_of_value(giver.first);
  giver.statement = statement;
  giver.is_declaration = is_declaration;
  giver.is_compound = text(name + 1) != "=";
  giver.is_in_head = text(statement) == "for";
  if (giver.last >= giver.first) givers_.push_back(std::move(giver));
}

/// Declarations and assignments that begin a statement, and those in the head of a `for`.
void CxxTileUses::find_givers() {
  std::size_t statement = function_.body_begin + 1;
  bool is_declaration = false;
  for (std::size_t i = function_.body_begin + 1; i < function_.body_end; ++i) {
    if (tokens_[i].kind == TokenKind::directive) continue;
    const std::string_view before = text(i - 1);
    const bool is_head = before == "(" && i > 1 && text(i - 2) == "for";
    const bool is_start = before == "{" || before == "}" || before == ";" ||
                          tokens_[i - 1].kind == TokenKind::directive;
    if (is_head) statement = i - 2;
    if (is_start && text(statement) != "for") statement = i;
    if (is_start && text(statement) == "for" &&
        i > outline_.partner[statement + 1])  // behind its head
      statement = i;
    if (is_start || is_head) is_declaration = is_name(tokens_[i]) && is_name(tokens_[i + 1]);
    const bool is_behind =
        is_name(tokens_[i - 1]) || before == "*" || before == "&" || before == ">";
    const bool is_first = i == statement || (is_head && !is_declaration);
    const bool is_next = before == "," && is_declaration;
    const bool gives =
        is_name(tokens_[i]) && (text(i + 1) == "=" || is_compound_symbol(text(i + 1)));
    if (gives && (is_first || is_next || (is_declaration && is_behind)))
      add_giver(i, statement, is_declaration);
    if (gives && text(statement) == "for" && before == ";") add_giver(i, statement, false);
  }
}

/// Every block around a token is still open at another one behind it.
bool CxxTileUses::is_in_scope(std::size_t token, std::size_t at) const {
  if (token >= at) return false;
  for (std::size_t i = token; i-- > function_.body_begin;) {
    if (text(i) == "}") {
      i = outline_.partner[i];
      continue;
    }
    if (text(i) == "{" && outline_.partner[i] < at) return false;
  }
  return true;
}

// ---- variables --------------------------------------------------------------------------------

void CxxTileUses::add_variable(const TileVariable& variable) {
  const auto [name, member] = member_of(variable.name);
  Giver* found = nullptr;
  for (Giver& giver : givers_)
    if (text(giver.name) == name && tokens_[giver.name].position.line == variable.line)
      found = &giver;
  if (found == nullptr) {
    std::vector<Giver*> all;
    for (Giver& giver : givers_)
      if (text(giver.name) == name) all.push_back(&giver);
    if (all.size() == 1) found = all.front();
  }
  if (found == nullptr)
    throw Error(fmt::format("'{}', a tile coordinate, has no single statement that gives it its "
                            "value",
                            variable.name),
                "compute it in one statement of the kernel")
        .at(path, {variable.line, 1});
  if (found->is_in_head)
    refuse(found->name, fmt::format("a loop counts with '{}', a tile coordinate", variable.name),
           "give the coordinate a variable of its own in the loop");
  variables.push_back(variable);
  found->variables.push_back(variables.size() - 1);
}

/// The members of the struct that a variable is, in order.
std::vector<std::string> CxxTileUses::fields_of(const Giver& giver) const {
  std::size_t type = giver.statement;
  while (type < giver.name && (text(type) == "const" || text(type) == "struct")) ++type;
  std::vector<std::string> fields;
  for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
    if ((text(i) != "struct" && text(i) != "class") || text(i + 1) != text(type) ||
        text(i + 2) != "{")
      continue;
    for (std::size_t k = i + 3; k < outline_.partner[i + 2]; ++k) {
      if (text(k) == "(" || text(k) == "{") return {};
      if (is_name(tokens_[k]) && (text(k + 1) == ";" || text(k + 1) == ","))
        fields.emplace_back(text(k));
    }
    return fields;
  }
  return fields;
}

// ---- sites ------------------------------------------------------------------------------------

void CxxTileUses::find_sites() {
  for (std::size_t i = 0; i < givers_.size(); ++i) {
    const Giver& giver = givers_[i];
    if (giver.variables.empty()) continue;
    const bool continues =
        !sites.empty() && is_in_scope(givers_[of_.back().front()].statement, giver.statement + 1);
    if (continues) {
      TileSite& site = sites.back();
      site.variables.insert(site.variables.end(), giver.variables.begin(), giver.variables.end());
      of_.back().push_back(i);
      continue;
    }
    TileSite site;
    site.variables = giver.variables;
    site.position = tokens_[giver.name].position;
    site.place = place_of(giver);
    site.names = scope_of(giver);
    sites.push_back(std::move(site));
    of_.push_back({i});
  }
}

CodePlace CxxTileUses::place_of(const Giver& giver) const {
  const std::string& all = source_.text();
  const std::size_t offset = tokens_[giver.statement].offset;
  const std::size_t begin = line_begin(all, offset);
  CodePlace place;
  place.margin = all.substr(begin, offset - begin);
  if (place.margin.find_first_not_of(" \t") != std::string::npos)
    refuse(giver.statement, "the statement does not begin its line", "put it on a line of its own");
  place.begin = place.end = begin;
  const std::size_t newline = all.find('\n');
  if (newline != std::string::npos && newline > 0 && all[newline - 1] == '\r')
    place.ending = "\r\n";
  place.level = "  ";
  return place;
}

std::vector<ScopeName> CxxTileUses::scope_of(const Giver& site) const {
  std::vector<ScopeName> result;
  std::set<std::string> seen;
  for (std::size_t i = givers_.size(); i-- > 0;) {
    const Giver& giver = givers_[i];
    if (giver.name >= site.statement || !is_in_scope(giver.name, site.statement)) continue;
    if (giver.is_in_head) {
      const std::size_t end = outline_.partner[giver.statement + 1];
      const bool is_body =
          text(end + 1) == "{" ? outline_.partner[end + 1] > site.statement : false;
      if (!is_body || !giver.is_declaration) continue;
    }
    const int line = tokens_[giver.name].position.line;
    const std::string name(text(giver.name));
    if (seen.insert(name).second) result.push_back({name, line, line, false});
  }
  for (const CxxParameter& parameter : function_.parameters)
    if (seen.insert(parameter.name).second) result.push_back({parameter.name, 0, 0, false});
  std::set<std::string> read;
  for (const Giver& giver : givers_)
    if (giver.statement >= site.statement && !giver.variables.empty())
      for (std::size_t i = giver.first; i <= giver.last; ++i)
        if (is_name(tokens_[i])) read.emplace(text(i));
  for (ScopeName& name : result) name.is_read = read.count(name.name) != 0;
  return result;
}

// ---- numbers ----------------------------------------------------------------------------------

std::vector<ScopeNumber> CxxTileUses::numbers(std::size_t site,
                                              const config::Launch& launch) const {
  CxxNumbers known(source_, function_, template_values_, launch);
  std::map<std::string, int> bindings;
  for (const Giver& giver : givers_) ++bindings[std::string(text(giver.name))];
  for (const CxxParameter& parameter : function_.parameters)
    if (bindings.count(parameter.name) == 0) known.add_parameter(parameter.name);
  const std::size_t at = givers_[of_[site].front()].statement;
  std::vector<ScopeNumber> result;
  std::set<std::string> seen;
  const auto add = [&](std::string written, std::optional<std::int64_t> value, bool is_name,
                       bool is_read) {
    if (seen.insert(written).second)
      result.push_back({std::move(written), value, is_name, is_read});
  };
  std::set<std::string> reads;
  for (const ScopeName& name : sites[site].names)
    if (name.is_read) reads.insert(name.name);
  for (const Giver& giver : givers_) {
    const std::string name(text(giver.name));
    if (bindings[name] > 1 || giver.is_in_head || giver.is_compound || !giver.is_declaration)
      continue;
    const auto value = known.value(giver.first, giver.last);
    if (!value) continue;
    known.add(name, *value);
    if (giver.name < at && is_in_scope(giver.name, at))
      add(name, value, true, reads.count(name) != 0);
  }
  for (const auto& [name, value] : known.given()) add(name, value, true, reads.count(name) != 0);
  // Expressions of the body: values, arguments and what stands in brackets.
  const auto in_scope = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i) {
      if (!is_name(tokens_[i])) continue;
      const auto own = std::find_if(givers_.begin(), givers_.end(), [&](const Giver& giver) {
        return giver.is_declaration && text(giver.name) == text(i);
      });
      if (own != givers_.end() && (own->name >= at || !is_in_scope(own->name, at))) return false;
    }
    return true;
  };
  for (std::size_t i = function_.body_begin + 1; i < function_.body_end; ++i) {
    if (text(i - 1) != "(" && text(i - 1) != "," && text(i - 1) != "=") continue;
    const std::size_t last = end_of_value(i);
    if (last <= i || last >= function_.body_end || !in_scope(i, last)) continue;
    if (const auto value = known.value(i, last)) add(text_of(i, last), value, false, false);
  }
  std::stable_sort(result.begin(), result.end(), [](const ScopeNumber& a, const ScopeNumber& b) {
    return std::tuple(!a.is_read, !a.is_name, a.is_name ? 0 : a.text.size()) <
           std::tuple(!b.is_read, !b.is_name, b.is_name ? 0 : b.text.size());
  });
  return result;
}

// ---- the new text -----------------------------------------------------------------------------

/// The value in the new text: of a struct all its members.
std::string CxxTileUses::value_of(const Giver& giver,
                                  const std::vector<std::string>& values) const {
  const bool is_const = text(giver.statement) == "const";
  if (giver.is_declaration && text(giver.statement + (is_const ? 1 : 0)) == "auto")
    refuse(giver.name, "the type of a coordinate is its value's", "write int for auto");
  const bool is_struct = !member_of(variables[giver.variables.front()].name).second.empty();
  if (!is_struct) {
    if (giver.variables.size() != 1)
      refuse(giver.name, "two coordinates are one variable", "use two");
    return values[giver.variables.front()];
  }
  std::string value;
  for (const std::string& field : fields_of(giver)) {
    const auto one = std::find_if(
        giver.variables.begin(), giver.variables.end(),
        [&](std::size_t variable) { return member_of(variables[variable].name).second == field; });
    if (one == giver.variables.end())
      refuse(
          giver.name,
          fmt::format("'{}' comes with a coordinate in one struct, and is not a coordinate", field),
          "compute it apart");
    value += (value.empty() ? "{" : ", ") + values[*one];
  }
  if (value.empty())
    refuse(giver.name, "the struct of a coordinate is not in this file", "use variables");
  return value + "}";
}

/// The whole lines of a declaration that only held index code, and that nothing reads.
std::optional<CxxTileUses::Edit> CxxTileUses::removal(const Giver& giver,
                                                      const std::vector<bool>& is_gone) const {
  constexpr std::size_t kTypeWords = 3;
  const bool is_alone = giver.is_declaration && !giver.is_in_head && giver.variables.empty() &&
                        !is_gone[giver.name] && text(giver.last + 1) == ";" &&
                        giver.name - giver.statement <= kTypeWords;
  if (!is_alone) return std::nullopt;
  for (std::size_t i = giver.statement; i < giver.name; ++i)
    if (!is_name(tokens_[i]) || text(i) == "auto") return std::nullopt;
  for (std::size_t i = giver.first; i <= giver.last; ++i) {
    const bool is_call =
        is_name(tokens_[i]) && text(i + 1) == "(" && text(i) != "min" && text(i) != "max";
    if (is_call || text(i) == "=" || text(i) == "++" || text(i) == "--" || text(i) == "[")
      return std::nullopt;
  }
  std::size_t used = 0;
  std::size_t was_used = 0;
  for (std::size_t i = function_.body_begin; i < function_.body_end; ++i) {
    if (text(i) != text(giver.name)) continue;
    ++was_used;
    if (!is_gone[i]) ++used;
  }
  if (used != 1 || was_used == 1) return std::nullopt;
  const std::string& all = source_.text();
  const std::size_t begin = line_begin(all, tokens_[giver.statement].offset);
  const std::size_t tail = end_of(giver.last + 1);
  const std::size_t newline = all.find('\n', tail);
  if (newline == std::string::npos) return std::nullopt;
  const std::string_view front =
      std::string_view(all).substr(begin, tokens_[giver.statement].offset - begin);
  const std::string_view behind = trim(std::string_view(all).substr(tail, newline - tail));
  const bool has_line = trim(front).empty() && (behind.empty() || behind.substr(0, 2) == "//");
  return has_line ? std::optional(Edit{begin, newline + 1, {}}) : std::nullopt;
}

std::string CxxTileUses::rewritten(const std::vector<std::string>& code,
                                   const std::vector<std::string>& values) const {
  std::vector<Edit> edits;
  std::vector<bool> is_gone(tokens_.size(), false);
  std::set<std::string> written;
  const auto add_words = [&](const std::string& lines) {
    for (const Token& word : tokenize(lines, path)) written.emplace(word.text);
  };
  for (std::size_t site = 0; site < sites.size(); ++site) {
    edits.push_back({sites[site].place.begin, sites[site].place.end, code[site]});
    add_words(code[site]);
    for (const std::size_t index : of_[site]) {
      const Giver& giver = givers_[index];
      const std::string value = value_of(giver, values);
      add_words(value);
      const std::size_t first = giver.is_compound ? giver.name : giver.first;
      edits.push_back({tokens_[first].offset, end_of(giver.last),
                       giver.is_compound ? std::string(text(giver.name)) + " = " + value : value});
      for (std::size_t i = giver.first; i <= giver.last; ++i) is_gone[i] = true;
    }
  }
  for (bool is_more = true; is_more;) {  // rule 3
    is_more = false;
    for (const Giver& giver : givers_) {
      if (written.count(std::string(text(giver.name))) != 0) continue;
      const auto edit = removal(giver, is_gone);
      if (!edit) continue;
      for (std::size_t i = giver.statement; i <= giver.last + 1; ++i) is_gone[i] = true;
      edits.push_back(*edit);
      is_more = true;
    }
  }
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  const std::string& all = source_.text();
  std::string after;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < at) continue;
    after += all.substr(at, edit.begin - at) + edit.text;
    at = edit.end;
  }
  return after + all.substr(at);
}

}  // namespace heddle::kernel::cxx
