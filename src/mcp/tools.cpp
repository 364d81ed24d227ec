#include "mcp/tools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/error.h"

namespace heddle::mcp {
namespace {

using nlohmann::json;
using Kind = Argument::Kind;

constexpr std::int64_t kMostSeconds = 3600;

Argument grid() {
  return {"grid", Kind::text, "--grid", "the launch grid: 4096, 256x256 or 64x64x8"};
}

Argument lets() {
  return {"let", Kind::texts, "--let",
          "values of free names of the formula: [\"M=8192\", \"BLOCK=32\"]"};
}

Argument results() {
  return {"result", Kind::texts, "--result",
          "names of the tile index in the formula, axis 0 first: [\"pid_m\", \"pid_n\"]"};
}

Argument source() {
  return {"source",   Kind::choice,
          "--source", "language of the formula; found from the text otherwise",
          false,      {"triton", "c"}};
}

Argument sets() {
  return {"set", Kind::texts, "--set",
          "other values for sizes, scalars or constexprs of the job: [\"M=4096\"]"};
}

Argument job() {
  return {"job", Kind::path, "", "the job file (.toml) that names the kernel and its arguments",
          true};
}

Argument gpu() {
  return {
      "gpu", Kind::gpu, "--gpu",
      "a GPU that heddle knows, such as mi300x, h200 or mi300x:cpx (resource heddle://gpus), or a "
      ".toml file",
      true};
}

Tool check() {
  return {
      "check",
      "Check an order of blocks",
      "Is this order (swizzle, remap) a permutation of the grid: does every tile get computed "
      "exactly once? PROVED, REFUTED with a counterexample, or UNKNOWN with the reason. Give "
      "'order', a formula or heddle's compact form such as \"xcd(8) | group(4)\", or 'file', a "
      "formula, a kernel or a job file. Say for which grids: 'grid', 'grids' or 'all_sizes'.",
      {"check", "--json"},
      {{"order", Kind::input, "",
        "Triton or C lines that compute the tile from tl.program_id or blockIdx, or the compact "
        "form"},
       {"file", Kind::path, "", "a formula, a kernel (.py, .hip, .cu) or a job file in the roots"},
       grid(),
       {"grids", Kind::text, "--grids", "every launch grid of a range: 1..4096, 1..64x1..64"},
       {"all_sizes", Kind::flag, "--all-sizes", "every grid under 2^31 blocks"},
       {"axes", Kind::number, "--axes", "with all_sizes: axes of the launch grid", false, {}, 1, 3},
       {"tiles", Kind::text, "--tiles",
        "tile space of a launch that yields a row and a column: 48x36"},
       lets(),
       results(),
       source(),
       {"dies", Kind::number, "--dies", "dies that launch ids rotate over (8)", false, {}, 1, 4096},
       {"time_limit",
        Kind::number,
        "--time-limit",
        "seconds for counting grids and for proofs (60)",
        false,
        {},
        1,
        kMostSeconds}},
      {"order", "file"}};
}

Tool simulate() {
  return {
      "simulate",
      "Simulate a kernel on a GPU",
      "What a GPU would count with an order, and how long it would take: predicted L2 hit rate, "
      "HBM bytes, time and what limits it, with intervals. Without 'order', the order that the "
      "kernel is launched with. Nothing is measured.",
      {"simulate", "--json"},
      {job(),
       gpu(),
       {"order", Kind::input, "--order", "a formula or the compact form: \"xcd(8) | group(4)\""},
       {"order_table", Kind::path, "--order-table", "a file with the tile of each launch id"},
       sets(),
       lets(),
       results(),
       source(),
       {"why", Kind::flag, "--why", "also count why requests miss in the L2"},
       {"exact", Kind::flag, "--exact", "replay every request, not a sample"},
       {"requests",
        Kind::number,
        "--requests",
        "approximate number of requests in a sample",
        false,
        {},
        1000,
        1'000'000'000}}};
}

Tool optimize() {
  return {
      "optimize",
      "Find a better order",
      "Search for a better order of a kernel's blocks, prove it, predict what it gains on a "
      "simulated GPU, and return a patch. The answer is 'faster', 'measure these', 'leave it', "
      "'not independent' or 'unknown'. Orders of your own go in 'proposals': they are proved and "
      "replayed like all others, and what is refuted comes back with a counterexample.",
      {"optimize", "--json", "--no-history"},
      {job(),
       gpu(),
       {"proposals", Kind::input, "--propose",
        "orders to try first, separated by empty lines or in Markdown fences"},
       {"effort",
        Kind::choice,
        "--effort",
        "how many orders are looked at (normal)",
        false,
        {"low", "normal", "high"}},
       {"risk",
        Kind::choice,
        "--risk",
        "when an order is called faster (normal)",
        false,
        {"low", "normal", "high"}},
       {"budget", Kind::text, "--budget", "stop early, after this time: 30s, 2m"},
       {"iterations",
        Kind::number,
        "--iterations",
        "orders to replay at most; 0: as effort says",
        false,
        {},
        0,
        1'000'000},
       {"fixed_grid", Kind::flag, "--fixed-grid", "the kernel is only launched on this grid"},
       sets(),
       {"tune", Kind::texts, "--tune",
        "other values of a constexpr or launch number to try: [\"BLOCK_M=64,128\"]"},
       {"shapes", Kind::texts, "--shapes",
        "find one order for several shapes: [\"M=4096,8192;N=4096\"]"},
       lets(),
       {"output", Kind::folder, "--output",
        "a folder in the roots for the patch, the code and the reports; without it nothing is "
        "written"}},
      {},
      true};
}

Tool audit_patch() {
  return {
      "audit_patch",
      "Audit a changed kernel",
      "Does the changed kernel compute the same as the original? Judges a patch that claims a "
      "speedup: same work, same tiles, only index code changed, right on other shapes. Each check "
      "is PROVED, REFUTED with a counterexample, or UNKNOWN; 'explain' says what a check means. "
      "Give 'after' or 'diff'.",
      {"audit", "--json"},
      {{"before", Kind::path, "--patch", "the original kernel file", true},
       {"after", Kind::path, "", "the changed kernel file"},
       {"diff", Kind::input, "", "or a unified diff of the original"},
       {"job", Kind::path, "--job", "the job file (.toml): how the kernel is launched", true},
       sets(),
       {"function", Kind::text, "--function", "the kernel, if the file has several"},
       {"after_function", Kind::text, "--after-function",
        "the new kernel, where it has another name"},
       {"after_job", Kind::path, "--after-job", "the job of the new kernel, if it is another"},
       {"after_grid", Kind::text, "--after-grid", "the grid of the new kernel: 304 or 16x32"}},
      {"after", "diff"}};
}

Tool audit_answer() {
  return {"audit_answer",
          "Audit the code in an answer",
          "Judge the code blocks of a model's answer or of a pull request's text: formulas as "
          "orders of "
          "the grid, diffs and whole kernels as patches of the job's kernel.",
          {"audit", "--json"},
          {{"text", Kind::input, "", "the text, in Markdown with fenced code blocks", true},
           {"job", Kind::path, "--job",
            "the job file (.toml) of the kernel; formulas need it or 'grid'"},
           grid(),
           sets(),
           lets(),
           results(),
           source()}};
}

Tool trace() {
  return {
      "trace",
      "Trace a kernel's memory accesses",
      "What every tile of a kernel reads and writes: footprints, cache lines, reuse between tiles, "
      "and whether tiles are independent, so that their order may change. With 'tile', the "
      "accesses "
      "of that tile.",
      {"trace", "--json"},
      {job(),
       sets(),
       {"tile", Kind::text, "--tile", "one tile: 3,5"},
       {"wave", Kind::choice, "--wave", "lanes of a wave", false, {"32", "64"}},
       {"line",
        Kind::choice,
        "--line",
        "bytes of a cache line",
        false,
        {"32", "64", "128", "256"}}}};
}

Tool analyze() {
  return {"analyze",
          "Analyze a recorded profile",
          "Panels and impossible values of workload folders that rocprofiler-compute (Omniperf) or "
          "rocprofv3 recorded. The first of several folders is the baseline.",
          {"analyze", "--json"},
          {{"paths", Kind::paths, "--path", "workload folders in the roots", true},
           {"blocks", Kind::texts, "--block",
            "panels (\"2\"), tables (\"16.3\") or metrics (\"2.1.19\")"},
           {"dispatches", Kind::texts, "--dispatch",
            "dispatches by Dispatch_ID: \"3\", \"3-5\", \">3\""},
           {"kernels", Kind::texts, "--kernel", "kernels by number or by a part of the name"},
           {"normal_unit",
            Kind::choice,
            "--normal-unit",
            "the unit to divide counts by",
            false,
            {"per_wave", "per_cycle", "per_second", "per_kernel"}},
           {"list_stats", Kind::flag, "--list-stats", "list only the kernels and dispatches"}}};
}

Tool explain() {
  return {"explain",
          "Explain a check or a finding",
          "What a check of audit_patch or a finding of analyze means; all of them without 'id'.",
          {"explain", "--json"},
          {{"id", Kind::literal, "", "a check or finding, such as same-work"}}};
}

/// What a call returns, besides its text (answer.h).
json output_schema() {
  const json text_or_null = {{"type", json::array({"string", "null"})}};
  return {
      {"type", "object"},
      {"properties",
       {{"exit_code",
         {{"type", "integer"},
          {"description",
           "of heddle: 0 good, 1 refuted, 2 usage, 3 inconclusive, 4 missing, 5 the kernel "
           "failed"}}},
        {"meaning", {{"type", "string"}}},
        {"result",
         {{"type", json::array({"object", "null"})},
          {"description", "what heddle prints with --json"}}},
        {"left_out",
         {{"type", "array"},
          {"items", {{"type", "string"}}},
          {"description", "members of the result that are too long to return; 'report' has them"}}},
        {"report", text_or_null},
        {"patch", text_or_null},
        {"messages", {{"type", "array"}, {"items", {{"type", "string"}}}}}}},
      {"required", {"exit_code", "meaning", "result", "left_out", "report", "patch", "messages"}}};
}

}  // namespace

const std::vector<Tool>& tools() {
  static const std::vector<Tool> kTools = {check(),        simulate(), optimize(), audit_patch(),
                                           audit_answer(), trace(),    analyze(),  explain()};
  return kTools;
}

const Tool* find_tool(const std::string& name) {
  for (const Tool& tool : tools())
    if (tool.name == name) return &tool;
  return nullptr;
}

json tool_json(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", schema_of(tool.arguments)},
          {"outputSchema", output_schema()},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", !tool.writes},
            {"destructiveHint", false},
            {"idempotentHint", true},
            {"openWorldHint", false}}}};
}

Command command_of(const Tool& tool, const json& given, const Roots& roots) {
  Command command;
  command.words = tool.words;
  command.writes = tool.writes;
  add_words(tool.arguments, given, roots, command);
  const auto is_given = [&](const std::string& name) {
    return given.contains(name) && !given.at(name).is_null();
  };
  if (!tool.one_of.empty() && std::count_if(tool.one_of.begin(), tool.one_of.end(), is_given) != 1)
    throw Error(fmt::format("exactly one of these is needed: {}", fmt::join(tool.one_of, ", ")),
                tool.description);
  return command;
}

}  // namespace heddle::mcp
