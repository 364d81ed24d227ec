#include "order/parse_c_like.h"

#include <fmt/format.h>

#include "order/c_like_expressions.h"

namespace heddle::order {
namespace {

/// Statements.
class CLikeParser final : CLikeExpressions {
 public:
  explicit CLikeParser(std::string_view text) : CLikeExpressions(text) {}

  Module module() {
    Module module;
    module.language = Language::c_like;
    while (!cursor_.at_end()) statement(module.statements);
    return module;
  }

 private:
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
    if (assigns) result.augmented = augmented_by(cursor_.peek(1));
    if (sign == "=" || result.augmented) {
      cursor_.take();
      cursor_.take();
      result.targets = {Target{first.text, std::nullopt, first.at}};
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
};

}  // namespace

Module parse_c_like(std::string_view text) {
  return CLikeParser(text).module();
}

}  // namespace heddle::order
