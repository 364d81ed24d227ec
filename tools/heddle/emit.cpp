// heddle emit: a proven order as source code.
#include "emit/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "order_arguments.h"
#include "output.h"
#include "report/check_report.h"
#include "support/text.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kExamples = R"text(
Examples:
  heddle emit "xcd(8)"
  heddle emit "xcd(8) | group(4)" --axes 2 --lang cuda
  heddle emit "hilbert" --tile-axes 2 -o order.hip
  heddle emit remap.py --grids 1..64x1..64 --let M=32*g0,N=32*g1,BLOCK_SIZE_M=32,BLOCK_SIZE_N=32 --lang opencl
Only a proved order is written: families for all sizes, formulas for the grids you give.)text";

struct Arguments {
  OrderArguments order;
  SizeArguments size;
  std::string language;
  std::string file;
};

emit::Dialect dialect_of(const Arguments& arguments) {
  std::string name = arguments.language;
  if (name.empty()) {
    const std::string ending = std::filesystem::path(arguments.file).extension().string();
    name = ending.empty() ? "triton" : ending.substr(1);
  }
  static const std::map<std::string, emit::Dialect> kDialects = {
      {"triton", emit::Dialect::triton}, {"python", emit::Dialect::triton},
      {"py", emit::Dialect::triton},     {"hip", emit::Dialect::hip},
      {"cuda", emit::Dialect::cuda},     {"cu", emit::Dialect::cuda},
      {"opencl", emit::Dialect::opencl}, {"cl", emit::Dialect::opencl},
      {"cpp", emit::Dialect::cpp},       {"c++", emit::Dialect::cpp},
      {"cc", emit::Dialect::cpp},        {"h", emit::Dialect::cpp},
      {"hpp", emit::Dialect::cpp}};
  const auto found = kDialects.find(lower_case(name));
  if (found != kDialects.end()) return found->second;
  throw Error(fmt::format("'{}' names no language", name),
              "use --lang triton, hip, cuda, opencl or cpp");
}

/// Not proved: say why, on stderr, with the verdict's exit code.
template <class Report>
ExitCode refuse(const Report& report, const order::Order& order) {
  fmt::print(stderr, "heddle: nothing is emitted, the order is not proved\n{}",
             report::check_text(report, {order.title(), {}, {}}, report::Style{}));
  return exit_code(report.verdict);
}

ExitCode run(const Arguments& arguments) {
  emit::EmitOptions options;
  options.dialect = dialect_of(arguments);
  const order::Order order = arguments.order.read();
  if (order.origin() == order::Order::Origin::table) {
    throw Error("a table cannot be emitted", "give a formula or a family");
  }
  if (!arguments.order.tiles.empty()) {
    for (const std::string_view part : order::split_extents(arguments.order.tiles))
      options.tile_extents.emplace_back(part);
    // Numbers and names mean the same in every language; other expressions are left to the kernel.
    const auto is_plain = [](const std::string& text) {
      return std::all_of(text.begin(), text.end(),
                         [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    };
    const auto& texts = options.tile_extents;
    if (!std::all_of(texts.begin(), texts.end(), is_plain)) options.tile_extents.clear();
  }
  const order::Bindings bindings = arguments.order.bindings();
  const proof::CheckOptions check{8, std::chrono::seconds(arguments.size.time_limit_s)};
  const bool is_family = order.origin() == order::Order::Origin::family;
  std::optional<proof::ProvenOrder> proven;
  if (is_family || arguments.size.all_sizes) {
    AllSizesReport report;
    proven = proof::prove_all_sizes(order, arguments.size.shape(order, arguments.order), bindings,
                                    check, report);
    if (!proven) return refuse(report, order);
  } else {
    RangeReport report;
    proven =
        proof::prove_range(order, *arguments.size.range(arguments.order), bindings, check, report);
    if (!proven) return refuse(report, order);
  }
  OutputArguments output;
  output.file = arguments.file;
  output.print(emit::emit_order(*proven, options));
  return ExitCode::good;
}

}  // namespace

void add_emit(CLI::App& app, Outcome& outcome) {
  CLI::App* verb =
      app.add_subcommand("emit", "write a proven order as Triton, HIP, CUDA, OpenCL or C++");
  const auto arguments = std::make_shared<Arguments>();
  arguments->order.add_order(*verb);
  arguments->size.add(*verb);
  verb->add_option("--lang", arguments->language,
                   "triton, hip, cuda, opencl or cpp; else from the ending of -o")
      ->type_name("LANGUAGE");
  verb->add_option("-o,--output", arguments->file, "write to a file; its ending picks the language")
      ->type_name("FILE");
  verb->footer(kExamples);
  verb->callback([arguments, &outcome] { outcome.code = run(*arguments); });
}

}  // namespace heddle::tool
