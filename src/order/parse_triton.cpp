#include "order/parse_triton.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "order/triton_expressions.h"

namespace heddle::order {
namespace {

/// A pasted text often lost the indentation of its first line alone: give it back.
std::vector<Token> level_first_line(std::vector<Token> tokens) {
  int least = std::numeric_limits<int>::max();
  int second = -1;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i - 1].kind != Token::Kind::line_end || tokens[i].kind == Token::Kind::end) continue;
    least = std::min(least, tokens[i].indent);
    if (second < 0) second = tokens[i].indent;
  }
  if (second < 0 || tokens.front().indent >= least) return tokens;
  std::size_t last = 0;
  while (tokens[last + 1].kind != Token::Kind::line_end) ++last;
  const bool is_header = tokens[last].text == ":";
  if (!is_header || second > least) tokens.front().indent = least;
  return tokens;
}

/// Statements.
class TritonParser final : TritonExpressions {
 public:
  explicit TritonParser(std::string_view text)
      : TritonExpressions(level_first_line(read_tokens(text, Language::triton))) {}

  Module module() {
    Module module;
    module.language = Language::triton;
    while (!cursor_.at_end()) statement(module.statements);
    module.notes = std::move(notes_);
    return module;
  }

  ExpressionPtr lone_expression() {
    ExpressionPtr result = expression();
    while (cursor_.peek().kind == Token::Kind::line_end) cursor_.take();
    if (!cursor_.at_end()) cursor_.unexpected("the end of the expression");
    return result;
  }

 private:
  void statement(std::vector<Statement>& into) {
    const DepthGuard guard(depth_, cursor_.peek().at);
    if (cursor_.peek().kind == Token::Kind::line_end) {
      cursor_.take();
      return;
    }
    const Token first = cursor_.peek();
    if (first.kind == Token::Kind::name && compound(first, into)) return;
    if (cursor_.is_symbol("@")) return decorator();
    simple_line(into);
  }

  /// All are skipped; of one the next definition keeps that it was there.
  void decorator() {
    notes_.push_back(fmt::format("line {}: decorator skipped", cursor_.peek().at.line));
    for (; !cursor_.at_line_end(); cursor_.take()) {
      const std::string& text = cursor_.peek().text;
      if (text == "constexpr_function" || text == "triton.constexpr_function")
        at_compile_time_ = true;
    }
  }

  void skip_line(std::string_view what) {
    if (!what.empty())
      notes_.push_back(fmt::format("line {}: {} skipped", cursor_.peek().at.line, what));
    while (!cursor_.at_line_end()) cursor_.take();
  }

  bool compound(const Token& first, std::vector<Statement>& into) {
    Statement result;
    result.at = first.at;
    if (first.text == "if") {
      into.push_back(if_statement(first.indent));
      return true;
    }
    if (first.text == "while") {
      cursor_.take();
      result.kind = Statement::Kind::loop;
      result.value = expression();
    } else if (first.text == "for") {
      count_loop(result);
    } else if (first.text == "def") {
      definition(result);
    } else if (first.text == "import" || first.text == "from") {
      skip_line({});
      return true;
    } else {
      return false;
    }
    result.body = block(first.indent);
    into.push_back(std::move(result));
    return true;
  }

  Statement if_statement(int indent) {
    const DepthGuard guard(depth_, cursor_.peek().at);
    Statement result;
    result.kind = Statement::Kind::branch;
    result.at = cursor_.take().at;
    result.value = expression();
    result.body = block(indent);
    const Token& next = cursor_.peek();
    if (next.indent == indent && cursor_.is_name("elif")) {
      result.otherwise.push_back(if_statement(indent));
    } else if (next.indent == indent && cursor_.take_name("else")) {
      result.otherwise = block(indent);
    }
    return result;
  }

  void count_loop(Statement& result) {
    cursor_.take();
    result.kind = Statement::Kind::count_loop;
    result.targets = {target()};
    if (!cursor_.take_name("in")) cursor_.unexpected("'in' after the loop variable");
    const Token range = cursor_.take();
    if (range.text != "range" && range.text != "tl.range" && range.text != "tl.static_range") {
      cursor_.unsupported("a 'for' loop that is not over range(...)", range.at);
    }
    result.bounds = arguments();
    if (result.bounds.empty() || result.bounds.size() > 3) {
      cursor_.fail("range takes one to three bounds", "write range(n) or range(a, b, step)",
                   range.at);
    }
  }

  void definition(Statement& result) {
    cursor_.take();
    result.kind = Statement::Kind::define;
    result.at_compile_time = at_compile_time_;
    at_compile_time_ = false;
    result.name = name_token("a name after 'def'").text;
    cursor_.expect_symbol("(", "the function's name");
    while (!cursor_.is_symbol(")")) {
      Parameter parameter;
      if (cursor_.take_symbol("*")) {  // a bare '*' before keyword parameters
        if (!cursor_.take_symbol(",")) cursor_.unexpected("',' after '*'");
        continue;
      }
      parameter.name = name_token("a parameter name").text;
      if (cursor_.take_symbol(":")) {
        const ExpressionPtr type = expression();
        parameter.is_constexpr = type->text == "tl.constexpr" || type->text == "constexpr";
      }
      if (cursor_.take_symbol("=")) parameter.standard = expression();
      result.parameters.push_back(std::move(parameter));
      if (!cursor_.take_symbol(",")) break;
    }
    cursor_.expect_symbol(")", "the parameters");
    if (cursor_.take_symbol("->")) expression();
  }

  std::vector<Statement> block(int header_indent) {
    const DepthGuard guard(depth_, cursor_.peek().at);
    cursor_.expect_symbol(":", "the condition or the parameters");
    std::vector<Statement> body;
    if (!cursor_.at_line_end()) {
      simple_line(body);
      return body;
    }
    while (cursor_.peek().kind == Token::Kind::line_end) cursor_.take();
    const int indent = cursor_.peek().indent;
    if (cursor_.at_end() || indent <= header_indent) {
      cursor_.fail("a block is missing after ':'", "indent at least one statement below it",
                   cursor_.peek().at);
    }
    while (!cursor_.at_end() && cursor_.peek().indent > header_indent) {
      if (cursor_.peek().kind == Token::Kind::line_end) {
        cursor_.take();
        continue;
      }
      if (cursor_.peek().indent != indent) {
        cursor_.fail("the indentation matches no enclosing block",
                     "indent the lines of one block alike", cursor_.peek().at);
      }
      statement(body);
      while (cursor_.peek().kind == Token::Kind::line_end) cursor_.take();
    }
    return body;
  }

  void simple_line(std::vector<Statement>& into) {
    simple(into);
    while (cursor_.take_symbol(";")) {
      if (cursor_.at_line_end()) break;
      simple(into);
    }
    if (!cursor_.at_line_end()) cursor_.unexpected("an operator or the end of the line");
    if (!cursor_.at_end()) cursor_.take();
  }

  void simple(std::vector<Statement>& into) {
    const Token first = cursor_.peek();
    Statement result;
    result.at = first.at;
    if (first.kind == Token::Kind::text) {  // a docstring
      cursor_.take();
      return;
    }
    if (cursor_.take_name("pass")) return;
    if (cursor_.is_name("assert")) return skip_line("assertion");
    if (is_remark_call(first)) return skip_line(first.text);
    if (cursor_.take_name("return")) {
      result.kind = Statement::Kind::give_back;
      if (!cursor_.at_line_end() && !cursor_.is_symbol(";")) result.value = expression_list();
      into.push_back(std::move(result));
      return;
    }
    for (const std::string_view word : {"class", "import", "lambda", "with", "try", "global",
                                        "yield", "break", "continue", "raise", "del", "async"}) {
      if (first.kind == Token::Kind::name && first.text == word) {
        cursor_.unsupported(fmt::format("'{}' is not part of an order", word), first.at);
      }
    }
    assignment_or_value(result, into);
  }

  static bool is_remark_call(const Token& token) {
    static const std::set<std::string_view> kRemarks = {
        "tl.assume",       "tl.static_assert", "tl.device_assert",  "tl.static_print",
        "tl.device_print", "tl.multiple_of",   "tl.max_contiguous", "print",
        "tl.debug_barrier"};
    return token.kind == Token::Kind::name && kRemarks.count(token.text) > 0;
  }

  void assignment_or_value(Statement& result, std::vector<Statement>& into) {
    const std::size_t start = cursor_.place();
    const Position at = cursor_.peek().at;
    ExpressionPtr left = expression_list();
    if (cursor_.take_symbol(":")) {  // x: tl.constexpr = 8
      expression();
      if (cursor_.at_line_end()) return;
    }
    const Token sign = cursor_.peek();
    if (cursor_.at_line_end() || cursor_.is_symbol(";")) {
      result.kind = Statement::Kind::evaluate;
      result.value = std::move(left);
      into.push_back(std::move(result));
      return;
    }
    result.kind = Statement::Kind::assign;
    result.augmented = augmented_by(sign);
    if (!result.augmented && !cursor_.is_symbol("=")) {
      if (sign.text == "/" || sign.text == "/=") refuse_float_division();
      if (sign.text == "**") cursor_.unsupported("'**' is not read", sign.at);
      cursor_.unexpected("an operator, '=' or the end of the line");
    }
    cursor_.back_to(start);
    result.targets = targets(at);
    if (cursor_.take_symbol(":")) {
      const ExpressionPtr type = expression();
      if (type->text == "tl.constexpr" || type->text == "constexpr")
        result.targets[0].declared = Type::constexpr_int;
    }
    cursor_.take();
    result.value = expression_list();
    std::vector<Statement> chained;
    while (!result.augmented && cursor_.is_symbol("=")) chain_assignment(result, chained);
    into.push_back(result);
    for (Statement& extra : chained) into.push_back(std::move(extra));
  }

  /// a = b = value: assigns the value to the last name first, then copies.
  void chain_assignment(Statement& result, std::vector<Statement>& chained) {
    if (result.value->kind != Expression::Kind::name || result.targets.size() != 1) {
      cursor_.unsupported("only names can be assigned", result.value->at);
    }
    Statement copy = result;
    result.targets = {Target{result.value->text, std::nullopt, result.value->at}};
    chained.insert(chained.begin(), std::move(copy));
    cursor_.take();
    result.value = expression_list();
  }

  std::vector<Target> targets(Position at) {
    std::vector<Target> result;
    const bool bracketed = cursor_.take_symbol("(");
    do {
      if (cursor_.is_symbol("=") || cursor_.is_symbol(")")) break;
      result.push_back(target());
    } while (cursor_.take_symbol(","));
    if (bracketed) cursor_.expect_symbol(")", "the names");
    if (result.empty()) cursor_.unsupported("nothing to assign to", at);
    return result;
  }

  Target target() {
    const Token token = name_token("a name to assign to");
    return {token.text, std::nullopt, token.at};
  }

  Token name_token(std::string_view wanted) {
    const Token token = cursor_.peek();
    if (token.kind != Token::Kind::name || token.text.find('.') != std::string::npos) {
      cursor_.unexpected(wanted);
    }
    return cursor_.take();
  }

  bool at_compile_time_ = false;  ///< @triton.constexpr_function stands before what follows
  std::vector<std::string> notes_;
};

}  // namespace

Module parse_triton(std::string_view text) {
  return TritonParser(text).module();
}

ExpressionPtr parse_triton_expression(std::string_view text) {
  return TritonParser(text).lone_expression();
}

}  // namespace heddle::order
