#include "order/c_like_expressions.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>

namespace heddle::order {
namespace {

constexpr const char* kAccepted =
    "heddle reads integer declarations and assignments over + - * / % << >> & | ^ ~, comparisons, "
    "&& || !, c ? a : b, if/else, while, for, functions, return, min max abs, blockIdx.x, "
    "gridDim.x, hipBlockIdx_x, get_group_id(0), get_num_groups(0)";

constexpr int kLogicalOr = 1;
constexpr Level kLevels[] = {
    {"||", {}, kLogicalOr, Expression::Kind::logical_or},
    {"&&", {}, 2, Expression::Kind::logical_and},
    {"|", Operation::bit_or, 3},
    {"^", Operation::bit_xor, 4},
    {"&", Operation::bit_and, 5},
    {"==", Operation::equal, 6},
    {"!=", Operation::not_equal, 6},
    {"<", Operation::less, 7},
    {"<=", Operation::less_equal, 7},
    {">", Operation::greater, 7},
    {">=", Operation::greater_equal, 7},
    {"<<", Operation::shift_left, 8},
    {">>", Operation::shift_right, 8},
    {"+", Operation::add, 9},
    {"-", Operation::subtract, 9},
    {"*", Operation::multiply, 10},
    {"/", Operation::divide, 10},
    {"%", Operation::remainder, 10},
};

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

}  // namespace

CLikeExpressions::CLikeExpressions(std::string_view text)
    : Parser(Cursor(read_tokens(text, Language::c_like), kAccepted), kLevels) {}

bool CLikeExpressions::at_qualifier() const {
  return cursor_.peek().kind == Token::Kind::name && kQualifiers.count(cursor_.peek().text) > 0 &&
         cursor_.peek(1).kind == Token::Kind::name;
}

bool CLikeExpressions::at_type() const {
  const Token& token = cursor_.peek();
  if (token.kind != Token::Kind::name) return false;
  if (at_qualifier() || kTypes.count(token.text) > 0 || kNarrow.count(token.text) > 0) return true;
  if (token.text == "auto" || token.text == "void" || token.text == "template") return true;
  // An unknown type such as `dim3 f(` or `float* x`: a name followed by a name or by '*' name.
  const bool pointer = cursor_.is_symbol("*", 1) && cursor_.peek(2).kind == Token::Kind::name &&
                       (cursor_.is_symbol(",", 3) || cursor_.is_symbol(")", 3));
  return token.text != "return" && token.text != "else" &&
         (pointer || cursor_.peek(1).kind == Token::Kind::name);
}

void CLikeExpressions::skip_template() {
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

CLikeExpressions::ReadType CLikeExpressions::type() {
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

ExpressionPtr CLikeExpressions::expression() {
  const DepthGuard guard(depth_, cursor_.peek().at);
  ExpressionPtr value = binary(kLogicalOr);
  if (!cursor_.is_symbol("?")) return value;
  const Position at = cursor_.take().at;
  ExpressionPtr then = expression();
  cursor_.expect_symbol(":", "the middle of '? :'");
  return make_of(Expression::Kind::conditional, {value, then, expression()}, at);
}

ExpressionPtr CLikeExpressions::unary() {
  const DepthGuard guard(depth_, cursor_.peek().at);
  const Position at = cursor_.peek().at;
  if (ExpressionPtr signed_value = sign()) return signed_value;
  if (cursor_.take_symbol("!")) return make_unary(Operation::logical_not, unary(), at);
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

ExpressionPtr CLikeExpressions::cast_to(const ReadType& read, ExpressionPtr value, Position at) {
  if (!read.type) cursor_.unsupported("a cast to something that is not an integer", at);
  return make_cast(*read.type, std::move(value), at);
}

std::vector<ExpressionPtr> CLikeExpressions::arguments() {
  cursor_.expect_symbol("(", "the name");
  return list_until(")");
}

ExpressionPtr CLikeExpressions::number() {
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

ExpressionPtr CLikeExpressions::name_or_call() {
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
  return make_name(token.text, token.at);
}

ExpressionPtr CLikeExpressions::wrapped_value() {
  cursor_.expect_symbol("(", "the type");
  ExpressionPtr value = expression();
  cursor_.expect_symbol(")", "the value");
  return value;
}

}  // namespace heddle::order
