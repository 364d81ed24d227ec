#include "kernel/cxx/language.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/cxx/block_uses.h"
#include "kernel/cxx/compile.h"
#include "kernel/cxx/index_lines.h"
#include "kernel/cxx/job_guess.h"
#include "kernel/cxx/patch/patch.h"
#include "kernel/cxx/runtime_text.h"
#include "kernel/cxx/tile_uses.h"
#include "kernel/cxx/type_book.h"
#include "kernel/cxx/value_type.h"

namespace heddle::kernel::cxx {
namespace {

/// A parameter's type says what it is.
config::SkeletonParameter skeleton_of(const CxxParameter& parameter, const CxxFunction& function,
                                      const TypeBook& types) {
  const std::string written = types.resolved(parameter.type);
  const ValueType type = value_type(written);
  const auto& open = function.template_parameters;
  const bool is_open = std::any_of(open.begin(), open.end(), [&](const std::string& one) {
    return one == "typename " + type.name || one == "class " + type.name;
  });
  config::SkeletonParameter entry;
  entry.name = parameter.name;
  entry.annotation = parameter.type;
  if (type.element) entry.dtype = config::dtype_text(*type.element);
  if (type.pointers == 0) {
    const bool is_number = type.element && type.elements <= 1;
    if (!is_number && !is_open && types.is_enum(written)) {
      entry.guess = config::ParameterGuess::scalar;
      entry.value = "0";
      return entry;
    }
    if (!is_number && !is_open) {
      entry.members = types.members(written);
      entry.value = "{}";  // all bytes zero
      entry.guess = config::ParameterGuess::scalar;
      return entry;
    }
    const auto by_name = config::guess_parameter({parameter.name}, {});
    entry.guess =
        by_name == config::ParameterGuess::stride ? by_name : config::ParameterGuess::scalar;
    return entry;
  }
  entry.guess = config::ParameterGuess::pointer;
  if (type.pointers > 1) {
    entry.dtype = "int64";
    entry.remark = "pointers; add contents = \"addresses(...)\"";
  } else if (!type.element) {
    entry.dtype = type.name == "void" ? "uint8" : "fp32";
    entry.remark = "guess: " + type.name;
  } else if (type.elements > 1) {
    entry.remark = fmt::format("{}: the shape counts single numbers", type.name);
  }
  return entry;
}

class CxxFile final : public Source {
 public:
  CxxFile(const std::string& path, std::optional<std::string> text)
      : source_(text ? std::make_unique<CxxSource>(path, std::move(*text))
                     : std::make_unique<CxxSource>(path)) {}

  const Language& language() const override { return cxx::language(); }
  const std::string& path() const override { return source_->path(); }
  const std::string& text() const override { return source_->text(); }

  std::vector<KernelName> kernels() const override {
    std::vector<KernelName> names;
    for (const CxxFunction& function : source_->kernels())
      names.push_back({function.scope + function.name, function.position});
    return names;
  }

  KernelName find(const std::string& function) const override {
    const CxxFunction& found = source_->kernel(function);
    return {found.scope + found.name, found.position};
  }

  config::SkeletonInput signature(const std::string& name) override {
    const CxxFunction& function = launched_kernel(*source_, name);
    config::SkeletonInput input;
    input.has_threads = true;
    input.constexprs_are_macros = true;
    input.function = function.scope + function.name;
    if (function.is_overloaded) input.signature = signature_of(function);
    if (const std::size_t open = function.scope.find("<>"); open != std::string::npos) {
      input.function = function.scope.substr(0, open);
      input.signature = function.scope.substr(open + 2) + function.name + input.signature;
    }
    input.template_parameters = function.template_parameters;
    const TypeBook types(*source_);
    for (const CxxParameter& parameter : function.parameters)
      input.parameters.push_back(skeleton_of(parameter, function, types));
    guess_launch(*source_, function, types, input);
    return input;
  }

  std::vector<ConfigValues> configs(const std::string&, const config::Target&) override {
    return {};
  }

  NamedLaunch launch(const config::Job& job) override { return launch_of(*source_, job); }

  KernelProgram compile(const config::Launch& launch) override { return compiler_.compile(launch); }
  KernelProgram read_index(const config::Launch& launch) override {
    return uncompiled(*source_, launch, compiler_.last());
  }
  bool compiles_quickly(const config::Launch& launch) const override {
    return compiler_.is_compiled(launch);
  }

  std::unique_ptr<IndexUses> index_uses(const std::string& function,
                                        const std::vector<std::string>& constants) override {
    return std::make_unique<BlockUses>(*source_, function, constants);
  }

  std::unique_ptr<TileUses> tile_uses(const config::Launch& launch,
                                      const std::vector<TileVariable>& variables) override {
    return std::make_unique<CxxTileUses>(*source_, launch, variables);
  }

  IndexLines index_lines(const std::string& function) override {
    return find_index_lines(*source_, function);
  }

  const CxxSource& source() const { return *source_; }

 private:
  std::unique_ptr<const CxxSource> source_;
  Compiler compiler_{*source_};
};

class Cxx final : public Language {
 public:
  std::string name() const override { return "C++"; }
  std::string_view comment() const override { return "//"; }
  bool claims(const std::string& path) const override { return is_cxx_path(path); }
  std::unique_ptr<Source> open(const std::string& path,
                               std::optional<std::string> text) const override {
    return std::make_unique<CxxFile>(path, std::move(text));
  }
  std::unique_ptr<Patch> patch(Source& before, Source& after) const override {
    return make_patch(dynamic_cast<CxxFile&>(before).source(),
                      dynamic_cast<CxxFile&>(after).source());
  }
  /// The same for both vendors; the GPU decides which compiler it needs.
  RuntimeForm runtime_form(config::Vendor vendor) const override {
    if (vendor == config::Vendor::amd) return {"hip", ".hip", false};
    return {"cuda", ".cu", false};
  }
  std::string runtime_text(const RuntimeSource& source) const override {
    return cxx::runtime_text(source.path, source.text, source.name);
  }
};

}  // namespace

const Language& language() {
  static const Cxx cxx;
  return cxx;
}

NamedLaunch launch_of(const CxxSource& source, const config::Job& job) {
  if (job.launch.find("threads") == job.launch.end())
    throw Error("the job does not say how many threads a block has", "add [launch] threads = 256")
        .in(job.path);
  if (!std::holds_alternative<std::monostate>(job.config))
    throw Error("a C++ kernel has no configs", "leave out 'config', and write its values down")
        .at(job.path, job.config_position);
  NamedLaunch result;
  config::Arguments arguments = config::resolve_arguments(job, {});
  result.names = arguments.names;
  result.launch = config::make_launch(job, std::move(arguments), {});
  if (result.launch.function.empty()) {
    const CxxFunction& function = source.kernel("");
    result.launch.function = function.scope + function.name;
  }
  return result;
}

}  // namespace heddle::kernel::cxx
