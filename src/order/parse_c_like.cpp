#include "order/parse_c_like.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>

#include "order/cursor.h"
#include "order/token.h"

namespace heddle::order {
namespace {

constexpr const char* kAccepted =
    "heddle reads integer declarations and assignments over + - * / % << >> & | ^ ~, comparisons, "
    "&& || !, c ? a : b, if/else, while, for, functions, return, min max abs, blockIdx.x, "
    "gridDim.x, hipBlockIdx_x, get_group_id(0), get_num_groups(0)";

struct Level {
  std::string_view symbol;
  Operation operation;
  int precedence;
};
constexpr int kLogicalOr = 1;
constexpr int kLogicalAnd = 2;
constexpr Level kBinary[] = {
    {"|", Operation::bit_or, 3},         {"^", Operation::bit_xor, 4},
    {"&", Operation::bit_and, 5},        {"==", Operation::equal, 6},
    {"!=", Operation::not_equal, 6},     {"<", Operation::less, 7},
    {"<=", Operation::less_equal, 7},    {">", Operation::greater, 7},
    {">=", Operation::greater_equal, 7}, {"<<", Operation::shift_left, 8},
    {">>", Operation::shift_right, 8},   {"+", Operation::add, 9},
    {"-", Operation::subtract, 9},       {"*", Operation::multiply, 10},
    {"/", Operation::divide, 10},        {"%", Operation::remainder, 10},
};

const Level* find_level(std::string_view symbol) {
  for (const Level& level : kBinary) {
    if (level.symbol == symbol) return &level;
  }
  return nullptr;
}

/// Words that may stand before a declaration without changing what an order computes.
const std::set<std::string_view> kQualifiers = {
    "const",        "constexpr",  "static",       "inline",     "volatile",        "register",
    "extern",       "__device__", "__host__",     "__global__", "__forceinline__", "__inline__",
    "__kernel",     "kernel",     "__restrict__", "restrict",   "__global",        "__constant",
    "__noinline__", "TL_DEVICE",  "global",       "constant",   "local",           "private",
    "__local",      "__private"};

/// Integers narrower than 32 bits would have to be cut off at every assignment: not read.
const std::set<std::string_view> kNarrow = {
    "char",  "short",  "int8_t",      "uint8_t",      "int16_t",      "uint16_t",
    "uchar", "ushort", "std::int8_t", "std::uint8_t", "std::int16_t", "std::uint16_t"};

const std::map<std::string_view, Type> kTypes = {
    {"int", Type::i32},         {"int32_t", Type::i32},       {"std::int32_t", Type::i32},
    {"signed", Type::i32},      {"unsigned", Type::u32},      {"uint", Type::u32},
    {"uint32_t", Type::u32},    {"std::uint32_t", Type::u32}, {"long", Type::i64},
    {"int64_t", Type::i64},     {"std::int64_t", Type::i64},  {"ptrdiff_t", Type::i64},
    {"uint64_t", Type::u64},    {"std::uint64_t", Type::u64}, {"size_t", Type::u64},
    {"std::size_t", Type::u64}, {"ulong", Type::u64},         {"bool", Type::boolean},
    {"index_t", Type::i32}};

class Parser {
 public:
  explicit Parser(std::string_view text)
      : cursor_(read_tokens(text, Language::c_like), kAccepted) {}

  Module module() {
    Module module;
    module.language = Language::c_like;
    while (!cursor_.at_end()) statement(module.statements);
    return module;
  }

 private:
  /// A type as it was read; `automatic` takes the type of the value, `other` is no integer.
  struct ReadType {
    std::optional<Type> type;
    bool automatic = false;
    bool is_void = false;
    bool other = false;
  };

  /// `kernel` and `global` are words like any other unless something declared follows.
  bool at_qualifier() const {
    return cursor_.peek().kind == Token::Kind::name && kQualifiers.count(cursor_.peek().text) > 0 &&
           cursor_.peek(1).kind == Token::Kind::name;
  }

  bool at_type() const {
    const Token& token = cursor_.peek();
    if (token.kind != Token::Kind::name) return false;
    if (at_qualifier() || kTypes.count(token.text) > 0 || kNarrow.count(token.text) > 0)
      return true;
    if (token.text == "auto" || token.text == "void" || token.text == "template") return true;
    // An unknown type such as `dim3 f(` or `float* x`: a name followed by a name or by '*' name.
    const bool pointer = cursor_.is_symbol("*", 1) && cursor_.peek(2).kind == Token::Kind::name &&
                         (cursor_.is_symbol(",", 3) || cursor_.is_symbol(")", 3));
    return token.text != "return" && token.text != "else" &&
           (pointer || cursor_.peek(1).kind == Token::Kind::name);
  }

  void skip_template() {
    if (!cursor_.is_symbol("<")) return;
    int depth = 0;
    do {
      if (cursor_.is_symbol("<")) ++depth;
      if (cursor_.is_symbol(">")) --depth;
      if (cursor_.is_symbol(">>")) depth -= 2;
      if (cursor_.at_end()) cursor_.unexpected("'>' after the template parameters");
      cursor_.take();
    } while (depth > 0);
  }

  ReadType type() {
    ReadType result;
    bool is_unsigned = false;
    bool is_long = false;
    bool any = false;
    while (cursor_.peek().kind == Token::Kind::name) {
      const std::string word = cursor_.peek().text;
      if (word == "template") {
        cursor_.take();
        skip_template();
        continue;
      }
      if (word == "__launch_bounds__") {
        cursor_.take();
        arguments();
        continue;
      }
      if (at_qualifier()) {
        cursor_.take();
        continue;
      }
      if (kNarrow.count(word) > 0 && !cursor_.is_symbol("*", 1)) {
        cursor_.fail(fmt::format("'{}' is narrower than 32 bits", word),
                     "use int, unsigned or a 64-bit type", cursor_.peek().at);
      }
      const auto known = kTypes.find(word);
      if (known == kTypes.end()) {
        if (any) break;
        result.automatic = word == "auto";
        result.is_void = word == "void";
        result.other = !result.automatic && !result.is_void;
        any = true;
        cursor_.take();
        skip_template();
        continue;
      }
      if (any && (result.automatic || result.is_void || result.other)) break;
      any = true;
      is_unsigned = is_unsigned || word == "unsigned";
      is_long = is_long || word == "long";
      const bool is_modifier =
          word == "unsigned" || word == "signed" || word == "long" || word == "int";
      if (!result.type || !is_modifier) result.type = known->second;
      cursor_.take();
    }
    while (cursor_.is_symbol("*") || cursor_.is_symbol("&")) {
      cursor_.take();
      result.type.reset();
      result.other = true;
      while (kQualifiers.count(cursor_.peek().text) > 0) cursor_.take();
    }
    if (result.type && is_long) result.type = Type::i64;
    if (result.type && is_unsigned) result.type = is_long ? Type::u64 : Type::u32;
    return result;
  }

  // ---- statements -------------------------------------------------------------------------

  void statement(std::vector<Statement>& into) {
    const DepthGuard guard(depth_, cursor_.peek().at);
    const Token first = cursor_.peek();
    if (cursor_.take_symbol(";")) return;
    if (cursor_.is_symbol("{")) {
      Statement block;
      block.kind = Statement::Kind::branch;
      block.at = first.at;
      block.value = make_number(1, Type::boolean, first.at);
      block.body = braces();
      into.push_back(std::move(block));
      return;
    }
    if (first.kind == Token::Kind::name) {
      if (first.text == "if") return branch(into);
      if (first.text == "while") return loop(into);
      if (first.text == "for") return counted(into);
      if (first.text == "return") return give_back(into);
      for (const std::string_view word :
           {"break", "continue", "do", "switch", "goto", "struct", "using", "namespace", "typedef",
            "class", "asm", "try", "throw"}) {
        if (first.text == word)
          cursor_.unsupported(fmt::format("'{}' is not part of an order", word), first.at);
      }
      if (at_type()) return declaration(into);
    }
    simple(into);
    end_statement("the statement");
  }

  /// ';', which may be left out at the end of the text.
  void end_statement(std::string_view after) {
    if (!cursor_.at_end()) cursor_.expect_symbol(";", after);
  }

  std::vector<Statement> braces() {
    cursor_.expect_symbol("{", "the header");
    std::vector<Statement> body;
    while (!cursor_.is_symbol("}")) {
      if (cursor_.at_end()) cursor_.unexpected("'}'");
      statement(body);
    }
    cursor_.take();
    return body;
  }

  std::vector<Statement> body() {
    if (cursor_.is_symbol("{")) return braces();
    std::vector<Statement> single;
    statement(single);
    return single;
  }

  void branch(std::vector<Statement>& into) {
    Statement result;
    result.kind = Statement::Kind::branch;
    result.at = cursor_.take().at;
    cursor_.take_name("constexpr");
    result.value = condition();
    result.body = body();
    if (cursor_.take_name("else")) result.otherwise = body();
    into.push_back(std::move(result));
  }

  ExpressionPtr condition() {
    cursor_.expect_symbol("(", "the keyword");
    ExpressionPtr value = expression();
    cursor_.expect_symbol(")", "the condition");
    return value;
  }

  void loop(std::vector<Statement>& into) {
    Statement result;
    result.kind = Statement::Kind::loop;
    result.at = cursor_.take().at;
    result.value = condition();
    result.body = body();
    into.push_back(std::move(result));
  }

  /// for (a; b; c) body  becomes  { a; while (b) { body; c; } }
  void counted(std::vector<Statement>& into) {
    Statement scope;
    scope.kind = Statement::Kind::branch;
    scope.at = cursor_.take().at;
    scope.value = make_number(1, Type::boolean, scope.at);
    cursor_.expect_symbol("(", "'for'");
    if (!cursor_.take_symbol(";")) {
      if (at_type()) {
        declaration(scope.body);
      } else {
        simple(scope.body);
        cursor_.expect_symbol(";", "the first part of 'for'");
      }
    }
    Statement repeat;
    repeat.kind = Statement::Kind::loop;
    repeat.at = scope.at;
    if (cursor_.is_symbol(";")) cursor_.unexpected("a condition in 'for'");
    repeat.value = expression();
    cursor_.expect_symbol(";", "the condition of 'for'");
    std::vector<Statement> step;
    while (!cursor_.is_symbol(")")) {
      simple(step);
      if (!cursor_.take_symbol(",")) break;
    }
    cursor_.expect_symbol(")", "the last part of 'for'");
    Statement inner;
    inner.kind = Statement::Kind::branch;
    inner.at = scope.at;
    inner.value = scope.value;
    inner.body = body();
    repeat.body.push_back(std::move(inner));
    for (Statement& part : step) repeat.body.push_back(std::move(part));
    scope.body.push_back(std::move(repeat));
    into.push_back(std::move(scope));
  }

  void give_back(std::vector<Statement>& into) {
    Statement result;
    result.kind = Statement::Kind::give_back;
    result.at = cursor_.take().at;
    if (cursor_.is_symbol("{")) {
      cursor_.take();
      result.value = make_of(Expression::Kind::tuple, list_until("}"), result.at);
    } else if (!cursor_.is_symbol(";")) {
      result.value = expression();
    }
    cursor_.expect_symbol(";", "'return'");
    into.push_back(std::move(result));
  }

  void declaration(std::vector<Statement>& into) {
    const ReadType read = type();
    do {
      const Token name = cursor_.peek();
      if (name.kind != Token::Kind::name || name.text.find('.') != std::string::npos) {
        cursor_.unexpected("a name after the type");
      }
      cursor_.take();
      if (cursor_.is_symbol("(")) {
        into.push_back(function(name, read.type));
        return;
      }
      if (cursor_.is_symbol("[")) cursor_.unsupported("arrays are not part of an order", name.at);
      if (read.other || read.is_void) {
        cursor_.unsupported(fmt::format("'{}' is not declared as an integer", name.text), name.at);
      }
      Statement result;
      result.at = name.at;
      result.targets = {Target{name.text, read.type, name.at}};
      result.kind = Statement::Kind::declare;
      if (cursor_.take_symbol("=")) {
        result.kind = Statement::Kind::assign;
        result.value = expression();
      } else if (cursor_.take_symbol("{")) {
        result.kind = Statement::Kind::assign;
        result.value = expression();
        cursor_.expect_symbol("}", "the value");
      }
      into.push_back(std::move(result));
    } while (cursor_.take_symbol(","));
    end_statement("the declaration");
  }

  Statement function(const Token& name, std::optional<Type> returns) {
    Statement result;
    result.kind = Statement::Kind::define;
    result.at = name.at;
    result.name = name.text;
    result.targets = {Target{name.text, returns, name.at}};  // what it returns
    cursor_.take();
    while (!cursor_.is_symbol(")")) {
      const ReadType read = type();
      if (cursor_.is_symbol(")")) break;  // f(void)
      Parameter parameter;
      parameter.declared = read.type;
      if (cursor_.peek().kind != Token::Kind::name) cursor_.unexpected("a parameter name");
      parameter.name = cursor_.take().text;
      if (cursor_.take_symbol("=")) parameter.standard = expression();
      result.parameters.push_back(std::move(parameter));
      if (!cursor_.take_symbol(",")) break;
    }
    cursor_.expect_symbol(")", "the parameters");
    result.body = braces();
    return result;
  }

  void simple(std::vector<Statement>& into) {
    const Token first = cursor_.peek();
    Statement result;
    result.at = first.at;
    result.kind = Statement::Kind::assign;
    if (cursor_.is_symbol("++") || cursor_.is_symbol("--")) {
      cursor_.take();
      const Token name = cursor_.peek();
      if (name.kind != Token::Kind::name) cursor_.unexpected("a name");
      cursor_.take();
      return step(result, name, first.text, into);
    }
    const bool assigns =
        first.kind == Token::Kind::name && cursor_.peek(1).kind == Token::Kind::symbol;
    const std::string sign = assigns ? cursor_.peek(1).text : "";
    if (sign == "++" || sign == "--") {
      cursor_.take();
      cursor_.take();
      return step(result, first, sign, into);
    }
    const bool augmented = sign.size() >= 2 && sign.back() == '=' &&
                           find_level(sign.substr(0, sign.size() - 1)) && !find_level(sign);
    if (sign == "=" || augmented) {
      cursor_.take();
      cursor_.take();
      result.targets = {Target{first.text, std::nullopt, first.at}};
      if (augmented) result.augmented = find_level(sign.substr(0, sign.size() - 1))->operation;
      result.value = expression();
      if (cursor_.is_symbol("="))
        cursor_.unsupported("one assignment at a time", cursor_.peek().at);
      into.push_back(std::move(result));
      return;
    }
    result.kind = Statement::Kind::evaluate;
    result.value = expression();
    into.push_back(std::move(result));
  }

  void step(Statement& result, const Token& name, const std::string& sign,
            std::vector<Statement>& into) {
    result.targets = {Target{name.text, std::nullopt, name.at}};
    result.augmented = sign == "++" ? Operation::add : Operation::subtract;
    result.value = make_number(1, Type::i32, name.at);
    into.push_back(std::move(result));
  }

  // ---- expressions ------------------------------------------------------------------------

  ExpressionPtr expression() {
    const DepthGuard guard(depth_, cursor_.peek().at);
    ExpressionPtr value = binary(kLogicalOr);
    if (!cursor_.is_symbol("?")) return value;
    const Position at = cursor_.take().at;
    ExpressionPtr then = expression();
    cursor_.expect_symbol(":", "the middle of '? :'");
    return make_of(Expression::Kind::conditional, {value, then, expression()}, at);
  }

  ExpressionPtr binary(int least) {
    ExpressionPtr left = unary();
    while (true) {
      const Token& token = cursor_.peek();
      if (token.kind != Token::Kind::symbol) return left;
      const bool either = token.text == "||";
      if (either || token.text == "&&") {
        const int precedence = either ? kLogicalOr : kLogicalAnd;
        if (precedence < least) return left;
        const Position at = cursor_.take().at;
        left = make_of(either ? Expression::Kind::logical_or : Expression::Kind::logical_and,
                       {left, binary(precedence + 1)}, at);
        continue;
      }
      const Level* level = find_level(token.text);
      if (level == nullptr || level->precedence < least) return left;
      const Position at = cursor_.take().at;
      left = make_binary(level->operation, left, binary(level->precedence + 1), at);
    }
  }

  ExpressionPtr unary() {
    const DepthGuard guard(depth_, cursor_.peek().at);
    const Position at = cursor_.peek().at;
    if (cursor_.take_symbol("-")) return make_unary(Operation::negate, unary(), at);
    if (cursor_.take_symbol("~")) return make_unary(Operation::bit_not, unary(), at);
    if (cursor_.take_symbol("!")) return make_unary(Operation::logical_not, unary(), at);
    if (cursor_.take_symbol("+")) return unary();
    const std::string& inside = cursor_.peek(1).text;
    if (cursor_.is_symbol("(") &&
        (kTypes.count(inside) > 0 || kNarrow.count(inside) > 0 || inside == "const")) {
      cursor_.take();
      const ReadType read = type();
      cursor_.expect_symbol(")", "the type");
      return cast_to(read, unary(), at);
    }
    return primary();
  }

  ExpressionPtr cast_to(const ReadType& read, ExpressionPtr value, Position at) {
    if (!read.type) cursor_.unsupported("a cast to something that is no integer", at);
    Expression result;
    result.kind = Expression::Kind::cast;
    result.at = at;
    result.type = *read.type;
    result.arguments = {std::move(value)};
    return make_expression(std::move(result));
  }

  std::vector<ExpressionPtr> list_until(std::string_view closing) {
    std::vector<ExpressionPtr> result;
    while (!cursor_.is_symbol(closing)) {
      result.push_back(expression());
      if (!cursor_.take_symbol(",")) break;
    }
    cursor_.expect_symbol(closing, "the arguments");
    return result;
  }

  std::vector<ExpressionPtr> arguments() {
    cursor_.expect_symbol("(", "the name");
    return list_until(")");
  }

  ExpressionPtr primary() {
    const Token token = cursor_.peek();
    if (token.kind == Token::Kind::number) return number();
    if (token.kind == Token::Kind::name) return name_or_call();
    if (cursor_.take_symbol("(")) {
      ExpressionPtr inner = expression();
      cursor_.expect_symbol(")", "the expression");
      return inner;
    }
    cursor_.unexpected("a number, a name or '('");
  }

  ExpressionPtr number() {
    const Token token = cursor_.take();
    const bool fits31 = token.value <= 0x7fffffffU;
    const bool fits32 = token.value <= 0xffffffffU;
    const bool fits63 =
        token.value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    Type type = Type::u64;
    if (!token.is_unsigned && !token.is_wide && fits31)
      type = Type::i32;
    else if (!token.is_wide && fits32 && (token.is_unsigned || !token.is_decimal))
      type = Type::u32;
    else if (!token.is_unsigned && fits63)
      type = Type::i64;
    return make_number(static_cast<std::int64_t>(token.value), type, token.at);
  }

  ExpressionPtr name_or_call() {
    const Token token = cursor_.take();
    if (token.text == "true") return make_number(1, Type::boolean, token.at);
    if (token.text == "false") return make_number(0, Type::boolean, token.at);
    if (token.text == "static_cast" && cursor_.take_symbol("<")) {
      const ReadType read = type();
      cursor_.expect_symbol(">", "the type");
      return cast_to(read, wrapped_value(), token.at);
    }
    const auto known = kTypes.find(token.text);
    if (known != kTypes.end() && cursor_.is_symbol("(")) {
      ReadType read;
      read.type = known->second;
      return cast_to(read, wrapped_value(), token.at);
    }
    if (cursor_.is_symbol("<") && (token.text == "std::min" || token.text == "std::max"))
      skip_template();
    if (cursor_.is_symbol("(")) {
      static const std::set<std::string_view> kVectors = {"dim3",       "int2",      "int3",
                                                          "make_int2",  "make_int3", "make_uint2",
                                                          "make_uint3", "uint2",     "uint3"};
      std::vector<ExpressionPtr> given = arguments();
      if (kVectors.count(token.text) > 0)
        return make_of(Expression::Kind::tuple, std::move(given), token.at);
      return make_call(token.text, std::move(given), token.at);
    }
    if (cursor_.is_symbol("["))
      cursor_.unsupported("indexing is not part of an order", cursor_.peek().at);
    Expression name;
    name.kind = Expression::Kind::name;
    name.at = token.at;
    name.text = token.text;
    return make_expression(std::move(name));
  }

  ExpressionPtr wrapped_value() {
    cursor_.expect_symbol("(", "the type");
    ExpressionPtr value = expression();
    cursor_.expect_symbol(")", "the value");
    return value;
  }

  Cursor cursor_;
  int depth_ = 0;
};

}  // namespace

Module parse_c_like(std::string_view text) {
  return Parser(text).module();
}

}  // namespace heddle::order
