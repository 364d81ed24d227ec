#include "proof/smt.h"

#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>
#include <map>

#include "proof/child.h"
#include "proof/encoder.h"

namespace heddle::proof {
namespace {

constexpr std::chrono::milliseconds kGrace{500};  ///< Z3 stops itself a little late, or not at all

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
              const z3::expr& bad, std::chrono::milliseconds time_limit, const std::string& what) {
  z3::solver solver(context);
  z3::params params(context);
  params.set("timeout", static_cast<unsigned>(std::max<std::int64_t>(time_limit.count(), 1)));
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
                 const order::Bindings& bindings, std::chrono::milliseconds time_limit) {
  try {
    z3::context context;
    Encoder encoder(context, sort, exact, program, shape, bindings);
    const std::vector<Term> first = encoder.block("");
    const std::vector<Term> launch = encoder.launch();
    const std::map<int, Term> lines = encoder.lines();
    // Most questions are settled at once: each may take all the time that is left.
    const auto deadline = std::chrono::steady_clock::now() + time_limit;
    const auto left = [deadline] {
      return std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
    };
    SmtAnswer answer =
        ask(context, encoder, shape, !encoder.obligations(), left(), "no operation overflows");
    if (answer.kind != SmtAnswer::Kind::proved) return answer;
    answer = ask(context, encoder, shape, !encoder.inside(first), left(),
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
    return ask(context, encoder, shape, meet && differ, left(),
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
  const auto ask_child = [&](Sort sort) {
    const auto work = [&] {
      // Leaving the product out makes more things possible than are: a suspect is asked about
      // again. Nor may values leave int32 or dividends be negative there: what is proved so is
      // plain.
      SmtAnswer first = ask_in(sort, false, program, shape, bindings, half / 2);
      first.plain = first.kind == SmtAnswer::Kind::proved;
      if (first.kind != SmtAnswer::Kind::candidate) return first;
      return ask_in(sort, true, program, shape, bindings, half / 2);
    };
    return in_child(work, half + kGrace);
  };
  const SmtAnswer answer = ask_child(Sort::integers);
  if (answer.kind != SmtAnswer::Kind::unknown) return answer;
  const SmtAnswer second = ask_child(Sort::bits);
  return second.kind == SmtAnswer::Kind::unknown ? answer : second;
}

}  // namespace heddle::proof
