#include "kernel/cxx/target_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "kernel/cxx/assembly.h"
#include "kernel/cxx/source.h"
#include "kernel/cxx/token.h"
#include "support/demangle.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "gemm" of "kernels::gemm<16>".
std::string plain_name(const std::string& function) {
  const std::size_t member = function.rfind(">::");
  const std::string own = member != std::string::npos ? function.substr(member + 3) : function;
  const std::string before = own.substr(0, own.find('<'));
  const std::size_t colon = before.rfind(':');
  return colon == std::string::npos ? before : before.substr(colon + 1);
}

std::string without_blanks(std::string_view text) {
  std::string kept;
  for (const char c : text)
    if (c != ' ') kept += c;
  return kept;
}

/// "kernels::gemm<16>" of "void kernels::gemm<16>(float const*, int)": brackets may nest.
std::string demangled_name(const std::string& name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < name.size(); ++k) {
    const char c = name[k];
    if (c == '(' && depth == 0 && name.compare(k, 21, "(anonymous namespace)") != 0)
      return name.substr(begin, k - begin);
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c == ' ' && depth == 0) begin = k + 1;
  }
  return name.substr(begin);
}

/// The words of each type in "(float const*, unsigned int)", sorted: "*constfloat", "intunsigned".
std::vector<std::string> types_in(const std::string& signature) {
  std::vector<std::string> types;
  std::vector<std::string> words;
  const auto end = [&] {
    std::sort(words.begin(), words.end());
    if (!words.empty()) types.push_back(fmt::format("{}", fmt::join(words, "")));
    words.clear();
  };
  int depth = 0;
  for (const Token& token : tokenize(signature, "a signature")) {
    if (token.text == ")" && --depth == 0) break;
    if (token.text == "," && depth == 1) {
      end();
    } else if ((depth > 0 || token.text != "(") && !token.text.starts_with("__restrict")) {
      words.emplace_back(token.text);
    }
    if (token.text == "(") ++depth;
    if (token.text == "<") ++depth;
    if (token.text == ">") --depth;
  }
  end();
  return types;
}

/// The one symbol whose types are most of the asked ones. Names of types may be others of the same.
std::string of_signature(const std::vector<std::string>& symbols, const std::string& signature) {
  const std::vector<std::string> asked = types_in(signature);
  std::string best;
  std::size_t most = 0;
  bool is_clear = false;
  for (const std::string& symbol : symbols) {
    const std::string name = demangled(symbol);
    const std::size_t begin = name.find(demangled_name(name)) + demangled_name(name).size();
    const std::vector<std::string> types = types_in(name.substr(std::min(begin, name.size())));
    if (types.size() != asked.size()) continue;
    std::size_t same = 1;
    for (std::size_t k = 0; k < types.size(); ++k) same += types[k] == asked[k] ? 1U : 0U;
    if (same < most) continue;
    is_clear = same > most;
    most = same;
    best = symbol;
  }
  return is_clear ? best : std::string();
}

/// The symbol of the kernel among those of the file: the one whose name, template arguments
/// included, is what the job asks for; or the only one of that name. Nothing where it cannot be
/// told.
std::string find_symbol(std::string_view assembly, const std::string& function) {
  const std::string named = without_signature(function);
  const std::string plain = plain_name(named);
  const std::string asked = without_blanks(named);
  std::vector<std::string> equal;
  std::vector<std::string> similar;
  for (const std::string_view line : split(assembly, '\n')) {
    const std::string_view text = trim(line);
    constexpr std::string_view kStart = ".amdhsa_kernel ";
    if (!text.starts_with(kStart)) continue;
    const std::string symbol(trim(text.substr(kStart.size())));
    const std::string name = demangled_name(demangled(symbol));
    if (plain_name(name) != plain) continue;
    similar.push_back(symbol);
    if (without_blanks(name) == asked) equal.push_back(symbol);
  }
  if (equal.size() == 1) return equal.front();
  if (named != function)
    return of_signature(equal.empty() ? similar : equal, function.substr(named.size()));
  return similar.size() == 1 ? similar.front() : std::string();
}

class TargetReader {
 public:
  TargetReader(TargetCode& code, std::string symbol, const std::string& main_file)
      : code_(code), symbol_(std::move(symbol)), main_file_(main_file) {}

  void run() {
    for (const std::string_view line : split(code_.assembly, '\n')) {
      int number = 0;
      std::string name;
      if (read_file_name(line, number, name)) files_[number] = name;
      if (line.starts_with(symbol_) && line.substr(symbol_.size()).starts_with(":")) inside_ = true;
      if (inside_) take(line);
      if (inside_ && line.starts_with(".Lfunc_end")) {
        inside_ = false;
        behind_ = true;
      }
      if (behind_ && holds(line, "codeLenInByte = ")) {
        code_.code_bytes = number_behind(line, '=');
        behind_ = false;
      }
      take_metadata(line);
    }
  }

 private:
  static std::int64_t number_behind(std::string_view line, char mark) {
    std::string_view rest = trim(line.substr(line.find(mark) + 1));
    rest = rest.substr(0, rest.find_first_not_of("0123456789"));
    return parse_integer(rest).value_or(0);
  }

  void take(std::string_view line) {
    AssemblyPlace place;
    if (read_place(line, place)) {
      at_ = files_[place.file] == main_file_ ? place : AssemblyPlace{};
      return;
    }
    if (line.empty() || line[0] != '\t') {
      if (line.starts_with(".LBB") || line.starts_with("; %bb")) ++part_;
      return;
    }
    const std::string_view text = trim(line);
    if (text.empty() || text[0] == '.' || text[0] == ';') return;
    const std::string_view name = text.substr(0, text.find_first_of(" \t"));
    code_.instructions.push_back({text, name, at_.line, at_.column, part_});
  }

  /// The note at the end: one entry for each kernel, its name among its keys.
  void take_metadata(std::string_view line) {
    const std::string_view text = trim(line);
    if (text.starts_with(".amdgpu_metadata")) in_metadata_ = true;
    if (!in_metadata_) return;
    if (line.starts_with("  - .")) {
      finish_entry();
      entry_.clear();
    }
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos && line.starts_with("    ."))
      entry_[std::string(text.substr(0, colon))] = trim(text.substr(colon + 1));
    if (line.starts_with("  - .") && colon != std::string_view::npos)
      entry_[std::string(text.substr(2, colon - 2))] = trim(text.substr(colon + 1));
    if (text.starts_with(".end_amdgpu_metadata")) {
      finish_entry();
      in_metadata_ = false;
    }
  }

  void finish_entry() {
    const auto name = entry_.find(".name");
    if (name == entry_.end() || name->second != symbol_) return;
    const auto number = [&](const char* key) {
      const auto found = entry_.find(key);
      return found == entry_.end() ? std::int64_t{0} : parse_integer(found->second).value_or(0);
    };
    code_.registers = static_cast<int>(number(".vgpr_count"));
    code_.scalar_registers = static_cast<int>(number(".sgpr_count"));
    code_.spilled_registers =
        static_cast<int>(number(".vgpr_spill_count") + number(".sgpr_spill_count"));
    code_.shared_bytes = number(".group_segment_fixed_size");
    code_.scratch_bytes = number(".private_segment_fixed_size");
  }

  TargetCode& code_;
  std::string symbol_;
  const std::string& main_file_;
  std::map<int, std::string> files_;
  std::map<std::string, std::string> entry_;
  AssemblyPlace at_;
  int part_ = 0;
  bool inside_ = false;
  bool behind_ = false;
  bool in_metadata_ = false;
};

/// Matrix units: "v_mfma_f32_32x32x8f16" makes 32 x 32 x 8 multiply-adds for a whole wave.
std::optional<TargetWork> matrix_work(std::string_view name) {
  constexpr std::string_view kStart = "v_mfma_";
  if (!name.starts_with(kStart)) return std::nullopt;
  TargetWork work{ArithmeticKind::dot, DType::float16, 1};
  double product = 1;
  std::string_view rest = name.substr(kStart.size());
  rest = rest.substr(std::min(rest.find('_'), rest.size() - 1) + 1);
  for (int factor = 0; factor < 3; ++factor) {
    const std::size_t digits = rest.find_first_not_of("0123456789");
    product *= static_cast<double>(parse_integer(rest.substr(0, digits)).value_or(1));
    rest = digits == std::string_view::npos ? std::string_view{} : rest.substr(digits);
    if (!rest.empty() && rest[0] == 'x') rest.remove_prefix(1);
  }
  work.type = holds(rest, "f64")   ? DType::float64
              : holds(rest, "f32") ? DType::float32
              : holds(rest, "i8")  ? DType::int8
                                   : DType::float16;
  work.count = product / 64;
  return work;
}

DType type_in(std::string_view name) {
  if (holds(name, "_f64")) return DType::float64;
  if (holds(name, "_f32")) return DType::float32;
  if (holds(name, "_f16") || holds(name, "_bf16")) return DType::float16;
  return DType::int32;
}

/// What the shared memory takes, in steps of a lane's share of a cycle: 128 B a cycle for 64 lanes.
double shared_memory_steps(std::string_view name) {
  if (holds(name, "b128")) return 8;
  if (holds(name, "b96")) return 6;
  if (holds(name, "b64") || holds(name, "2_b32") || holds(name, "2st64_b32")) return 4;
  return 2;
}

}  // namespace

std::optional<TargetCode> read_target_code(std::string assembly, const std::string& function,
                                           const std::string& main_file) {
  const std::string symbol = find_symbol(assembly, function);
  if (symbol.empty()) return std::nullopt;
  TargetCode code;
  code.assembly = std::move(assembly);
  TargetReader(code, symbol, main_file).run();
  return std::optional<TargetCode>(std::move(code));
}

std::optional<TargetWork> work_of(std::string_view name) {
  if (const auto matrix = matrix_work(name)) return matrix;
  if (name.starts_with("ds_read") || name.starts_with("ds_write") || name.starts_with("ds_add"))
    return TargetWork{ArithmeticKind::add, DType::int32, shared_memory_steps(name)};
  if (!name.starts_with("v_")) return std::nullopt;
  const std::string_view rest = name.substr(2);
  for (const std::string_view slow : {"rcp", "rsq", "sqrt", "exp", "log", "sin", "cos"})
    if (rest.starts_with(slow)) return TargetWork{ArithmeticKind::transcendental, type_in(name), 1};
  const double packed = rest.starts_with("pk_") ? 2 : 1;
  const DType type = type_in(name);
  if (holds(rest, "fma") || holds(rest, "fmac") || holds(rest, "mac_f") || holds(rest, "mad_f"))
    return TargetWork{ArithmeticKind::fused, type, packed};
  if (rest.starts_with("dot")) return TargetWork{ArithmeticKind::fused, DType::float16, 2};
  if (holds(rest, "mul_lo") || holds(rest, "mul_hi") || rest.starts_with("mad_u64"))
    return TargetWork{ArithmeticKind::multiply, DType::int32, 1};
  if (holds(rest, "mul_f") || holds(rest, "mul_legacy"))
    return TargetWork{ArithmeticKind::multiply, type, packed};
  if (rest.starts_with("cvt") || rest.starts_with("cmp") || rest.starts_with("cndmask"))
    return TargetWork{ArithmeticKind::add, DType::int32, 1};
  return TargetWork{ArithmeticKind::add, type, packed};
}

std::optional<NativeAtomic> atomic_of(const TargetInstruction& instruction) {
  std::string_view name = instruction.name;
  for (const std::string_view start : {"global_atomic_", "flat_atomic_"}) {
    if (!name.starts_with(start)) continue;
    name.remove_prefix(start.size());
    NativeAtomic atomic;
    atomic.is_unsigned = name.starts_with("umin") || name.starts_with("umax");
    atomic.is_float = holds(name, "_f64") || holds(name, "_f32") || holds(name, "f16");
    static constexpr std::array<std::pair<std::string_view, AtomicFunction>, 12> kFunctions = {{
        {"add", AtomicFunction::add},
        {"pk_add", AtomicFunction::add},
        {"sub", AtomicFunction::add},
        {"smin", AtomicFunction::minimum},
        {"umin", AtomicFunction::minimum},
        {"min", AtomicFunction::minimum},
        {"smax", AtomicFunction::maximum},
        {"umax", AtomicFunction::maximum},
        {"max", AtomicFunction::maximum},
        {"and", AtomicFunction::bit_and},
        {"or", AtomicFunction::bit_or},
        {"xor", AtomicFunction::bit_xor},
    }};
    for (const auto& [word, function] : kFunctions)
      if (name.starts_with(word)) atomic.function = function;
    if (name.starts_with("cmpswap")) atomic.function = AtomicFunction::compare_exchange;
    atomic.result_used = holds(instruction.text, " glc") || holds(instruction.text, " sc0");
    return atomic;
  }
  return std::nullopt;
}

bool is_scalar_load(std::string_view name) {
  return name.starts_with("s_load") || name.starts_with("s_buffer_load");
}

bool is_vector_load(std::string_view name) {
  return name.starts_with("global_load") || name.starts_with("flat_load") ||
         name.starts_with("buffer_load") || name.starts_with("scratch_load");
}

}  // namespace heddle::kernel::cxx
