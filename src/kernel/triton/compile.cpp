#include "kernel/triton/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/arithmetic.h"
#include "kernel/provenance.h"
#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

class Binding {
 public:
  Binding(Lowering& lowering, Builder& builder, const config::Launch& launch)
      : lowering_(lowering), builder_(builder), launch_(launch) {}

  /// The argument as a term: tensors become parameters, scalars run-time constants.
  Term bound(std::size_t argument, const SignatureEntry& entry, bool specialized) {
    const config::Argument& given = launch_.arguments[argument];
    // `x: tl.int64` fixes the type of a scalar; otherwise an integer of 1 is a constexpr to Triton.
    annotation_ = config::dtype_from_text(entry.annotation);
    one_is_constexpr_ = !annotation_ && !given.dtype && specialized;
    return bound(given.value, given, argument, -1, entry.is_constexpr || given.is_constexpr);
  }
  Term bound_global(std::size_t argument) {
    const config::Argument& given = launch_.arguments[argument];
    return bound(given.value, given, argument, -1, true);
  }

 private:
  Term bound(const config::Value& value, const config::Argument& given, std::size_t argument,
             int element, bool is_constexpr) {
    if (const auto* tensor = std::get_if<config::TensorReference>(&value.data))
      return tensor_term(launch_.tensors.at(tensor->index), given.name, argument, element);
    if (const auto* list = std::get_if<config::ValueList>(&value.data)) {
      std::vector<Term> items;
      for (const config::Value& item : *list)
        items.push_back(bound(item, given, argument, static_cast<int>(items.size()), is_constexpr));
      return tuple_term(std::move(items));
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
      if (text->rfind("tl.", 0) == 0)
        if (const auto type = config::dtype_from_text(text->substr(3)))
          return Term{TypeTerm{Type{*type, false, {}}}};
      return text_term(*text);
    }
    Term number{None{}};
    if (const auto* flag = std::get_if<bool>(&value.data)) number = Term{*flag};
    if (const auto* integer = std::get_if<std::int64_t>(&value.data))
      number = integer_term(*integer);
    if (const auto* real = std::get_if<double>(&value.data)) number = Term{*real};
    if (number.is_none() || is_constexpr) return number;
    if (one_is_constexpr_ && number.as<Integer>() != nullptr && *number.as<Integer>() == 1)
      return number;
    return Term{RuntimeValue{scalar(number, given)}};
  }

  /// Triton passes integers as int32 where they fit, floats as fp32.
  ValueId scalar(const Term& number, const config::Argument& given) {
    if (const auto type = given.dtype ? given.dtype : annotation_)
      return lowering_.value_as(number, *type);
    if (number.as<bool>() != nullptr) return lowering_.value_as(number, DType::boolean);
    if (number.as<double>() != nullptr) return lowering_.value_as(number, DType::float32);
    const Integer value = *number.integer();
    if (fits(value, DType::int32)) return builder_.constant(DType::int32, value);
    return builder_.constant(fits(value, DType::int64) ? DType::int64 : DType::uint64, value);
  }

  Term tensor_term(const config::Tensor& tensor, const std::string& name, std::size_t argument,
                   int element) {
    Parameter parameter;
    parameter.name = element < 0 ? name : fmt::format("{}[{}]", name, element);
    parameter.argument = argument;
    parameter.element = element;
    auto& parameters = builder_.program().parameters;
    parameter.value = builder_.emit(Opcode::parameter, {}, Type{tensor.dtype, true, {}},
                                    {static_cast<std::int64_t>(parameters.size())});
    parameters.push_back(parameter);
    if (tensor.block.empty()) return Term{RuntimeValue{parameter.value}};
    if (tensor.block.size() != tensor.shape.size())
      throw Error(fmt::format("the block of tensor '{}' has {} extents, its shape {}", tensor.name,
                              tensor.block.size(), tensor.shape.size()),
                  "give one extent per axis in the job");
    BlockPointer place;
    place.base = parameter.value;
    for (const std::int64_t size : tensor.shape)
      place.sizes.push_back(builder_.constant(DType::int64, Integer{size}));
    for (const std::int64_t stride : tensor.strides)
      place.strides.push_back(builder_.constant(DType::int64, Integer{stride}));
    place.block = tensor.block;
    return Term{std::make_shared<const Descriptor>(Descriptor{std::move(place)})};
  }

  Lowering& lowering_;
  Builder& builder_;
  const config::Launch& launch_;
  // Of the parameter that is being bound.
  std::optional<DType> annotation_;
  bool one_is_constexpr_ = true;
};

/// @triton.jit(do_not_specialize=["n", 3]): by name or number.
bool is_specialized(const Node& definition, std::size_t number, const std::string& name) {
  for (const Node& decorator : definition.list("decorator_list")) {
    for (const Node& keyword : decorator.list("keywords")) {
      if (keyword.text != "do_not_specialize") continue;
      for (const Node& item : keyword.at("value").list("elts"))
        if (item.text ==
            (item.constant == ConstantKind::integer ? fmt::format("{:#x}", number) : name))
          return false;
    }
  }
  return true;
}

/// Arguments that name neither a parameter nor a global of the kernel's file.
void refuse_strangers(const config::Launch& launch, const std::vector<SignatureEntry>& parameters,
                      const Module& module, const Node& definition) {
  for (const config::Argument& given : launch.arguments) {
    const bool known =
        std::any_of(parameters.begin(), parameters.end(),
                    [&](const SignatureEntry& entry) { return entry.name == given.name; });
    const bool global =
        module.constants.count(given.name) != 0 || module.imports.count(given.name) != 0;
    if (known || global || given.is_constexpr) continue;
    std::vector<std::string> names;
    for (const SignatureEntry& entry : parameters) names.push_back(entry.name);
    throw Error(fmt::format("the kernel '{}' has no parameter '{}'", definition.text, given.name),
                fmt::format("its parameters are: {}; names for expressions only belong to [sizes]",
                            fmt::join(names, " ")))
        .at(module.path, definition.begin);
  }
}

/// Defaults of parameters that are no constexprs: run-time scalars, as if they had been passed.
void add_defaults(Lowering& lowering, const config::Launch& launch,
                  const std::vector<SignatureEntry>& parameters, NamedTerms& keywords) {
  for (const SignatureEntry& entry : parameters) {
    const bool open = launch.find(entry.name) == nullptr && entry.default_value != nullptr;
    if (!open || entry.is_constexpr) continue;
    try {
      const Term term = lowering.evaluate_constant(*lowering.frame().module, *entry.default_value);
      const auto* integer = term.as<Integer>();
      if (term.is_number() && (integer == nullptr || *integer != 1))
        keywords.emplace_back(entry.name, lowering.sanitized(term));
    } catch (const Error&) {
      // Matters only if the kernel looks at it: then it is told.
    }
  }
}

KernelProgram compile_kernel(TritonSource& source, const config::Launch& launch,
                             const Node& definition) {
  const Module& module = source.main();
  KernelProgram program;
  program.source_path = module.path;
  program.function = definition.text;
  program.full_name = definition.text;
  Builder builder(program);
  Lowering lowering(source, &builder);
  Frame frame;
  frame.module = &module;
  frame.function = definition.text;
  lowering.set_frame(&frame);
  builder.set_place(lowering.place(definition));
  const std::vector<SignatureEntry> parameters = signature(definition);
  refuse_strangers(launch, parameters, module, definition);
  Binding binding(lowering, builder, launch);
  std::vector<Term> positional;
  NamedTerms keywords;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const config::Argument& given = launch.arguments[i];
    const auto entry =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const SignatureEntry& one) { return one.name == given.name; });
    if (entry != parameters.end())
      keywords.emplace_back(
          given.name,
          binding.bound(
              i, *entry,
              is_specialized(definition, static_cast<std::size_t>(entry - parameters.begin()),
                             given.name)));
    else {
      lowering.set_global(module, given.name, binding.bound_global(i));
      program.defines.push_back(fmt::format("{}={}", given.name, config::value_text(given.value)));
    }
  }
  for (const SignatureEntry& entry : parameters) {
    if (launch.find(entry.name) != nullptr || entry.default_value != nullptr) continue;
    throw Error(fmt::format("the job gives no value for the parameter '{}'", entry.name),
                entry.is_constexpr ? fmt::format("add {} under [constexprs]", entry.name)
                                   : fmt::format("add [tensors.{}], or {} under [scalars]",
                                                 entry.name, entry.name))
        .at(module.path, definition.begin);
  }
  add_defaults(lowering, launch, parameters, keywords);
  lowering.inline_function(FunctionTerm{&module, &definition}, positional, keywords, definition);
  builder.finish();
  find_provenance(program);
  count_arithmetic(program);
  return program;
}

}  // namespace

KernelProgram compile(TritonSource& source, const config::Launch& launch) {
  const Node& definition = source.kernel(launch.function);
  const Module& module = source.main();
  source.target = launch.target;
  try {
    return compile_kernel(source, launch, definition);
  } catch (const Error& error) {
    if (!error.source().empty()) throw;
    throw error.at(module.path, definition.begin);
  }
}

}  // namespace heddle::kernel::triton
