#include "proof/smt.h"

#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>
#include <climits>
#include <map>

#include "proof/child.h"
#include "proof/encoder.h"

namespace heddle::proof {
namespace {

/// Z3 counts its steps, which are the same on every machine; it takes 0.3 to 3 million in a second.
constexpr std::int64_t kStepsPerMillisecond = 500;

SmtAnswer candidate(z3::solver& solver, const Encoder& encoder, const order::Shape& shape) {
  const z3::model model = solver.get_model();
  SmtAnswer answer;
  answer.kind = SmtAnswer::Kind::candidate;
  for (const Term& extent : encoder.extents()) {
    std::int64_t value = 1;
    const z3::expr shown = model.eval(extent.value, true);
    const bool concrete = shown.is_bv() ? shown.is_numeral() : shown.is_numeral_i64(value);
    if (concrete && shown.is_bv()) value = static_cast<std::int64_t>(shown.get_numeral_uint64());
    if (!concrete) return unknown("Z3 gave no concrete grid");
    (shape.own_tiles ? answer.tile_extents : answer.extents).push_back(value);
  }
  return answer;
}

/// One question: can `bad` hold? Proved where it cannot.
SmtAnswer ask(z3::context& context, const Encoder& encoder, const order::Shape& shape,
              const z3::expr& bad, std::int64_t steps, const std::string& what) {
  z3::solver solver(context);
  z3::params params(context);
  params.set("rlimit", static_cast<unsigned>(std::clamp<std::int64_t>(steps, 1, UINT_MAX)));
  solver.set(params);
  const z3::expr_vector facts = encoder.facts_for(bad);
  for (unsigned i = 0; i < facts.size(); ++i) solver.add(facts[static_cast<int>(i)]);
  solver.add(bad);
  const z3::check_result result = solver.check();
  if (result == z3::unsat) return proved();
  if (result == z3::sat) return candidate(solver, encoder, shape);
  return unknown(fmt::format("Z3 could not decide whether {} ({})", what, solver.reason_unknown()));
}

SmtAnswer ask_in(Sort sort, bool exact, const order::Program& program, const order::Shape& shape,
                 const order::Bindings& bindings, std::int64_t steps) {
  try {
    z3::context context;
    Encoder encoder(context, sort, exact, program, shape, bindings);
    const std::vector<Term> first = encoder.block("");
    const std::vector<Term> launch = encoder.launch();
    const std::map<int, Term> lines = encoder.lines();
    // Most questions are settled at once: each may take all the steps.
    SmtAnswer answer =
        ask(context, encoder, shape, !encoder.obligations(), steps, "no operation overflows");
    if (answer.kind != SmtAnswer::Kind::proved) return answer;
    answer = ask(context, encoder, shape, !encoder.inside(first), steps,
                 "every tile index lies inside the grid");
    if (answer.kind != SmtAnswer::Kind::proved) return answer;
    const std::vector<Term> second = encoder.block("'");
    z3::expr meet = context.bool_val(true);
    for (std::size_t i = 0; i < first.size(); ++i) meet = meet && first[i].value == second[i].value;
    if (first.size() != 1 && static_cast<int>(first.size()) < shape.launch_axes &&
        !shape.own_tiles) {
      meet =
          meet && launch[2].value == encoder.launch()[2].value;  // the third axis stays as launched
    }
    z3::expr differ = context.bool_val(false);
    for (std::size_t axis = 0; axis < launch.size(); ++axis) {
      differ = differ || launch[axis].value != encoder.launch()[axis].value;
    }
    for (const auto& [axis, line] : lines) {
      const auto other = encoder.lines().find(axis);
      if (other != encoder.lines().end()) differ = differ && line.value != other->second.value;
    }
    return ask(context, encoder, shape, meet && differ, steps,
               "two launch ids can meet on one tile");
  } catch (const Unsupported& unsupported) {
    return unknown(unsupported.reason);
  } catch (const z3::exception& exception) {
    return unknown(fmt::format("Z3 failed: {}", exception.msg()));
  }
}

}  // namespace

SmtAnswer ask_z3(const order::Program& program, const order::Shape& shape,
                 const order::Bindings& bindings, std::chrono::milliseconds time_limit) {
  const auto half = time_limit / 2;
  const std::int64_t steps = half.count() / 2 * kStepsPerMillisecond;
  const auto ask_child = [&](Sort sort) {
    const auto work = [&] {
      // Leaving the product out makes more things possible than are: a suspect is asked about
      // again. Nor may values leave int32 or dividends be negative there: what is proved so is
      // plain.
      SmtAnswer first = ask_in(sort, false, program, shape, bindings, steps);
      first.plain = first.kind == SmtAnswer::Kind::proved;
      if (first.kind != SmtAnswer::Kind::candidate) return first;
      return ask_in(sort, true, program, shape, bindings, steps);
    };
    return in_child(work, half);
  };
  const SmtAnswer answer = ask_child(Sort::integers);
  if (answer.kind != SmtAnswer::Kind::unknown) return answer;
  const SmtAnswer second = ask_child(Sort::bits);
  return second.kind == SmtAnswer::Kind::unknown ? answer : second;
}

}  // namespace heddle::proof
