// What the steps of index code depend on, and their texts.
#include <fmt/format.h>

#include "kernel/cxx/patch/index.h"

namespace heddle::kernel::cxx {
namespace {

constexpr int kMostPasses = 200;
constexpr int kMostTextSteps = 100'000;
constexpr int kDeepestChain = 2000;  ///< chains of variables

}  // namespace

// ---- what values depend on
// ------------------------------------------------------------------------

unsigned CxxIndex::sees(int step, bool in_function) const {
  if (step < 0) return 0;
  const IndexStep& one = steps_[static_cast<std::size_t>(step)];
  unsigned seen = one.op == IndexOp::block ? kSeesBlock : 0;
  if (one.op == IndexOp::grid || one.op == IndexOp::threads) seen = kSeesLaunch;
  if (one.op == IndexOp::call) seen |= functions_[static_cast<std::size_t>(one.value)].sees;
  if (one.op == IndexOp::variable && !in_function)
    if (const auto known = slot_sees_.find(one.value); known != slot_sees_.end())
      seen |= known->second;
  for (const int part : one.parts) seen |= sees(part, in_function);
  return seen;
}

/// Notes what the kernel's variables see; true if one sees more than was known.
bool CxxIndex::mark(int step, unsigned control) {
  if (step < 0) return false;
  const IndexStep& one = steps_[static_cast<std::size_t>(step)];
  bool is_more = false;
  if (one.op == IndexOp::assign || one.op == IndexOp::undefine) {
    unsigned& known = slot_sees_[one.value];
    const unsigned seen = known | control | (one.parts.empty() ? 0 : sees(one.parts.front()));
    is_more = seen != known;
    known = seen;
  }
  if (one.op == IndexOp::branch || one.op == IndexOp::loop || one.op == IndexOp::do_loop)
    control |= sees(one.parts.front());
  if (one.op == IndexOp::choose)
    for (std::int64_t i = 0; i < one.value; ++i)
      control |= sees(one.parts[static_cast<std::size_t>(2 * i)]);
  if (one.op == IndexOp::call) {
    const unsigned seen = control | sees(step);
    for (const std::int64_t slot : written_by(one)) {
      unsigned& known = slot_sees_[slot];
      is_more = is_more || (known | seen) != known;
      known |= seen;
    }
  }
  for (const int part : one.parts) is_more = mark(part, control) || is_more;
  return is_more;
}

/// Slots of the caller that a call writes through references.
std::vector<std::int64_t> CxxIndex::written_by(const IndexStep& call) const {
  std::vector<std::int64_t> slots;
  const IndexFunction& function = functions_[static_cast<std::size_t>(call.value)];
  for (std::size_t i = 0; i < call.parts.size(); ++i)
    if (function.is_reference[i])
      slots.push_back(steps_[static_cast<std::size_t>(call.parts[i])].value);
  return slots;
}

void CxxIndex::find_assignments(int step, int top) {
  if (step < 0) return;
  const IndexStep& one = steps_[static_cast<std::size_t>(step)];
  if (one.op == IndexOp::assign || one.op == IndexOp::undefine)
    writers_[one.value].push_back(one.op == IndexOp::assign && top == step ? step : -1 - top);
  if (one.op == IndexOp::call)
    for (const std::int64_t slot : written_by(one)) writers_[slot].push_back(-1 - top);
  const bool is_plain = one.op == IndexOp::sequence && top == step;
  for (const int part : one.parts) find_assignments(part, is_plain ? part : top);
}

void CxxIndex::find_dependences() {
  for (const Statement& one : statements_) find_assignments(one.step, one.step);
  bool is_more = true;
  for (int pass = 0; is_more && pass < kMostPasses; ++pass) {
    is_more = false;
    for (const Statement& one : statements_) is_more = mark(one.step, 0) || is_more;
  }
  if (is_more)
    for (auto& [slot, seen] : slot_sees_) seen = kSeesBlock | kSeesLaunch;
}

// ---- texts
// ----------------------------------------------------------------------------------------

std::string CxxIndex::text(int step) const {
  Texts texts;
  const std::string value = text(step, texts);
  return value + texts.definitions;
}

std::string CxxIndex::text(int step, Texts& texts) const {
  if (step < 0) return "_";
  if (++texts.steps > kMostTextSteps || texts.depth > kDeepestChain)
    throw Error("the index code is too long to be compared", "compute it in fewer steps");
  ++texts.depth;
  const std::string result = step_text(step, texts);
  --texts.depth;
  return result;
}

std::string CxxIndex::step_text(int step, Texts& texts) const {
  const IndexStep& one = steps_[static_cast<std::size_t>(step)];
  const bool has_slot =
      one.op == IndexOp::variable || one.op == IndexOp::assign || one.op == IndexOp::undefine;
  std::string name = fmt::format("{}{}", one.value, one.name);
  if (has_slot) {
    const auto writers = texts.in_function ? writers_.end() : writers_.find(one.value);
    const bool is_defined = writers != writers_.end();
    if (is_defined && one.op == IndexOp::variable && writers->second.size() == 1 &&
        writers->second.front() >= 0)
      return text(steps_[static_cast<std::size_t>(writers->second.front())].parts.front(), texts);
    const auto [known, is_new] =
        texts.named.emplace(one.value, static_cast<int>(texts.named.size()));
    name = fmt::format("v{}", known->second);
    if (is_new && is_defined)
      for (const int writer : writers->second) {
        const std::string defined = text(writer >= 0 ? writer : -1 - writer, texts);
        texts.definitions += " ; " + defined;
      }
  } else if (one.op == IndexOp::parameter && !one.name.empty()) {
    name = one.name;
  } else if (one.op == IndexOp::call) {
    name = function_text(static_cast<int>(one.value), texts);
    if (one.field > 0) name += fmt::format("#{}", one.field);
  }
  std::string result = fmt::format("({}:{}{} {}", static_cast<int>(one.op),
                                   one.type.is_signed ? 'i' : 'u', one.type.bits, name);
  for (const int part : one.parts) result += " " + text(part, texts);
  return result + ")";
}

std::string CxxIndex::function_text(int function, Texts& texts) const {
  const IndexFunction& one = functions_[static_cast<std::size_t>(function)];
  Texts own;
  own.in_function = true;
  own.steps = texts.steps;
  own.depth = texts.depth;
  for (int i = 0; i < one.parameters; ++i) own.named.emplace(i, i);
  const std::string body = text(one.body, own);
  texts.steps = own.steps;
  std::string references;
  for (const bool is_reference : one.is_reference) references += is_reference ? '&' : '.';
  return "{" + references + body + "}";
}

std::map<std::string, std::string> CxxIndex::variable_texts() const {
  std::map<std::string, std::string> texts;
  for (const std::uint64_t id : variables_)
    if (const CxxNode* const declared = tree_.declaration(id);
        declared != nullptr && !integer_type(declared->type))
      texts[declared->name] = {};
  for (const auto& [id, slot] : frame_.slots) {
    const CxxNode* const declared = tree_.declaration(id);
    if (declared == nullptr || variables_.count(id) == 0) continue;
    const auto writers = writers_.find(slot);
    const bool is_plain = writers != writers_.end() && writers->second.size() == 1 &&
                          writers->second.front() >= 0 && sees(writers->second.front()) == 0;
    const bool is_new = texts.count(declared->name) == 0;
    texts[declared->name] = is_plain && is_new ? text(writers->second.front()) : std::string();
  }
  return texts;
}

}  // namespace heddle::kernel::cxx
