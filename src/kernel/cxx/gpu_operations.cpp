// GpuReader: atomics, what lanes do together, moves, conversions, arithmetic.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/cxx/gpu_reader.h"
#include "support/lists.h"

namespace heddle::kernel::cxx {

std::string GpuReader::atomic(const GpuInstruction& one) {
  static const std::map<std::string_view, std::string_view> kFunctions = {
      {"add", "atomicAdd"}, {"exch", "atomicExch"}, {"min", "atomicMin"}, {"max", "atomicMax"},
      {"and", "atomicAnd"}, {"or", "atomicOr"},     {"xor", "atomicXor"}, {"cas", "atomicCAS"}};
  const bool is_plain = one.words.front() == "red";
  std::string_view function;
  for (const std::string& word : one.words)
    if (const auto found = kFunctions.find(word); found != kFunctions.end())
      function = found->second;
  std::string type = one.type();
  const bool is_good = !function.empty() && !type.empty() &&
                       type.find("heddle") == std::string::npos &&
                       type.find("short") == std::string::npos && type != "_Float16" &&
                       !one.has("v2") && !one.has("v4") && !one.has("async");
  const std::size_t first = is_plain ? 0 : 1;
  const std::size_t values = function == "atomicCAS" ? 2 : 1;
  if (!is_good || one.operands.size() != first + 1 + values) return {};
  if (type == "long long" && function == "atomicAdd") type = "unsigned long long";
  const std::string at = address(one.operands[first], one.has("shared"));
  std::string given;
  for (std::size_t k = 0; k < values; ++k) {
    const std::string value = operand(one.operands[first + 1 + k]);
    if (value.empty()) return {};
    given += fmt::format(", ::heddle_ptx::as<{}>({})", type, value);
  }
  if (at.empty()) return {};
  const std::string call = fmt::format("{}(({}*){}{})", function, type, at, given);
  if (is_plain) return call;
  const std::string to = operand(one.operands[0]);
  return to.empty() ? std::string() : fmt::format("::heddle_ptx::put({}, {})", to, call);
}

std::string GpuReader::waves(const GpuInstruction& one) {
  const std::string& first = one.words.front();
  if (first == "bar" && one.has("warp") && one.operands.size() == 1) {
    const std::string mask = operand(one.operands[0]);
    return mask.empty() ? std::string()
                        : fmt::format("__syncwarp(::heddle_ptx::as<unsigned>({}))", mask);
  }
  if (first == "bar" || first == "barrier") {
    const bool is_whole = one.has("sync") && one.operands.size() == 1 && one.operands[0] == "0";
    return is_whole ? "__syncthreads()" : std::string();
  }
  Words given;
  for (const std::string& text : one.operands) given.push_back(operand(text));
  if (is_one_of(std::string(), given) || given.empty()) return {};
  if (first == "activemask") return fmt::format("::heddle_ptx::put({}, __activemask())", given[0]);
  if (first == "vote" && one.has("sync") && given.size() == 3) {
    const std::string_view name = one.has("ballot") ? "__ballot_sync"
                                  : one.has("any")  ? "__any_sync"
                                  : one.has("all")  ? "__all_sync"
                                                    : "";
    if (name.empty()) return {};
    return fmt::format("::heddle_ptx::put({}, {}(::heddle_ptx::as<unsigned>({}), {}))", given[0],
                       name, given[2], given[1]);
  }
  if (first == "shfl" && one.has("sync") && given.size() == 5) {
    const std::string_view how = one.has("idx")    ? "index"
                                 : one.has("bfly") ? "butterfly"
                                 : one.has("up")   ? "up"
                                 : one.has("down") ? "down"
                                                   : "";
    if (how.empty()) return {};
    return fmt::format(
        "::heddle_ptx::put({}, ::heddle_ptx::shuffle_{}(::heddle_ptx::as<unsigned>({}), {}, "
        "{}, ::heddle_ptx::as<unsigned>({})))",
        given[0], how, given[1], given[2], given[3], given[4]);
  }
  return {};
}

std::string GpuReader::move(const GpuInstruction& one) {
  if (one.operands.size() != 2) return {};
  const auto to = list(one.operands[0]);
  const auto from = list(one.operands[1]);
  if (!to || !from) return {};
  if (one.words.front() == "cvta") {
    if (to->size() != 1 || from->size() != 1) return {};
    const bool is_shared = one.has("shared") || one.has("shared::cta");
    const bool is_back = !one.has("to");
    if (!is_shared || !is_back)
      return fmt::format("::heddle_ptx::put({}, ::heddle_ptx::{}({}))", (*to)[0],
                         is_shared ? "shared_address" : "as<unsigned long long>", (*from)[0]);
    return fmt::format("::heddle_ptx::put({}, (unsigned long long)::heddle_ptx::at<true>({}, 0))",
                       (*to)[0], (*from)[0]);
  }
  const std::string type = one.type();
  if (one.has("pred") && to->size() == 1 && from->size() == 1)
    return fmt::format("{} = {}", (*to)[0], (*from)[0]);
  if (type.empty()) return {};
  if (to->size() == 1 && from->size() == 1)
    return fmt::format("::heddle_ptx::put({}, ::heddle_ptx::as<{}>({}))", (*to)[0], type,
                       (*from)[0]);
  if (to->size() == 1)
    return fmt::format("::heddle_ptx::put({}, ::heddle_ptx::joined<{}>({}))", (*to)[0], type,
                       fmt::join(*from, ", "));
  if (from->size() != 1) return {};
  return fmt::format("::heddle_ptx::part<{}>({}, {})", type, (*from)[0], fmt::join(*to, ", "));
}

std::string GpuReader::conversion(const GpuInstruction& one) {
  if (one.has("relu") || one.has("satfinite") || one.words.size() < 3) return {};
  const std::string from_name = one.words.back();
  const std::string to_name = one.words[one.words.size() - 2];
  const bool is_clamped = one.has("sat");
  if (is_clamped && to_name.front() != 's' && to_name.front() != 'u') return {};
  Words given;
  for (const std::string& text : one.operands) given.push_back(operand(text));
  if (is_one_of(std::string(), given)) return {};
  const std::string from = gpu_type(from_name);
  if (from.empty()) return {};
  if ((to_name == "f16x2" || to_name == "bf16x2") && given.size() == 3)
    return fmt::format(
        "::heddle_ptx::put({}, ::heddle_ptx::pair_{}(::heddle_ptx::as<float>({}), "
        "::heddle_ptx::as<float>({})))",
        given[0], to_name, given[1], given[2]);
  if (given.size() != 2) return {};
  const std::string to = gpu_type(to_name);
  if (to.empty() || to_name == "f16x2" || from_name == "f16x2" || from_name == "tf32") return {};
  const std::string_view rounding = one.has("rni")   ? "__builtin_rint"
                                    : one.has("rmi") ? "__builtin_floor"
                                    : one.has("rpi") ? "__builtin_ceil"
                                                     : "";
  return fmt::format("::heddle_ptx::put({}, {}<{}>({}(::heddle_ptx::as<{}>({}))))", given[0],
                     is_clamped ? "::heddle_device::clamped" : "::heddle_ptx::converted", to,
                     rounding, from, given[1]);
}

std::string GpuReader::arithmetic(const GpuInstruction& one) {
  // Name and how many values it takes. T is the instruction's type.
  static const std::map<std::string_view, std::size_t> kCounts = {
      {"add", 2},  {"sub", 2},  {"mul", 2},  {"div", 2},   {"rem", 2},  {"min", 2},  {"max", 2},
      {"and", 2},  {"or", 2},   {"xor", 2},  {"shl", 2},   {"shr", 2},  {"mad", 3},  {"fma", 3},
      {"abs", 1},  {"neg", 1},  {"not", 1},  {"popc", 1},  {"clz", 1},  {"brev", 1}, {"bfind", 1},
      {"ex2", 1},  {"lg2", 1},  {"rcp", 1},  {"rsqrt", 1}, {"sqrt", 1}, {"sin", 1},  {"cos", 1},
      {"tanh", 1}, {"lop3", 4}, {"prmt", 3}, {"bfe", 3},   {"bfi", 4},  {"selp", 3}, {"setp", 2},
      {"dp4a", 3}, {"shf", 3}};
  const std::string& name = one.words.front();
  const auto known = kCounts.find(name);
  const std::string type = one.type();
  if (known == kCounts.end() || type.empty() || one.operands.size() != known->second + 1) return {};
  for (const char* const word :
       {"cc", "sat", "relu", "clamp", "NaN", "xorsign", "bf16", "bf16x2", "tf32"})
    if (one.has(word)) return {};
  const std::size_t most_types = name == "dp4a" ? 2 : 1;
  if (one.types() > most_types) return {};
  Words given;
  for (const std::string& text : one.operands) given.push_back(operand(text));
  if (is_one_of(std::string(), given)) return {};
  std::string values;
  for (std::size_t k = 1; k < given.size(); ++k) {
    const bool is_predicate = name == "selp" && k == 3;
    const bool is_count = (name == "shl" || name == "shr") && k == 2;
    const std::string as = is_predicate ? given[k]
                           : is_count   ? fmt::format("::heddle_ptx::as<unsigned>({})", given[k])
                                        : fmt::format("::heddle_ptx::as<{}>({})", type, given[k]);
    values += (k > 1 ? ", " : "") + as;
  }
  if (name == "setp") {
    static const std::map<std::string_view, std::string_view> kComparisons = {
        {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="}, {"gt", ">"},
        {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"},  {"hs", ">="}};
    if (one.words.size() < 3 || one.operands[0].find('|') != std::string::npos) return {};
    const auto found = kComparisons.find(one.words[1]);
    if (found == kComparisons.end() || one.has("and") || one.has("or") || one.has("xor")) return {};
    return fmt::format("{0} = (::heddle_ptx::as<{1}>({2}) {3} ::heddle_ptx::as<{1}>({4}))",
                       given[0], type, given[1], found->second, given[2]);
  }
  std::string call = name;
  for (const char* const word : {"lo", "hi", "wide", "l", "r", "wrap"})
    if (one.has(word)) call += fmt::format("_{}", word);
  static const std::set<std::string, std::less<>> kCalls = {
      "add",    "sub", "mul", "mul_lo", "mul_hi", "mul_wide",   "div",       "rem",    "min",
      "max",    "and", "or",  "xor",    "shl",    "shr",        "mad",       "mad_lo", "mad_wide",
      "mad_hi", "fma", "abs", "neg",    "not",    "popc",       "clz",       "brev",   "bfind",
      "ex2",    "lg2", "rcp", "rsqrt",  "sqrt",   "sin",        "cos",       "tanh",   "lop3",
      "prmt",   "bfe", "bfi", "selp",   "dp4a",   "shf_l_wrap", "shf_r_wrap"};
  if (!kCalls.contains(call)) return {};
  return fmt::format("::heddle_ptx::put({}, ::heddle_ptx::op_{}<{}>({}))", given[0], call, type,
                     values);
}

/// Of AMD: lane by lane, "v_add_f32_e32 %0, %1, %2". A comparison gives a bit of each lane of the
/// wave, and v_cndmask takes its lane's.
std::string GpuReader::vector(const GpuInstruction& one) {
  struct Known {
    std::size_t values;
    std::string_view type;  ///< that the values are read as
    std::string_view text;
  };
  static const std::map<std::string_view, Known> kKnown = {
      {"mov_b32", {1, "", "{0}"}},
      {"accvgpr_read_b32", {1, "", "{0}"}},
      {"accvgpr_write_b32", {1, "", "{0}"}},
      {"add_f32", {2, "float", "{0} + {1}"}},
      {"sub_f32", {2, "float", "{0} - {1}"}},
      {"subrev_f32", {2, "float", "{1} - {0}"}},
      {"mul_f32", {2, "float", "{0} * {1}"}},
      {"min_f32", {2, "float", "__builtin_fminf({0}, {1})"}},
      {"max_f32", {2, "float", "__builtin_fmaxf({0}, {1})"}},
      {"fma_f32", {3, "float", "__builtin_fmaf({0}, {1}, {2})"}},
      {"exp_f32", {1, "float", "::heddle_ptx::op_ex2<float>({0})"}},
      {"log_f32", {1, "float", "::heddle_ptx::op_lg2<float>({0})"}},
      {"rcp_f32", {1, "float", "::heddle_ptx::op_rcp<float>({0})"}},
      {"rsq_f32", {1, "float", "::heddle_ptx::op_rsqrt<float>({0})"}},
      {"sqrt_f32", {1, "float", "::heddle_ptx::op_sqrt<float>({0})"}},
      {"add_u32", {2, "unsigned", "{0} + {1}"}},
      {"sub_u32", {2, "unsigned", "{0} - {1}"}},
      {"mul_lo_u32", {2, "unsigned", "{0} * {1}"}},
      {"and_b32", {2, "unsigned", "{0} & {1}"}},
      {"or_b32", {2, "unsigned", "{0} | {1}"}},
      {"xor_b32", {2, "unsigned", "{0} ^ {1}"}},
      {"lshlrev_b32", {2, "unsigned", "{1} << ({0} & 31u)"}},
      {"lshrrev_b32", {2, "unsigned", "{1} >> ({0} & 31u)"}},
      {"cvt_pk_bf16_f32", {2, "float", "::heddle_ptx::pair_bf16x2({1}, {0})"}},
      {"pk_add_f16", {2, "::heddle_ptx::Halves", "{0} + {1}"}},
      {"pk_mul_f16", {2, "::heddle_ptx::Halves", "{0} * {1}"}},
      {"pk_fma_f16", {3, "::heddle_ptx::Halves", "__builtin_elementwise_fma({0}, {1}, {2})"}}};
  static const std::map<std::string_view, std::string_view> kComparisons = {
      {"lt", "<"}, {"le", "<="}, {"gt", ">"}, {"ge", ">="}, {"eq", "=="}, {"ne", "!="}};
  static const std::map<std::string_view, std::string_view> kTypes = {
      {"i32", "int"}, {"u32", "unsigned"}, {"f32", "float"}};
  std::string_view name = std::string_view(one.name).substr(2);
  for (const std::string_view ending : {"_e32", "_e64"})
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  Words given;
  for (const std::string& text : one.operands) given.push_back(operand(text));
  if (given.size() < 2 || is_one_of(std::string(), given)) return {};
  const auto value = [&](std::size_t k, std::string_view type) {
    return type.empty() ? given[k] : fmt::format("::heddle_ptx::as<{}>({})", type, given[k]);
  };
  const auto put = [&](const std::string& text) {
    return fmt::format("::heddle_ptx::put({}, {})", given[0], text);
  };
  if (name == "cndmask_b32" && given.size() == 4)
    return put(fmt::format("::heddle_ptx::is_lane_in({}) ? {} : {}", given[3], value(2, "unsigned"),
                           value(1, "unsigned")));
  if (name.starts_with("cmp_") && given.size() == 3) {
    const auto sign = kComparisons.find(name.substr(4, 2));
    const auto type = kTypes.find(name.substr(std::min<std::size_t>(7, name.size())));
    if (sign == kComparisons.end() || type == kTypes.end() || name[6] != '_') return {};
    return put(fmt::format("__ballot({} {} {})", value(1, type->second), sign->second,
                           value(2, type->second)));
  }
  const auto known = kKnown.find(name);
  if (known == kKnown.end() || known->second.values + 1 != given.size()) return {};
  const auto& [count, type, text] = known->second;
  return put(fmt::format(fmt::runtime(text), value(1, type), value(count > 1 ? 2 : 1, type),
                         value(count > 2 ? 3 : 1, type)));
}

}  // namespace heddle::kernel::cxx
