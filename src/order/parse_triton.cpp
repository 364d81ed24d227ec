#include "order/parse_triton.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "order/cursor.h"
#include "order/token.h"

namespace heddle::order {
namespace {

constexpr const char* kAccepted =
    "heddle reads assignments over + - * // % << >> & | ^ ~, comparisons, and/or/not, 'a if c else "
    "b', if/elif/else, while, for .. in range, def, return, min max abs, tl.program_id, "
    "tl.num_programs, tl.cdiv, tl.where, tl.minimum, tl.maximum";

struct Level {
  std::string_view symbol;
  Operation operation;
  int precedence;
};
constexpr Level kBinary[] = {
    {"|", Operation::bit_or, 1},       {"^", Operation::bit_xor, 2},
    {"&", Operation::bit_and, 3},      {"<<", Operation::shift_left, 4},
    {">>", Operation::shift_right, 4}, {"+", Operation::add, 5},
    {"-", Operation::subtract, 5},     {"*", Operation::multiply, 6},
    {"//", Operation::divide, 6},      {"%", Operation::remainder, 6},
};
constexpr Level kComparison[] = {
    {"<", Operation::less, 0},    {"<=", Operation::less_equal, 0},
    {">", Operation::greater, 0}, {">=", Operation::greater_equal, 0},
    {"==", Operation::equal, 0},  {"!=", Operation::not_equal, 0},
};

template <std::size_t n>
const Level* find_level(const Level (&levels)[n], const Token& token) {
  if (token.kind != Token::Kind::symbol) return nullptr;
  for (const Level& level : levels) {
    if (level.symbol == token.text) return &level;
  }
  return nullptr;
}

class Parser {
 public:
  explicit Parser(std::string_view text)
      : cursor_(level_first_line(read_tokens(text, Language::triton)), kAccepted) {}

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
  /// A pasted text often lost the indentation of its first line alone: give it back.
  static std::vector<Token> level_first_line(std::vector<Token> tokens) {
    int least = std::numeric_limits<int>::max();
    int second = -1;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      if (tokens[i - 1].kind != Token::Kind::line_end || tokens[i].kind == Token::Kind::end)
        continue;
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

  // ---- statements -------------------------------------------------------------------------

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
    if (sign.text.size() >= 2 && sign.text.back() == '=' && sign.kind == Token::Kind::symbol) {
      Token stripped = sign;
      stripped.text.pop_back();
      if (const Level* level = find_level(kBinary, stripped)) result.augmented = level->operation;
    }
    if (!result.augmented && !cursor_.is_symbol("=")) {
      if (sign.text == "/" || sign.text == "/=") {
        cursor_.fail("'/' makes a float in Python", "divide integers with //", sign.at);
      }
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

  // ---- expressions ------------------------------------------------------------------------

  ExpressionPtr expression_list() {
    const Position at = cursor_.peek().at;
    std::vector<ExpressionPtr> parts = {expression()};
    bool is_tuple = false;
    while (cursor_.take_symbol(",")) {
      is_tuple = true;
      if (cursor_.at_line_end() || cursor_.is_symbol("=") || cursor_.is_symbol(")")) break;
      parts.push_back(expression());
    }
    return is_tuple ? make_of(Expression::Kind::tuple, std::move(parts), at) : parts.front();
  }

  ExpressionPtr expression() {
    const DepthGuard guard(depth_, cursor_.peek().at);
    ExpressionPtr value = either();
    if (!cursor_.is_name("if")) return value;
    const Position at = cursor_.take().at;
    ExpressionPtr condition = either();
    if (!cursor_.take_name("else")) cursor_.unexpected("'else' in the conditional expression");
    return make_of(Expression::Kind::conditional, {condition, value, expression()}, at);
  }

  ExpressionPtr either() {
    ExpressionPtr left = both();
    while (cursor_.is_name("or")) {
      const Position at = cursor_.take().at;
      left = make_of(Expression::Kind::logical_or, {left, both()}, at);
    }
    return left;
  }

  ExpressionPtr both() {
    ExpressionPtr left = inverted();
    while (cursor_.is_name("and")) {
      const Position at = cursor_.take().at;
      left = make_of(Expression::Kind::logical_and, {left, inverted()}, at);
    }
    return left;
  }

  ExpressionPtr inverted() {
    const DepthGuard guard(depth_, cursor_.peek().at);
    if (!cursor_.is_name("not")) return comparison();
    const Position at = cursor_.take().at;
    return make_unary(Operation::logical_not, inverted(), at);
  }

  ExpressionPtr comparison() {
    ExpressionPtr left = binary(1);
    ExpressionPtr chain;
    while (const Level* level = find_level(kComparison, cursor_.peek())) {
      const Position at = cursor_.take().at;
      ExpressionPtr right = binary(1);
      ExpressionPtr single = make_binary(level->operation, left, right, at);
      chain = chain ? make_of(Expression::Kind::logical_and, {chain, single}, at) : single;
      left = right;
    }
    return chain ? chain : left;
  }

  ExpressionPtr binary(int least) {
    ExpressionPtr left = unary();
    while (const Level* level = find_level(kBinary, cursor_.peek())) {
      if (level->precedence < least) break;
      const Position at = cursor_.take().at;
      left = make_binary(level->operation, left, binary(level->precedence + 1), at);
    }
    return left;
  }

  ExpressionPtr unary() {
    const DepthGuard guard(depth_, cursor_.peek().at);
    const Position at = cursor_.peek().at;
    if (cursor_.take_symbol("-")) return make_unary(Operation::negate, unary(), at);
    if (cursor_.take_symbol("~")) return make_unary(Operation::bit_not, unary(), at);
    if (cursor_.take_symbol("+")) return unary();
    return postfix(primary());
  }

  /// `x.to(tl.int64)` after any value.
  ExpressionPtr postfix(ExpressionPtr value) {
    while (cursor_.is_symbol(".") && cursor_.is_name("to", 1) && cursor_.is_symbol("(", 2)) {
      const Position at = cursor_.take().at;
      cursor_.take();
      value = cast(value, at);
    }
    if (cursor_.is_symbol("[") || cursor_.is_symbol(".")) {
      cursor_.unsupported("indexing and attributes are not part of an order", cursor_.peek().at);
    }
    return value;
  }

  ExpressionPtr cast(const ExpressionPtr& value, Position at) {
    const std::vector<ExpressionPtr> given = arguments();
    Expression result;
    result.kind = Expression::Kind::cast;
    result.at = at;
    result.arguments = {value};
    const std::string type = given.size() == 1 ? given[0]->text : "";
    if (type == "tl.int64")
      result.type = Type::i64;
    else if (type == "tl.int32")
      result.type = Type::i32;
    else if (type == "tl.uint32")
      result.type = Type::u32;
    else if (type == "tl.uint64")
      result.type = Type::u64;
    else
      cursor_.fail("unknown type in .to(...)", "tl.int32, tl.int64, tl.uint32 or tl.uint64", at);
    return make_expression(std::move(result));
  }

  std::vector<ExpressionPtr> arguments() {
    std::vector<ExpressionPtr> result;
    cursor_.expect_symbol("(", "the name");
    while (!cursor_.is_symbol(")")) {
      if (cursor_.peek().kind == Token::Kind::name && cursor_.is_symbol("=", 1)) {
        const Token keyword = cursor_.take();
        cursor_.take();
        if (keyword.text != "axis") {
          result.push_back(named_argument(keyword));
          if (!cursor_.take_symbol(",")) break;
          continue;
        }
      }
      result.push_back(expression());
      if (!cursor_.take_symbol(",")) break;
    }
    cursor_.expect_symbol(")", "the arguments");
    return result;
  }

  /// name=value in a call: a tuple of one that carries the name.
  ExpressionPtr named_argument(const Token& keyword) {
    Expression named;
    named.kind = Expression::Kind::tuple;
    named.at = keyword.at;
    named.text = keyword.text;
    named.arguments = {expression()};
    return make_expression(std::move(named));
  }

  ExpressionPtr primary() {
    const Token token = cursor_.peek();
    if (token.kind == Token::Kind::number) return number();
    if (token.kind == Token::Kind::name) return name_or_call();
    if (cursor_.take_symbol("(")) {
      ExpressionPtr inner = expression_list();
      cursor_.expect_symbol(")", "the expression");
      return inner;
    }
    if (cursor_.is_symbol("/"))
      cursor_.fail("'/' makes a float in Python", "divide integers with //", token.at);
    cursor_.unexpected("a number, a name or '('");
  }

  ExpressionPtr number() {
    const Token token = cursor_.take();
    if (token.value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      cursor_.fail("the number does not fit 64 bits", "use smaller constants", token.at);
    }
    return make_number(static_cast<std::int64_t>(token.value), Type::constexpr_int, token.at);
  }

  ExpressionPtr name_or_call() {
    const Token token = cursor_.peek();
    static const std::set<std::string_view> kWords = {"if",     "else",   "elif", "for", "while",
                                                      "def",    "in",     "and",  "or",  "not",
                                                      "return", "lambda", "is"};
    if (kWords.count(token.text) > 0) cursor_.unexpected("a value");
    cursor_.take();
    if (token.text == "True") return make_number(1, Type::boolean, token.at);
    if (token.text == "False") return make_number(0, Type::boolean, token.at);
    if (cursor_.is_symbol("(")) {
      const std::size_t dot = token.text.rfind('.');
      if (dot != std::string::npos && token.text.substr(dot) == ".to") {
        Expression base;
        base.kind = Expression::Kind::name;
        base.at = token.at;
        base.text = token.text.substr(0, dot);
        return cast(make_expression(std::move(base)), token.at);
      }
      return make_call(token.text, arguments(), token.at);
    }
    Expression name;
    name.kind = Expression::Kind::name;
    name.at = token.at;
    name.text = token.text;
    return make_expression(std::move(name));
  }

  Cursor cursor_;
  bool at_compile_time_ = false;  ///< @triton.constexpr_function stands before what follows
  int depth_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

Module parse_triton(std::string_view text) {
  return Parser(text).module();
}

ExpressionPtr parse_triton_expression(std::string_view text) {
  return Parser(text).lone_expression();
}

}  // namespace heddle::order
