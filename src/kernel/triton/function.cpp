// Functions: their arguments, their bodies, what they return.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::int64_t kUnitsOfCall = 20;

/// True if a return stands inside an if or a loop.
bool returns_inside(const std::vector<Node>& list, bool inside) {
  for (const Node& node : list) {
    if (node.is("Return") && inside) return true;
    for (const char* field : {"body", "orelse"})
      if (!node.is("FunctionDef") && returns_inside(node.list(field), true)) return true;
  }
  return false;
}

}  // namespace

void Lowering::return_statement(const Node& node) {
  const Term value = node.has("value") ? expression(node.at("value")) : Term{None{}};
  if (frame_->regions == 0 && !frame_->has_registers) {
    frame_->result = value;
    return;
  }
  const std::vector<ValueId> from = leaves(value);
  if (!frame_->has_registers) {
    frame_->has_registers = true;
    std::vector<ValueId> registers;
    for (const ValueId leaf : from) registers.push_back(builder().new_value(builder().type(leaf)));
    frame_->result = with_leaves(value, registers);
  }
  const std::vector<ValueId> to = leaves(*frame_->result);
  if (to.size() != from.size())
    fail(node, "the returns of this function give different types", "return the same everywhere");
  for (std::size_t i = 0; i < to.size(); ++i) {
    const Type wanted = builder().type(to[i]);
    builder().copy(to[i],
                   builder().splat_or_broadcast(builder().cast(from[i], wanted), wanted.shape));
  }
  builder().emit_plain(Opcode::leave, {}, {1});
}

void Lowering::bind_arguments(Frame& frame, const FunctionTerm& function,
                              std::vector<Term> positional, NamedTerms keywords, const Node& call) {
  const Node& definition = *function.definition;
  const std::vector<SignatureEntry> parameters = signature(definition);
  const bool takes_rest = definition.at("args").has("vararg");
  if (positional.size() > parameters.size() && !takes_rest)
    fail(call,
         fmt::format("'{}' takes {} arguments, not {}", definition.text, parameters.size(),
                     positional.size()),
         "check the call");
  for (std::size_t i = 0; i < positional.size() && i < parameters.size(); ++i)
    frame.names[parameters[i].name] = positional[i];
  if (takes_rest) {
    std::vector<Term> rest;
    for (std::size_t i = parameters.size(); i < positional.size(); ++i)
      rest.push_back(positional[i]);
    frame.names[definition.at("args").at("vararg").text] = tuple_term(std::move(rest));
  }
  for (const auto& keyword : keywords) {
    const std::string& name = keyword.first;
    const bool exists =
        std::any_of(parameters.begin(), parameters.end(),
                    [&](const SignatureEntry& entry) { return entry.name == name; });
    if (!exists)
      fail(call, fmt::format("'{}' has no parameter '{}'", definition.text, name),
           "check the call");
    frame.names[name] = keyword.second;
  }
  for (const SignatureEntry& entry : parameters) {
    if (frame.names.count(entry.name) != 0) {
      Term& term = frame.names[entry.name];
      // A scalar that is known may be meant as a constexpr.
      if (const auto* run_time = term.as<RuntimeValue>(); entry.is_constexpr && run_time != nullptr)
        if (const auto known = builder().known(run_time->id)) term = *known;
      continue;
    }
    if (entry.default_value == nullptr)
      fail(call, fmt::format("'{}' is called without '{}'", definition.text, entry.name),
           "give it");
    try {
      frame.names[entry.name] = evaluate_constant(*function.module, *entry.default_value);
    } catch (const Error& error) {  // matters only if the function looks at it
      frame.names.erase(entry.name);
      frame.unknown[entry.name] = error.message();
    }
  }
}

Term Lowering::inline_function(const FunctionTerm& function, std::vector<Term> positional,
                               NamedTerms keywords, const Node& call) {
  const Level level(depth_);
  const Node& definition = *function.definition;
  if (depth_ > kDepthLimit)
    fail(call,
         fmt::format("'{}' calls itself, or calls are nested too deeply",
                     definition.is("Lambda") ? "lambda" : definition.text),
         "Triton has no recursion");
  spend(kUnitsOfCall, call);
  Frame frame;
  frame.module = function.module;
  frame.function = definition.text;
  bind_arguments(frame, function, std::move(positional), std::move(keywords), call);
  struct Back {
    Frame*& frame;
    Frame* frame_before;
    Builder*& builder;
    Builder* builder_before;
    ~Back() {
      frame = frame_before;
      builder = builder_before;
    }
  } back{frame_, frame_, builder_, builder_};
  if (builder_ != nullptr && function.module->known_functions.count(&definition) != 0) {
    for (auto& [name, term] : frame.names) {
      const auto* run_time = term.as<RuntimeValue>();
      if (run_time == nullptr) continue;
      const auto known = builder_->known(run_time->id);
      if (!known)
        fail(call,
             fmt::format("'{}' of the constexpr function '{}' is not known", name, definition.text),
             "call it with constexprs");
      term = *known;
    }
    builder_ = nullptr;
  }
  frame_ = &frame;
  if (definition.is("Lambda")) return expression(definition.at("body"));
  return run_body(frame, function);
}

Term Lowering::run_body(Frame& frame, const FunctionTerm& function) {
  const Node& definition = *function.definition;
  const auto& body = definition.list("body");
  if (builder_ == nullptr || !returns_inside(body, false)) {
    statements(body);
  } else {
    const BlockId outside = builder().block();
    const BlockId inside = builder().new_block();
    builder().set_block(inside);
    statements(body);
    builder().set_block(outside);
    builder().emit_plain(Opcode::scope, {}).body = inside;
  }
  const Term result = frame.result.value_or(Term{None{}});
  // What a function of Triton returns is no constexpr any more.
  const bool is_jit = function.module->jit.count(definition.text) != 0;
  return is_jit ? sanitized(result) : result;
}

}  // namespace heddle::kernel::triton
