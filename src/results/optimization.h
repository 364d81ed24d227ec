// What the search for a better order found, as plain data: every attempt, the best, and why it
// ended.
//
// Sample (a five-point stencil on an MI300X)
//   1  identity                   PROVED all sizes   31.9 %   167 us   1.000   the launch order
//   2  xcd(8)                     PROVED all sizes    4.6 %   176 us   0.949
//   3  t = p0//8 + p0%8*g0        REFUTED: launch ids 1 and 8 both compute tile 256
//   4  xcd(8) | columns           PROVED all sizes   67.6 %   146 us   1.144   best
//
// Rules
//   1. Attempts are numbered from 1 in the order in which they were judged; attempt 1 is the launch
//      order. `same_as` names the earlier attempt with the same map: such a one is not replayed.
//   2. Only a PROVED attempt has a prediction and code. Its speedup is against the launch order,
//      replayed as it was.
//   3. `best` is never absent: without an improvement it is the launch order, with speedup 1.
//   4. Absent is std::optional, never a zero.
//   5. Where orders were measured, the best is the one that was measured fastest, twice; a
//   prediction
//      alone does not make it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/decision.h"
#include "results/fields.h"
#include "results/measurement.h"
#include "results/simulation.h"
#include "results/trace.h"
#include "results/tuning.h"
#include "results/verdict.h"

namespace heddle {

/// For which grids an order was proved.
enum class ProvedSizes { all, grid };

/// "all" or "grid".
std::string sizes_text(ProvedSizes sizes);

/// As histories and their JSON have it.
template <>
struct FieldList<Counterexample> {
  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("kind", all.kind...);
    visit("grid", all.grid...);
    visit("first", all.first...);
    visit("second", all.second...);
    visit("tile", all.tile...);
    visit("index", all.index...);
    visit("message", all.message...);
  }
};

/// Where a proposal came from.
enum class Origin {
  launch,     ///< it is the launch order
  published,  ///< heddle's list of published orders
  heddle,     ///< heddle's other proposers
  given,      ///< the user, a file or a program
};

/// One proposed order and what became of it.
struct OrderAttempt {
  int iteration = 0;
  std::string
      proposer;  ///< "launch", "published", "digits", "walks", "improve", "answers.txt", "command"
  Origin origin = Origin::heddle;  ///< of this search; a history does not keep it
  std::string formula;             ///< the compact form, or the text as it was proposed
  std::string title;               ///< one line: the compact form, or where the text came from
  std::string idea;                ///< what the order does with tiles, one sentence; may be empty
  std::string said;                ///< what a model says of it: quoted, not believed; may be empty

  Verdict verdict = Verdict::unknown;
  std::string reason;  ///< UNKNOWN: why, a text that cannot be read included
  std::optional<Counterexample> counterexample;
  std::int64_t distinct_tiles = 0;  ///< that it computes on the job's grid
  std::optional<ProvedSizes> sizes;
  std::string scope;           ///< "every grid under 2^31 blocks", "grid 256x256"
  std::optional<int> same_as;  ///< an earlier attempt with the same map
  bool identity = false;       ///< the launch order under another name
  std::string map_hash;        ///< hexadecimal, of the map on the job's grid; empty: there is none
  std::string triton;          ///< code; empty unless proved
  int operations = 0;          ///< added to a block (order/cost.h): the simpler of two equals wins
  std::string setting;         ///< "GROUP_SIZE_M = 16": the kernel has it with that; may be empty

  std::optional<SimResult> predicted;
  std::string fidelity;           ///< "exact", "sampled 2000000": only equals are compared
  std::optional<double> speedup;  ///< time of the launch order / time of this one
  bool from_history = false;      ///< the prediction was read back; only its totals are there
  bool finalist = false;          ///< replayed at the fidelity of the answer
  std::optional<MeasuredTimes> measured;  ///< on a GPU, with cold caches
  std::string rejected;  ///< on a GPU, and why: "unwritten: c_ptr [128, 0] ..."; empty: it was not

  // What a history keeps, the order and what is predicted of it.
  template <class Visitor, class... All>
  static void order_fields(Visitor&& visit, All&... all) {
    visit("iteration", all.iteration...);
    visit("proposer", all.proposer...);
    visit("formula", all.formula...);
    visit("title", all.title...);
    visit({"idea", Field::empty_is_null}, all.idea...);
    visit("verdict", all.verdict...);
    visit({"reason", Field::empty_is_null}, all.reason...);
    visit("counterexample", all.counterexample...);
    visit("distinct_tiles", all.distinct_tiles...);
    visit("sizes", all.sizes...);
    visit({"scope", Field::empty_is_null}, all.scope...);
    visit("same_as", all.same_as...);
    visit("identity", all.identity...);
    visit({"map_hash", Field::empty_is_null}, all.map_hash...);
    visit({"triton", Field::empty_is_null}, all.triton...);
    visit("operations", all.operations...);
  }

  template <class Visitor, class... All>
  static void prediction_fields(Visitor&& visit, All&... all) {
    visit({"fidelity", Field::empty_is_null}, all.fidelity...);
    visit("speedup", all.speedup...);
    visit("from_history", all.from_history...);
    visit("finalist", all.finalist...);
    visit("predicted", all.predicted...);
  }

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    order_fields(visit, all...);
    prediction_fields(visit, all...);
  }
};

/// Why the search ended.
enum class SearchEnd {
  no_room,      ///< no order can gain as much as is worth a measurement
  at_bound,     ///< the best moves at most 1 % more bytes than any order must; not on few tiles
  exhausted,    ///< every order that the proposers know was tried
  iterations,   ///< --iterations
  budget,       ///< --budget
  interrupted,  ///< Ctrl-C
  not_started,  ///< tiles are not independent, or that is not known
};

/// "no room", "at bound", "exhausted", "iterations", "budget", "interrupted", "not started".
std::string search_end_text(SearchEnd end);

/// `improved`: an order is faster. `measure`: some may be, too close to call. `already_best`: leave
/// it.
enum class Answer { improved, measure, already_best, not_independent, unknown };

/// "faster", "measure these", "leave it", "not independent", "unknown".
std::string answer_text(Answer answer);

/// The order that is handed back, as code.
struct BestOrder {
  int iteration = 1;
  std::string title;    ///< "xcd(8) | columns"
  std::string formula;  ///< the compact form, or the text as it was proposed
  std::string idea;
  Verdict verdict = Verdict::proved;
  ProvedSizes sizes = ProvedSizes::all;
  std::string scope;
  std::vector<std::string> argument;  ///< why it is a permutation, one line a step; may be empty
  std::string setting;                ///< as of its attempt: no patch is needed
  std::string triton, hip, cuda, opencl;
  SimResult predicted;  ///< with causes of misses
  double speedup = 1;
  std::optional<MeasuredTimes> measured;  ///< on a GPU, in a process of its own
};

/// What is known of the GPU that the prose needs.
struct GpuFacts {
  std::string name;      ///< "mi300x"
  std::string argument;  ///< what was asked for: "mi300x:CPX", "my.toml"; may be empty
  std::string title;     ///< "AMD Instinct MI300X"
  std::string mode;      ///< "SPX" or empty
  int dies = 1;
  int compute_units = 0;      ///< of a die
  std::int64_t l2_bytes = 0;  ///< of a die
  int line_bytes = 0;
  std::int64_t last_level_bytes = 0;  ///< 0: there is none
  std::string file_hash;              ///< of the GPU file's text, hexadecimal
};

/// How the search went.
struct SearchSummary {
  SearchEnd end = SearchEnd::not_started;
  int proposed = 0;  ///< orders, duplicates included
  int outlined = 0;  ///< distinct ones that were told apart in outline
  int planned = 0;   ///< to be outlined at most; 0: none are
  int replayed = 0;
  int duplicates = 0;
  int refuted = 0;
  int unknown = 0;
  int from_history = 0;
  std::vector<std::string> proposers;  ///< that took part, in their order

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("end", all.end...);
    visit("proposed", all.proposed...);
    visit("outlined", all.outlined...);
    visit("planned", all.planned...);
    visit("replayed", all.replayed...);
    visit("duplicates", all.duplicates...);
    visit("refuted", all.refuted...);
    visit("unknown", all.unknown...);
    visit("from_history", all.from_history...);
    visit("proposers", all.proposers...);
  }
};

/// The proposer that is a language model.
inline constexpr const char* kModelProposer = "model";

/// A language model that was asked for orders.
struct ModelUse {
  std::string name;
  int rounds = 0;  ///< that it was asked, answered or not
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::optional<double> cost;  ///< by the prices of a file
  std::string end;             ///< why it was not asked again

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("name", all.name...);
    visit("rounds", all.rounds...);
    visit("input_tokens", all.input_tokens...);
    visit("output_tokens", all.output_tokens...);
    visit("cost", all.cost...);
    visit({"end", Field::empty_is_null}, all.end...);
  }
};

struct OptimizationReport {
  std::string job;          ///< the file
  std::string kernel_path;  ///< the file
  std::string kernel;       ///< the function
  std::vector<std::int64_t> grid;
  GpuFacts gpu;
  Answer answer = Answer::unknown;
  std::string reason;           ///< unknown: why
  std::vector<int> to_measure;  ///< attempts; answer `measure`
  Ceiling ceiling;              ///< of what any order can gain
  TraceReport memory;
  IndependenceReport independence;
  SimResult baseline;   ///< the launch order, with causes of misses
  bool lifted = false;  ///< orders are of the tiles that the kernel unpacks (memory.space)
  BestOrder best;
  std::vector<OrderAttempt> attempts;
  SearchSummary search;
  std::vector<MeasurementReport> measurements;  ///< one a round; empty: nothing was measured
  std::string patched;    ///< the whole new kernel file; empty unless improved
  std::string patch;      ///< a unified diff; likewise
  std::string agreement;  ///< "64 of 65,536 blocks traced before and after: the same ..."
  std::vector<std::string> options;  ///< of the command, besides job and GPU: "--set", "M=4096"
  std::vector<std::string> notes;
  std::optional<ModelUse> model;
  std::optional<Tuning> tuning;      ///< the rest of the report is of the chosen variant
  std::vector<OrderedShape> shapes;  ///< the rest is of the first of them

  /// Whether the best is another order than the one that the launch has.
  bool is_reordered() const { return answer == Answer::improved && best.iteration != 1; }
  /// What nobody changed: "launch order"; of tiles that the kernel unpacks, "as written".
  std::string baseline_name() const { return lifted ? "as written" : "launch order"; }
};

}  // namespace heddle
