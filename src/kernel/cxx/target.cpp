#include "kernel/cxx/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "kernel/cxx/clang.h"
#include "kernel/cxx/target_code.h"

namespace heddle::kernel::cxx {
namespace {

using LineColumn = std::pair<int, int>;

constexpr const char* kReference =
    "gfx90a";  ///< whose code atomics, and NVIDIA's registers, are of

bool is_nvidia(const std::string& target) {
  return target.rfind("sm_", 0) == 0;
}

/// Clang 19 does not know gfx950, whose compute units are those of gfx942 with more shared memory.
std::string known_target(const std::string& target) {
  return target == "gfx950" ? "gfx942" : target;
}

/// A template is compiled for the chip only if somebody names it.
std::string target_text(const NativeCode& native, bool unrolled) {
  return fmt::format(
      "#line 1 \"{}\"\n{}\n#line 1 \"heddle_footer\"\n"
      "{}__attribute__((host)) void* heddle_named() {{ return reinterpret_cast<void*>({}); }}\n",
      kMainFile, unrolled ? native.device_text : without_unrolling(native.device_text),
      native.overload, native.callee);
}

ClangOutput compile_for(const NativeCode& native, const std::string& target, bool unrolled) {
  const std::string path = native.place.folder + "/" + target + (unrolled ? "" : "-plain") + ".hip";
  write_input(path, target_text(native, unrolled));
  std::vector<std::string> arguments =
      is_nvidia(target) ? std::vector<std::string>{"-x",
                                                   "cuda",
                                                   "--cuda-device-only",
                                                   "-nocudainc",
                                                   "-nocudalib",
                                                   "--cuda-gpu-arch=" + target,
                                                   "--no-cuda-version-check"}
                        : std::vector<std::string>{"-x",
                                                   "hip",
                                                   "--cuda-device-only",
                                                   "-nogpuinc",
                                                   "-nogpulib",
                                                   "--offload-arch=" + known_target(target),
                                                   "-munsafe-fp-atomics",
                                                   "-mllvm",
                                                   "-amdgpu-atomic-optimizer-strategy=None"};
  const std::vector<std::string> more = {"-std=c++20", "-O3", "-S", "-gline-tables-only",
                                         "-fdeclspec"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  if (!unrolled) arguments.push_back("-fno-unroll-loops");
  append_common(native, arguments);
  arguments.insert(arguments.end(), {"-o", "-", path});
  return run_clang(arguments, &native.place);
}

std::optional<TargetCode> code_for(const NativeCode& native, const std::string& target,
                                   bool unrolled, std::string& reason) {
  ClangOutput output = compile_for(native, target, unrolled);
  if (!output.good) {
    reason = clang_error(output.errors, native.source_path).full_text();
    return std::nullopt;
  }
  auto code =
      read_target_code(std::move(output.output), native.function + native.signature, kMainFile);
  if (!code)
    reason = fmt::format("Clang's code for {} has no kernel '{}'", target, native.function);
  return code;
}

/// The counters of the traced code that tell how often a place runs.
class Counters {
 public:
  explicit Counters(const NativeCode& native) {
    for (const CountedPlace& place : native.places) {
      exact_[{place.line, place.column}].insert(place.counter);
      lines_[place.line].insert(place.counter);
    }
  }

  const std::set<std::int32_t>& of(const TargetInstruction& instruction) const {
    const auto exact = exact_.find({instruction.line, instruction.column});
    if (instruction.line > 0 && exact != exact_.end()) return exact->second;
    auto line = lines_.upper_bound(instruction.line);
    if (line == lines_.begin()) return entry_;
    return std::prev(line)->second;
  }

 private:
  std::map<LineColumn, std::set<std::int32_t>> exact_;
  std::map<int, std::set<std::int32_t>> lines_;
  std::set<std::int32_t> entry_ = {0};
};

std::vector<CountedWork> counted_work(const TargetCode& code, const NativeCode& native) {
  const Counters counters(native);
  // An instruction of a place may be in several parts of the code, which share its times.
  using Copy = std::tuple<int, int, std::string_view>;
  const auto copy_of = [](const TargetInstruction& instruction) {
    return Copy{instruction.line, instruction.column, instruction.name};
  };
  std::map<Copy, std::set<int>> parts;
  for (const TargetInstruction& instruction : code.instructions)
    parts[copy_of(instruction)].insert(instruction.part);
  std::map<std::tuple<std::int32_t, ArithmeticKind, DType>, double> sums;
  for (const TargetInstruction& instruction : code.instructions) {
    const auto work = work_of(instruction.name);
    if (!work) continue;
    const auto copies = static_cast<double>(parts[copy_of(instruction)].size());
    const bool is_placed = instruction.line > 0;
    for (const std::int32_t counter : counters.of(instruction))
      sums[{counter, work->kind, work->type}] += work->count / (is_placed ? copies : 1);
  }
  std::vector<CountedWork> all;
  for (const auto& [key, count] : sums)
    all.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  return all;
}

/// A site is a scalar load where the code loads that place for the wave, and never for lanes.
std::vector<std::uint8_t> scalar_sites(const TargetCode& code, const KernelProgram& program) {
  std::set<LineColumn> scalar;
  std::set<LineColumn> vector;
  for (const TargetInstruction& instruction : code.instructions) {
    if (is_scalar_load(instruction.name)) scalar.insert({instruction.line, instruction.column});
    if (is_vector_load(instruction.name)) vector.insert({instruction.line, instruction.column});
  }
  std::vector<std::uint8_t> flags(program.sites.size(), 0);
  for (std::size_t k = 0; k < flags.size(); ++k) {
    const Position at = program.places[static_cast<std::size_t>(program.sites[k].place)].position;
    const LineColumn place{at.line, at.column};
    if (program.sites[k].kind == MemoryKind::read && at.line > 0)
      flags[k] = scalar.count(place) > 0 && vector.count(place) == 0 ? 1 : 0;
  }
  return flags;
}

/// The sum of ".shared .align 4 .b8 tile[1024];" in PTX, of those that the entry names.
std::int64_t shared_in_ptx(const std::string& ptx, const std::string& function) {
  const std::string before = function.substr(0, function.find('<'));
  const std::string plain = before.substr(before.rfind(':') + 1);
  const std::string mangled = fmt::format("{}{}", plain.size(), plain);
  std::string body;
  for (std::size_t at = ptx.find(".entry "); at != std::string::npos;
       at = ptx.find(".entry ", at + 1)) {
    const std::size_t open = ptx.find('(', at);
    if (open == std::string::npos) break;
    const std::string name = ptx.substr(at + 7, open - at - 7);
    if (name != plain && name.find(mangled) == std::string::npos) continue;
    body += ptx.substr(open, ptx.find("\n}", open) - open);
  }
  std::int64_t bytes = 0;
  for (std::size_t at = ptx.find(".shared .align"); at != std::string::npos;
       at = ptx.find(".shared .align", at + 1)) {
    const std::size_t end = ptx.find(';', at);
    const std::size_t open = ptx.rfind('[', end);
    if (end == std::string::npos || open == std::string::npos || open < at) continue;
    const std::size_t begin = ptx.rfind(' ', open) + 1;
    if (body.find(ptx.substr(begin, open - begin)) == std::string::npos) continue;
    bytes += std::strtoll(ptx.c_str() + open + 1, nullptr, 10);
  }
  return bytes;
}

TargetFacts amd_facts(const KernelProgram& program, const NativeCode& native,
                      const std::string& target, std::optional<TargetCode>& code) {
  TargetFacts facts;
  facts.target = target;
  facts.scalar.assign(program.sites.size(), 0);
  code = code_for(native, target, true, facts.reason);
  if (!code) return facts;
  facts.registers = code->registers;
  facts.scalar_registers = code->scalar_registers;
  facts.spilled_registers = code->spilled_registers;
  facts.shared_bytes = code->shared_bytes;
  facts.scratch_bytes = code->scratch_bytes;
  facts.code_bytes = code->code_bytes;
  facts.scalar = scalar_sites(*code, program);
  std::string ignored;
  if (const auto plain = code_for(native, target, false, ignored))
    facts.work = counted_work(*plain, native);
  return facts;
}

TargetFacts nvidia_facts(const KernelProgram& program, const NativeCode& native,
                         const std::string& target) {
  TargetFacts facts = *program.facts(kReference);
  facts.target = target;
  std::fill(facts.scalar.begin(), facts.scalar.end(), std::uint8_t{0});
  const ClangOutput output = compile_for(native, target, true);
  if (output.good) facts.shared_bytes = shared_in_ptx(output.output, native.function);
  return facts;
}

/// Minima of signed and of unsigned numbers do not commute, nor do sums of different widths.
void keep_apart(const KernelProgram& program, const NativeCode& native,
                std::vector<NativeAtomic>& atomics) {
  const auto is_atomic = [&](std::size_t k) { return program.sites[k].kind == MemoryKind::atomic; };
  std::vector<bool> mixed(atomics.size(), false);
  for (std::size_t a = 0; a < atomics.size(); ++a)
    for (std::size_t b = 0; b < atomics.size(); ++b)
      if (is_atomic(a) && is_atomic(b) && atomics[a].function == atomics[b].function &&
          (native.bytes[a] != native.bytes[b] || atomics[a].is_float != atomics[b].is_float ||
           atomics[a].is_unsigned != atomics[b].is_unsigned))
        mixed[a] = true;
  for (std::size_t k = 0; k < atomics.size(); ++k)
    if (mixed[k]) atomics[k].result_used = true;
}

}  // namespace

std::string without_unrolling(std::string text) {
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    if (text.find_first_not_of(" \t", begin) != at) continue;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string words;
    for (const char c : std::string_view(text).substr(at, end - at))
      if (c != ' ' && c != '\t') words += c;
    if (words.starts_with("#pragmaunroll") || words.starts_with("#pragmaGCCunroll") ||
        words.starts_with("#pragmaclangloop"))
      text.replace(begin, end - begin, end - begin, ' ');
  }
  return text;
}

std::shared_ptr<const TargetFacts> find_facts(const KernelProgram& program,
                                              const NativeCode& native, const std::string& target) {
  std::optional<TargetCode> ignored;
  return std::make_shared<const TargetFacts>(is_nvidia(target)
                                                 ? nvidia_facts(program, native, target)
                                                 : amd_facts(program, native, target, ignored));
}

std::vector<NativeAtomic> find_atomics(const KernelProgram& program, const NativeCode& native,
                                       FactsByTarget& facts) {
  const std::vector<Site>& sites = program.sites;
  std::vector<NativeAtomic> atomics(sites.size());
  const bool any = std::any_of(sites.begin(), sites.end(),
                               [](const Site& site) { return site.kind == MemoryKind::atomic; });
  if (!any) return atomics;
  std::optional<TargetCode> code;
  facts[kReference] =
      std::make_shared<const TargetFacts>(amd_facts(program, native, kReference, code));
  if (!code) return atomics;
  std::map<LineColumn, NativeAtomic> at;
  for (const TargetInstruction& instruction : code->instructions) {
    const auto atomic = atomic_of(instruction);
    if (!atomic) continue;
    const auto [known, is_new] = at.try_emplace({instruction.line, instruction.column}, *atomic);
    if (is_new) continue;
    known->second.result_used = known->second.result_used || atomic->result_used;
    if (known->second.function != atomic->function)
      known->second.function = AtomicFunction::exchange;
  }
  for (std::size_t k = 0; k < sites.size(); ++k) {
    const Position place = program.places[static_cast<std::size_t>(sites[k].place)].position;
    const auto known = at.find({place.line, place.column});
    if (sites[k].kind == MemoryKind::atomic && known != at.end()) atomics[k] = known->second;
  }
  keep_apart(program, native, atomics);
  return atomics;
}

}  // namespace heddle::kernel::cxx
