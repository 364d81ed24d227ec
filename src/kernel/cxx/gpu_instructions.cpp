#include "kernel/cxx/gpu_instructions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "kernel/cxx/gpu_reader.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

/// Parts between commas outside brackets, trimmed.
Words parts_of(std::string_view text) {
  Words parts;
  std::string one;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back(trim(one));
      one.clear();
    } else {
      one += c;
    }
  }
  if (!trim(one).empty()) parts.emplace_back(trim(one));
  return parts;
}

bool starts_as_amd(std::string_view name) {
  for (const std::string_view start :
       {"s_", "v_", "ds_", "global_", "buffer_", "flat_", "scratch_", "tbuffer_", "image_"})
    if (name.starts_with(start)) return true;
  return false;
}

std::string plain_register(std::string_view name) {
  std::string plain;
  for (const char c : trim(name))
    if (c != '%') plain += c;
  return plain;
}

bool is_hexadecimal(std::string_view digits) {
  return !digits.empty() &&
         digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string literal(std::string_view text) {
  if (text.starts_with("0f") || text.starts_with("0F"))
    return text.size() == 10 && is_hexadecimal(text.substr(2))
               ? fmt::format("::heddle_device::bits_as<float>(0x{}u)", text.substr(2))
               : std::string();
  const bool is_negative = text.starts_with("-");
  std::string_view digits = is_negative ? text.substr(1) : text;
  if (digits.ends_with("U")) digits.remove_suffix(1);
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  const bool is_good =
      is_hex ? is_hexadecimal(digits.substr(2))
             : !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_good || digits.size() > 18) return {};
  return fmt::format("{}{}{}", is_negative ? "-" : "", digits, is_hex ? "ull" : "ll");
}

std::string special(const std::string& name) {
  static const std::map<std::string, std::string, std::less<>> kKnown = {
      {"laneid", "::heddle_device::lane()"},
      {"warpid", "::heddle_ptx::warp()"},
      {"clock", "clock64()"},
      {"clock64", "clock64()"},
      {"globaltimer", "wall_clock64()"},
      {"lanemask_lt", "((1u << ::heddle_device::lane()) - 1)"},
      {"lanemask_eq", "(1u << ::heddle_device::lane())"},
      {"lanemask_le", "(((1u << ::heddle_device::lane()) - 1) | (1u << ::heddle_device::lane()))"},
      {"tid.x", "threadIdx.x"},
      {"tid.y", "threadIdx.y"},
      {"tid.z", "threadIdx.z"},
      {"ntid.x", "blockDim.x"},
      {"ntid.y", "blockDim.y"},
      {"ntid.z", "blockDim.z"}};
  const auto found = kKnown.find(name);
  return found == kKnown.end() ? std::string() : found->second;
}

}  // namespace

std::string gpu_type(std::string_view name) {
  static const std::map<std::string_view, std::string_view> kTypes = {
      {"b8", "unsigned char"},
      {"u8", "unsigned char"},
      {"s8", "signed char"},
      {"b16", "unsigned short"},
      {"u16", "unsigned short"},
      {"s16", "short"},
      {"b32", "unsigned"},
      {"u32", "unsigned"},
      {"s32", "int"},
      {"b64", "unsigned long long"},
      {"u64", "unsigned long long"},
      {"s64", "long long"},
      {"f16", "_Float16"},
      {"f32", "float"},
      {"f64", "double"},
      {"f16x2", "::heddle_ptx::Halves"},
      {"bf16", "::heddle_ptx::Bfloat"},
      {"tf32", "::heddle_ptx::Tf32"}};
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? std::string() : std::string(found->second);
}

GpuCode GpuReader::run() {
  GpuCode code;
  // Nothing but operands, which a chip's compiler is to keep in registers of a kind.
  code.is_gpus = trim(statement_.text).empty() && !statement_.operands.empty();
  for (const std::string& line : lines()) {
    if (declaration(line)) continue;
    GpuInstruction one;
    if (!take_apart(line, one)) return unknown(line, code.is_gpus);
    std::string text = translated(one);
    if (text.empty()) return unknown(one.name, code.is_gpus || !registers_.empty());
    code.is_gpus = true;
    if (text == kNothing) continue;
    code.text += one.predicate.empty() ? fmt::format(" {};", text)
                                       : fmt::format(" if ({}) {{ {}; }}", one.predicate, text);
  }
  if (!code.text.empty()) code.text = variables() + code.text;
  return code;
}

/// Statements without comments; the braces of a scope go.
Words GpuReader::lines() const {
  std::string text;
  for (std::string_view rest : split(statement_.text, '\n')) {
    rest = rest.substr(0, rest.find("//"));
    text += rest;
    text += '\n';
  }
  const char mark = text.find(';') != std::string::npos ? ';' : '\n';
  Words all;
  for (const std::string_view part : split(text, mark)) {
    std::string_view line = trim(part);
    while (!line.empty() && (line.front() == '{' || line.front() == '}'))
      line = trim(line.substr(1));
    std::string flat(line);
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    std::replace(flat.begin(), flat.end(), '\t', ' ');
    if (!trim(flat).empty()) all.emplace_back(trim(flat));
  }
  return all;
}

GpuCode GpuReader::unknown(std::string_view line, bool is_gpus) const {
  GpuCode code;
  const std::string_view name = trim(line).substr(0, trim(line).find_first_of(" \t"));
  const bool is_plain = !name.empty() && name.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                                             "YZ0123456789_.:@!%") == std::string_view::npos;
  // Of another machine: Clang knows it, or says so.
  const bool is_dotted = name.find('.') != std::string_view::npos && !name.starts_with(".");
  is_gpus = is_gpus || is_dotted || starts_as_amd(name);
  if (is_plain && is_gpus) {
    code.unknown = name;
    std::erase_if(code.unknown, [](char c) { return c == '%' || c == '@'; });
  }
  return code;
}

/// ".reg .pred p, q": a register is a variable.
bool GpuReader::declaration(const std::string& line) {
  if (!line.starts_with(".reg")) return false;
  const std::vector<std::string_view> words = split(line, ' ');
  std::string type;
  std::size_t behind = 0;
  for (const std::string_view word : words) {
    if (word.starts_with(".") && word != ".reg" && type.empty())
      type = word == ".pred" ? "bool" : gpu_type(word.substr(1));
    if (!type.empty()) {
      behind = static_cast<std::size_t>(word.data() - line.data()) + word.size();
      break;
    }
  }
  for (const std::string& name : parts_of(line.substr(std::min(behind, line.size())))) {
    const std::size_t count = name.find('<');
    const std::string plain = plain_register(name.substr(0, count));
    if (count == std::string::npos) {
      registers_[plain] = type;
      continue;
    }
    const auto most = parse_integer(name.substr(count + 1, name.find('>') - count - 1));
    for (std::int64_t k = 0; k < std::min<std::int64_t>(most.value_or(0), 64); ++k)
      registers_[fmt::format("{}{}", plain, k)] = type;
  }
  return true;
}

bool GpuReader::take_apart(std::string_view line, GpuInstruction& one) {
  if (line.starts_with("@")) {
    const std::size_t end = line.find(' ');
    if (end == std::string_view::npos) return false;
    std::string_view name = line.substr(1, end - 1);
    const bool is_not = name.starts_with("!");
    if (is_not) name.remove_prefix(1);
    const std::string value = operand(name);
    if (value.empty()) return false;
    one.predicate = is_not ? "!" + value : value;
    line = trim(line.substr(end));
  }
  const std::size_t end = std::min(line.find_first_of(" \t{["), line.size());
  one.name = line.substr(0, end);
  for (const std::string_view word : split(one.name, '.')) one.words.emplace_back(word);
  one.operands = parts_of(line.substr(end));
  return !one.name.empty() && one.words.size() < 20 && one.name.find(':') != 0;
}

/// C++ of an operand; empty where it is not known.
std::string GpuReader::operand(std::string_view text) {
  text = trim(text);
  const auto number_of = [&](std::string_view digits) -> std::string {
    const auto k = parse_integer(digits);
    if (!k || *k < 0 || *k >= std::ssize(statement_.operands)) return {};
    return fmt::format("heddle_{}", *k);
  };
  if (text.starts_with("%[") && text.ends_with("]")) {
    const std::string_view name = text.substr(2, text.size() - 3);
    for (std::size_t k = 0; k < statement_.operands.size(); ++k)
      if (statement_.operands[k].name == name) return fmt::format("heddle_{}", k);
    return {};
  }
  if (text.starts_with("%") && text.size() > 1 && text[1] >= '0' && text[1] <= '9')
    return number_of(text.substr(1));
  const std::string plain = plain_register(text);
  if (const auto found = registers_.find(plain); found != registers_.end())
    return used_.insert(plain).second, "heddle_register_" + plain;
  if (text.starts_with("%")) return special(plain);
  return literal(text);
}

/// "[%1 + 16]"; `in_shared`: 32 bits may be an offset of shared memory.
std::string GpuReader::address(std::string_view text, bool in_shared) {
  text = trim(text);
  if (!text.starts_with("[") || !text.ends_with("]")) return {};
  text = trim(text.substr(1, text.size() - 2));
  std::string offset = "0";
  std::size_t sign = text.find('+');
  if (sign == std::string_view::npos) sign = text.find('-', 1);
  if (sign != std::string_view::npos) {
    offset = operand(text.substr(sign + 1));
    if (offset.empty()) return {};
    if (text[sign] == '-') offset = "-" + offset;
    text = trim(text.substr(0, sign));
  }
  const std::string base = operand(text);
  if (base.empty()) return {};
  return fmt::format("::heddle_ptx::at<{}>({}, {})", in_shared, base, offset);
}

/// "{%0, %1}" or "%0"; nothing where one is not known.
std::optional<Words> GpuReader::list(std::string_view text) {
  text = trim(text);
  Words all;
  if (text.starts_with("{") && text.ends_with("}"))
    all = parts_of(text.substr(1, text.size() - 2));
  else
    all.emplace_back(text);
  for (std::string& one : all)
    if ((one = operand(one)).empty()) return std::nullopt;
  return all;
}

std::string GpuReader::variables() const {
  std::string text;
  for (const auto& [name, type] : registers_)
    if (used_.contains(name) && !type.empty())
      text += fmt::format(" {} heddle_register_{}{{}};", type, name);
  return text;
}

std::string GpuReader::translated(const GpuInstruction& one) {
  const std::string& first = one.words.front();
  if (one.words.size() == 1 && starts_as_amd(one.name)) return amd(one);
  if (first == "ld" || first == "ldu" || first == "st") return memory(one);
  if (first == "ldmatrix" || first == "mma") return matrices(one);
  if (first == "cp") return asynchronous(one);
  if (first == "atom" || first == "red") return atomic(one);
  if (first == "shfl" || first == "vote" || first == "activemask" || first == "bar" ||
      first == "barrier")
    return waves(one);
  if (first == "mov" || first == "cvta") return move(one);
  if (first == "cvt") return conversion(one);
  if (first == "membar" || first == "fence") return "__threadfence()";
  if (first == "prefetch" || first == "prefetchu" || first == "nanosleep" ||
      first == "griddepcontrol" || first == "setmaxnreg" || first == "applypriority")
    return std::string(kNothing);
  if (first == "createpolicy" && !one.operands.empty()) {
    const std::string to = operand(one.operands[0]);
    return to.empty() ? std::string() : fmt::format("::heddle_ptx::put({}, 0ull)", to);
  }
  if (one.name == "trap" && one.operands.empty()) return "__trap()";
  return arithmetic(one);
}

/// Waits and hints; shared and global memory.
std::string GpuReader::amd(const GpuInstruction& one) {
  for (const std::string_view start :
       {"s_wait", "s_nop", "s_setprio", "s_sleep", "s_inst_prefetch", "s_icache_inv", "s_sched",
        "s_clause", "buffer_gl0_inv", "buffer_gl1_inv", "buffer_wbinvl1"})
    if (one.name.starts_with(start)) return std::string(kNothing);
  if (one.name == "s_barrier") return "::heddle_device::block_barrier()";
  if (one.name.starts_with("v_")) return vector(one);
  static const std::map<std::string_view, std::pair<std::string_view, int>> kSizes = {
      {"b32", {"unsigned", 1}},        {"b64", {"unsigned", 2}},
      {"b96", {"unsigned", 3}},        {"b128", {"unsigned", 4}},
      {"dword", {"unsigned", 1}},      {"dwordx2", {"unsigned", 2}},
      {"dwordx3", {"unsigned", 3}},    {"dwordx4", {"unsigned", 4}},
      {"u8", {"unsigned char", 1}},    {"u16", {"unsigned short", 1}},
      {"ubyte", {"unsigned char", 1}}, {"ushort", {"unsigned short", 1}},
      {"b8", {"unsigned char", 1}},    {"b16", {"unsigned short", 1}},
      {"byte", {"unsigned char", 1}},  {"short", {"unsigned short", 1}}};
  const std::size_t low = one.name.rfind('_');
  const auto size = kSizes.find(std::string_view(one.name).substr(low + 1));
  if (size == kSizes.end()) return {};
  const std::string verb = one.name.substr(0, low);
  const bool is_shared = verb.starts_with("ds_");
  const bool is_transposed = one.name == "ds_read_b64_tr_b16";
  const bool is_read =
      verb == "ds_read" || verb == "ds_load" || verb == "global_load" || is_transposed;
  const bool is_write = verb == "ds_write" || verb == "ds_store" || verb == "global_store";
  if ((!is_read && !is_write) || one.operands.size() < 2) return {};
  // The last operand has modifiers behind it: "%1 offset:16", "off offset:%2".
  Words operands = one.operands;
  std::string offset = "0";
  std::string& last = operands.back();
  const std::string written = last;
  for (const std::string_view word : split(written, ' ')) {
    if (word.starts_with("offset:")) {
      offset = operand(word.substr(7));
      if (offset.empty()) return {};
    } else if (!word.empty() && word != last.substr(0, last.find(' ')) && word != "glc" &&
               word != "slc" && word != "sc0" && word != "sc1" && word != "nt") {
      return {};
    }
  }
  last = last.substr(0, last.find(' '));
  if (!is_shared && (operands.size() != 3 || operands[2] != "off")) return {};
  if (is_shared && operands.size() != 2) return {};
  const std::string address = operand(operands[is_read ? 1 : 0]);
  const std::string value = operand(operands[is_read ? 0 : 1]);
  if (address.empty() || value.empty()) return {};
  if (is_transposed)
    return fmt::format("::heddle_ptx::load_transposed(::heddle_ptx::at<true>({}, {}), {})", address,
                       offset, value);
  return fmt::format("::heddle_ptx::{}<{}, {}>(::heddle_ptx::at<{}>({}, {}), {})",
                     is_read ? "load_whole" : "store_whole", size->second.first,
                     size->second.second, is_shared, address, offset, value);
}

std::string GpuReader::memory(const GpuInstruction& one) {
  const bool is_store = one.words.front() == "st";
  if (one.has("param") || one.has("local") || one.has("async") || one.has("bulk")) return {};
  const bool has_policy = one.has("L2::cache_hint");
  if (one.operands.size() != (has_policy ? std::size_t{3} : 2)) return {};
  const int count = one.has("v8") ? 8 : one.has("v4") ? 4 : one.has("v2") ? 2 : 1;
  const std::string type = one.type();
  const bool in_shared = one.has("shared") || one.has("shared::cta");
  const std::string from = address(one.operands[is_store ? 0 : 1], in_shared);
  const auto values = list(one.operands[is_store ? 1 : 0]);
  if (type.empty() || from.empty() || !values || values->size() != static_cast<std::size_t>(count))
    return {};
  return fmt::format("::heddle_ptx::{}<{}, {}>({}, {})", is_store ? "store" : "load", type, count,
                     from, fmt::join(*values, ", "));
}

std::string GpuReader::matrices(const GpuInstruction& one) {
  if (one.words.front() == "ldmatrix") {
    const int count = one.has("x4") ? 4 : one.has("x2") ? 2 : 1;
    if (!one.has("m8n8") || !one.has("b16") || one.operands.size() != 2) return {};
    const std::string from = address(one.operands[1], true);
    const auto values = list(one.operands[0]);
    if (from.empty() || !values || values->size() != static_cast<std::size_t>(count)) return {};
    return fmt::format("::heddle_ptx::load_matrices<{}, {}>({}, {})", count, one.has("trans"), from,
                       fmt::join(*values, ", "));
  }
  // mma.sync.aligned.SHAPE.row.col.D.A.B.C
  const Words& words = one.words;
  static const std::set<std::string, std::less<>> kExtra = {"satfinite"};
  Words plain;
  for (const std::string& word : words)
    if (!kExtra.contains(word)) plain.push_back(word);
  if (plain.size() != 10 || plain[1] != "sync" || plain[4] != "row" || plain[5] != "col" ||
      one.operands.size() != 4)
    return {};
  static const std::map<std::string_view, std::string_view> kShapes = {
      {"m16n8k16", "16, 8, 16"}, {"m16n8k8", "16, 8, 8"}, {"m16n8k4", "16, 8, 4"},
      {"m8n8k4", "8, 8, 4"},     {"m8n8k16", "8, 8, 16"}, {"m16n8k32", "16, 8, 32"}};
  const auto shape = kShapes.find(plain[3]);
  Words types;
  for (std::size_t k = 6; k < 10; ++k) types.push_back(gpu_type(plain[k]));
  const bool is_known = std::none_of(types.begin(), types.end(),
                                     [](const std::string& type) { return type.empty(); });
  // Of Volta, with lanes of its own.
  const bool is_old = plain[3] == "m8n8k4" && plain[7] == "f16";
  if (shape == kShapes.end() || !is_known || is_old) return {};
  std::array<Words, 4> lists;
  for (std::size_t k = 0; k < 4; ++k) {
    auto values = list(one.operands[k]);
    if (!values) return {};
    lists[k] = std::move(*values);
  }
  return fmt::format(
      "::heddle_ptx::multiply<{}, {}>(::heddle_ptx::pack({}), ::heddle_ptx::pack({}), "
      "::heddle_ptx::pack({}), {})",
      shape->second, fmt::join(types, ", "), fmt::join(lists[1], ", "), fmt::join(lists[2], ", "),
      fmt::join(lists[3], ", "), fmt::join(lists[0], ", "));
}

std::string GpuReader::asynchronous(const GpuInstruction& one) {
  if (!one.has("async")) return {};
  if (one.has("commit_group") || one.has("wait_group") || one.has("wait_all"))
    return std::string(kNothing);
  if (one.has("bulk") || one.has("mbarrier") || one.has("tensor")) return {};
  Words operands = one.operands;
  if (one.has("L2::cache_hint") && operands.size() > 3) operands.pop_back();
  if (operands.size() < 3 || operands.size() > 4) return {};
  // A predicate in the fourth place says that the source is ignored.
  if (const auto known = registers_.find(plain_register(operands.back()));
      known != registers_.end() && known->second == "bool")
    return {};
  const std::string to = address(operands[0], true);
  const std::string from = address(operands[1], false);
  const std::string bytes = operand(operands[2]);
  const std::string taken = operands.size() == 4 ? operand(operands[3]) : bytes;
  if (to.empty() || from.empty() || bytes.empty() || taken.empty()) return {};
  return fmt::format("::heddle_ptx::copy({}, {}, {}, {})", to, from, bytes, taken);
}

GpuCode gpu_code(const AssemblyStatement& statement) {
  return GpuReader(statement).run();
}

}  // namespace heddle::kernel::cxx
