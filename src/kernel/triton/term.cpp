#include "kernel/triton/term.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"

namespace heddle::kernel::triton {
namespace {

template <class T>
const T* shared(const Term& term) {
  const auto* pointer = term.as<std::shared_ptr<const T>>();
  return pointer == nullptr ? nullptr : pointer->get();
}

constexpr int kTermDepthLimit = 32;

int depth_of(const Term& term) {
  if (const auto* tuple = term.tuple()) return tuple->depth;
  if (const auto* dict = term.dict()) return dict->depth;
  return 0;
}

int one_deeper(int depth, const Term& item) {
  const int result = std::max(depth, depth_of(item) + 1);
  if (result > kTermDepthLimit)
    throw Error(fmt::format("tuples are nested more than {} deep", kTermDepthLimit),
                "use flat tuples");
  return result;
}

}  // namespace

bool ExternalTerm::is_known() const {
  for (const char* start : {"triton.language", "builtins.", "math."})
    if (path.rfind(start, 0) == 0) return true;
  return path == "triton" || path == "math";
}

const TupleTerm* Term::tuple() const {
  return shared<TupleTerm>(*this);
}
const BlockPointer* Term::block_pointer() const {
  return shared<BlockPointer>(*this);
}
const Descriptor* Term::descriptor() const {
  return shared<Descriptor>(*this);
}
const DictTerm* Term::dict() const {
  return shared<DictTerm>(*this);
}

bool Term::is_number() const {
  return as<bool>() != nullptr || as<Integer>() != nullptr || as<double>() != nullptr;
}

std::optional<Integer> Term::integer() const {
  if (const auto* flag = as<bool>()) return *flag ? 1 : 0;
  if (const auto* value = as<Integer>()) return *value;
  return std::nullopt;
}

std::optional<double> Term::real() const {
  if (const auto* value = as<double>()) return *value;
  if (const auto value = integer()) return static_cast<double>(*value);
  return std::nullopt;
}

Term integer_term(Integer value) {
  return Term{value};
}
Term text_term(std::string text) {
  return Term{std::move(text)};
}

Term tuple_term(std::vector<Term> items, std::vector<std::string> names) {
  TupleTerm result;
  for (const Term& item : items) {
    result.total += 1 + (item.tuple() != nullptr ? item.tuple()->total : 0);
    result.depth = one_deeper(result.depth, item);
  }
  if (result.total > kTupleLimit)
    throw Error(fmt::format("a tuple of more than {} items", with_separators(kTupleLimit)),
                "use smaller tuples");
  result.items = std::move(items);
  result.names = std::move(names);
  return Term{std::make_shared<const TupleTerm>(std::move(result))};
}

Term dict_term(std::vector<std::pair<std::string, Term>> items) {
  DictTerm result;
  for (const auto& [key, item] : items) result.depth = one_deeper(result.depth, item);
  result.items = std::move(items);
  return Term{std::make_shared<const DictTerm>(std::move(result))};
}

std::string integer_text(Integer value) {
  if (value == 0) return "0";
  std::string digits;
  const bool negative = value < 0;
  while (value != 0) {
    const int digit = static_cast<int>(value % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  }
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string describe(const Term& term) {
  if (term.is_none()) return "None";
  if (const auto* flag = term.as<bool>()) return *flag ? "True" : "False";
  if (const auto* value = term.as<Integer>()) return integer_text(*value);
  if (const auto* value = term.as<double>()) return fmt::format("{}", *value);
  if (const auto* text = term.text()) {
    constexpr std::size_t kShown = 60;
    return fmt::format("'{}{}'", text->substr(0, kShown), text->size() > kShown ? "..." : "");
  }
  if (const auto* type = term.as<TypeTerm>()) return type->type.text();
  if (const auto* external = term.as<ExternalTerm>()) return external->path;
  if (term.as<FunctionTerm>() != nullptr) return "a function";
  if (term.is_runtime()) return "a run-time value";
  if (term.block_pointer() != nullptr) return "a block pointer";
  if (term.descriptor() != nullptr) return "a tensor descriptor";
  if (const auto* tuple = term.tuple()) {
    constexpr std::size_t kShown = 8;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min(kShown, tuple->items.size()); ++i)
      parts.push_back(describe(tuple->items[i]));
    if (tuple->items.size() > kShown) parts.emplace_back("...");
    return fmt::format("({})", fmt::join(parts, ", "));
  }
  if (term.dict() != nullptr) return "a dict";
  if (const auto* method = term.as<MethodTerm>()) return "the method " + method->name;
  return "a slice";
}

}  // namespace heddle::kernel::triton
