// heddle emit: a proven order as source code.
#include "emit/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "emit_kernel.h"
#include "emit_proof.h"
#include "order_arguments.h"
#include "output.h"
#include "support/text.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kEmitExamples = R"text(
Examples:
  heddle emit "xcd(8)"
  heddle emit "xcd(8) | group(4)" --axes 2 --lang cuda
  heddle emit "hilbert" --tile-axes 2 -o order.hip
  heddle emit "xcd(8)" --job examples/stencil_2d.toml -o stencil.patch
  heddle emit remap.py --grids 1..64x1..64 --let M=32*g0,N=32*g1,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32 --lang opencl
emit writes only a proved order: families for all sizes, formulas for the grids you give.)text";

struct EmitArguments {
  OrderArguments order;
  SizeArguments size;
  KernelArguments kernel;
  std::string language;
  EmitOutput output;
};

emit::Dialect dialect_of(const EmitArguments& arguments) {
  std::string name = arguments.language;
  if (name.empty()) {
    const std::string ending = std::filesystem::path(arguments.output.file).extension().string();
    name = ending.empty() ? "triton" : ending.substr(1);
  }
  if (const auto dialect = emit::find_dialect(lower_case(name))) return *dialect;
  throw Error(fmt::format("'{}' is not a language that orders are written in", name),
              "use --lang triton, hip, cuda, opencl or cpp");
}

ExitCode run_kernel(const EmitArguments& arguments) {
  if (!arguments.language.empty())
    throw Error("a kernel is rewritten in its own language", "leave out --lang");
  return emit_into_kernel(arguments.kernel, arguments.order, arguments.size, arguments.output);
}

ExitCode run_emit(const EmitArguments& arguments) {
  if (arguments.kernel.given()) return run_kernel(arguments);
  if (!arguments.kernel.function.empty() || !arguments.kernel.overrides.empty() ||
      arguments.kernel.assume_independent || arguments.kernel.allow_faults)
    throw Error("--function, --set, --assume-independent and --allow-faults go with a kernel",
                "add --kernel FILE or --job JOB.toml");
  emit::EmitOptions options;
  options.dialect = dialect_of(arguments);
  const SizedOrder sized = arguments.size.read(arguments.order, true);
  const order::Order& order = sized.order;
  refuse_table(order);
  if (!sized.open.empty()) throw Error(sized.open, "give --tiles and --result");
  if (!arguments.order.tiles.empty()) {
    for (const std::string_view part : order::split_extents(arguments.order.tiles))
      options.tile_extents.emplace_back(part);
    // Numbers and names mean the same in every language; other expressions are left to the kernel.
    const auto is_plain = [](const std::string& text) {
      return std::ranges::all_of(text,
                                 [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    };
    const auto& texts = options.tile_extents;
    if (!std::ranges::all_of(texts, is_plain)) options.tile_extents.clear();
  }
  const order::Bindings bindings = arguments.order.bindings();
  Question question;
  question.time_limit_s = arguments.size.time_limit_s;
  if (order.origin() == order::Order::Origin::family || arguments.size.all_sizes)
    question.all_sizes = sized.all_sizes;
  else
    question.range = sized.range;
  ExitCode code = ExitCode::good;
  const auto proven = prove_or_explain(order, bindings, question, code);
  if (!proven) return code;
  arguments.output.print(Verdict::proved, "order", emit::emit_order(*proven, options));
  return ExitCode::good;
}

}  // namespace

void add_emit(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("emit", "write a proved order as Triton, HIP, CUDA, OpenCL or C++");
  const auto arguments = std::make_shared<EmitArguments>();
  arguments->order.add_order(verb);
  arguments->size.add(verb);
  arguments->kernel.add(verb);
  verb.add_option("--lang", arguments->language,
                  "triton, hip, cuda, opencl or cpp; by default the ending of -o decides")
      .type_name("LANGUAGE");
  verb.add_flag("--json", arguments->output.json, "print the code and its verdict as JSON");
  verb.add_option("-o,--output", arguments->output.file,
                  "write to a file; its ending selects the language")
      .type_name("FILE");
  verb.footer(kEmitExamples);
  verb.callback([arguments, &outcome] {
    outcome.code = run_emit(*arguments);
    if (arguments->output.json && outcome.code != ExitCode::good)
      arguments->output.print(
          outcome.code == ExitCode::refuted ? Verdict::refuted : Verdict::unknown, "", "");
  });
}

}  // namespace heddle::tool
