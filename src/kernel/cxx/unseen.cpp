#include "kernel/cxx/unseen.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kernel/cxx/ir.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::kernel {

std::string unseen_text(const std::vector<UnseenAccess>& unseen) {
  const UnseenAccess& first = unseen.front();
  std::string text = first.what;
  if (first.place.line > 0)
    text = fmt::format("line {}: {}", first.place.line, first.what);
  else if (!first.elsewhere.empty())
    text = fmt::format("{}: {}", first.elsewhere, first.what);
  if (unseen.size() > 1) text += fmt::format(", and {} more like it", unseen.size() - 1);
  return text;
}

namespace cxx {
namespace {

constexpr std::size_t kMostUnseen = 64;

using Names = std::set<std::string, std::less<>>;

/// Mathematics that reads and writes nothing but its arguments and errno, which no kernel reads;
/// each also with f and l behind it.
const Names& pure_functions() {
  static const Names kNames = [] {
    Names names;
    for (const char* const name :
         {"acos",    "acosh",     "asin",        "asinh",     "atan",       "atan2",    "atanh",
          "cbrt",    "ceil",      "cos",         "copysign",  "cosh",       "erf",      "erfc",
          "exp",     "exp10",     "exp2",        "expm1",     "fabs",       "fdim",     "floor",
          "fma",     "fmax",      "fmin",        "fmod",      "hypot",      "ilogb",    "j0",
          "j1",      "jn",        "ldexp",       "lgamma",    "log",        "log10",    "log1p",
          "log2",    "logb",      "lrint",       "lround",    "llrint",     "pow",      "rint",
          "llround", "nearbyint", "nextafter",   "remainder", "round",      "sin",      "sinh",
          "sqrt",    "scalbln",   "scalbn",      "roundeven", "tan",        "tanh",     "tgamma",
          "trunc",   "y0",        "y1",          "yn",        "nexttoward", "__finite", "__isnan",
          "__isinf", "__signbit", "__fpclassify"})
      for (const char* const ending : {"", "f", "l"}) names.insert(name + std::string(ending));
    names.insert({"abs", "labs", "llabs"});
    return names;
  }();
  return kNames;
}

/// Mathematics that writes through the pointers it is given, and nowhere else.
bool writes_results(std::string_view name) {
  static const Names kNames = {"frexp",  "frexpf",  "modf",   "modff",
                               "sincos", "sincosf", "remquo", "remquof"};
  return kNames.contains(name);
}

/// What the runner has for kernels (heddle/abi.h), but for its clock.
bool is_of_runner(std::string_view name) {
  static const Names kNames = {"heddle_thread_index", "heddle_block_index",   "heddle_block_extent",
                               "heddle_grid_extent",  "heddle_lane",          "heddle_wave_lanes",
                               "heddle_barrier",      "heddle_barrier_vote",  "heddle_wave_barrier",
                               "heddle_exchange",     "heddle_ballot",        "heddle_active_mask",
                               "heddle_stop",         "heddle_stop_at_assert"};
  return kNames.contains(name) || name.starts_with("heddle_atomic") ||
         name.starts_with("__sanitizer_cov_trace_pc_guard") || name == "__asan_handle_no_return" ||
         name == "__asan_memcpy" || name == "__asan_memmove" || name == "__asan_memset";
}

/// What the device headers define under names of the tracer.
bool is_own_definition(std::string_view name) {
  return name == "heddle_entry" || name == "heddle_sections" || name == "heddle_ignored_printf" ||
         name == "heddle_failed_assertion";
}

bool is_name_of_tracer(std::string_view name) {
  return name.starts_with("heddle_") || name.starts_with("__sanitizer_") ||
         name.starts_with("__asan_");
}

/// Intrinsics that touch no memory, although LLVM does not say so of them.
bool is_harmless_intrinsic(std::string_view name) {
  static constexpr std::string_view kStarts[] = {
      "llvm.lifetime.",  "llvm.dbg.",         "llvm.assume",    "llvm.experimental.noalias.scope",
      "llvm.invariant.", "llvm.launder.",     "llvm.strip.",    "llvm.sideeffect",
      "llvm.donothing",  "llvm.trap",         "llvm.debugtrap", "llvm.ubsantrap",
      "llvm.stacksave",  "llvm.stackrestore", "llvm.prefetch",  "llvm.pseudoprobe"};
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return name.starts_with(start); });
}

/// "noundef nonnull align 4 %p" without its attributes: "%p".
std::string_view without_attributes(std::string_view operand) {
  static const Names kWords = {"ptr",     "noundef",   "nonnull",  "nocapture", "readonly",
                               "noalias", "writeonly", "readnone", "returned",  "nofree"};
  while (true) {
    const std::string_view word = operand.substr(0, operand.find(' '));
    const bool is_align = word == "align";
    if (!is_align && !kWords.contains(word) && !word.starts_with("dereferenceable")) return operand;
    operand = trim(operand.substr(word.size()));
    if (is_align) operand = trim(operand.substr(std::min(operand.find(' '), operand.size())));
  }
}

/// "%p seq_cst" without the words of an atomic: "%p".
std::string_view without_ordering(std::string_view pointer) {
  for (const std::string_view word :
       {" unordered", " monotonic", " acquire", " release", " acq_rel", " seq_cst"})
    if (pointer.ends_with(word)) pointer.remove_suffix(word.size());
  return trim(pointer.substr(0, pointer.find(" syncscope(")));
}

std::string_view without_words(std::string_view text,
                               std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text.starts_with(word)) text.remove_prefix(word.size());
  return text;
}

/// A load, store or atomic taken apart.
struct Access {
  std::string_view pointer;
  int bytes = 0;  ///< 0: not known
};

/// The instruction that a line of assembly begins with: the characters of its name only.
std::string instruction_in(std::string_view assembly) {
  std::string word(trim(assembly));
  word.resize(std::min(word.find_first_of(" \\\t\n"), word.size()));
  return word.substr(0, 60);
}

std::string_view type_at_start(std::string_view operand) {
  if (operand.starts_with("<")) return operand.substr(0, operand.find('>') + 1);
  return operand.substr(0, operand.find(' '));
}

Access read_access(const IrInstruction& instruction) {
  std::string_view text =
      without_words(instruction.text, {"weak ", "atomic ", "volatile ", "weak "});
  const bool is_load = instruction.opcode == "load";
  const bool is_store = instruction.opcode == "store";
  if (instruction.opcode == "atomicrmw") text = text.substr(std::min(text.find(' '), text.size()));
  const std::vector<std::string_view> operands = split_operands(text);
  if (operands.size() < 2) return {};
  const std::string_view pointer = operands[is_load || is_store ? 1 : 0];
  const std::string_view value = operands[is_load || is_store ? 0 : 1];
  if (!pointer.starts_with("ptr ") || pointer.starts_with("ptr addrspace")) return {};
  return {without_ordering(pointer.substr(4)),
          ir_type_bytes(is_load ? value : type_at_start(value))};
}

/// Every "@name" of a text.
template <class Visit>
void for_each_reference(std::string_view text, Visit visit) {
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1))
    if (at + 1 < text.size()) visit(ir_name(text.substr(at)));
}

/// What a callback in front of an access said.
struct Callback {
  bool is_store = false;
  std::string_view pointer;
  int bytes = 0;
};

std::optional<Callback> read_callback(std::string_view callee, const IrCall& call) {
  constexpr std::string_view kLoad = "__sanitizer_cov_load";
  constexpr std::string_view kStore = "__sanitizer_cov_store";
  const bool is_store = callee.starts_with(kStore);
  if ((!is_store && !callee.starts_with(kLoad)) || call.arguments.size() != 1) return std::nullopt;
  const auto bytes = parse_integer(callee.substr(is_store ? kStore.size() : kLoad.size()));
  return Callback{is_store, without_attributes(call.arguments[0]),
                  static_cast<int>(bytes.value_or(0))};
}

/// The announcements that all ways to a block have passed.
class Announcements {
 public:
  using Set = std::set<std::string>;

  explicit Announcements(const IrFunction& function) : before_(function.blocks.size()) {
    std::map<std::string_view, std::size_t> numbers;
    for (std::size_t k = 0; k < function.blocks.size(); ++k) numbers[function.blocks[k].label] = k;
    before_[0] = Set{};
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = 0; k < function.blocks.size(); ++k) {
        if (!before_[k]) continue;
        Set behind = *before_[k];
        for (const IrInstruction& instruction : function.blocks[k].instructions)
          if (const auto key = key_of(instruction)) behind.insert(*key);
        for (const std::string_view label : function.blocks[k].successors)
          if (const auto to = numbers.find(label); to != numbers.end())
            changed = meet(before_[to->second], behind) || changed;
      }
    }
  }

  const Set& before(std::size_t block) const {
    static const Set kNone;
    return before_[block] ? *before_[block] : kNone;
  }

  static std::string key(std::string_view pointer, int bytes, int location) {
    return fmt::format("{} {} {}", pointer, bytes, location);
  }
  /// Of an instruction that announces an atomic.
  static std::optional<std::string> key_of(const IrInstruction& instruction) {
    constexpr std::string_view kStart = "@heddle_atomic";
    if (instruction.opcode != "call" || instruction.text.find(kStart) == std::string_view::npos)
      return std::nullopt;
    const IrCall call = read_call(instruction.text);
    if (!call.callee.starts_with(kStart) || call.arguments.size() != 1) return std::nullopt;
    const auto bytes = parse_integer(call.callee.substr(kStart.size()));
    return key(without_attributes(call.arguments[0]), static_cast<int>(bytes.value_or(0)),
               instruction.location);
  }

 private:
  /// True if the set became smaller, or is there for the first time.
  static bool meet(std::optional<Set>& into, const Set& other) {
    if (!into) {
      into = other;
      return true;
    }
    return std::erase_if(*into, [&](const std::string& one) { return !other.contains(one); }) > 0;
  }

  std::vector<std::optional<Set>> before_;
};

class UnseenSearch {
 public:
  UnseenSearch(std::string_view ir, const std::string& main_file)
      : module_(ir), main_file_(main_file) {}

  std::vector<UnseenAccess> run() {
    refuse_assembly();
    for (const IrFunction& function : module_.functions) {
      if (is_name_of_tracer(function.name) && !is_own_definition(function.name))
        throw Error(fmt::format("the kernel defines '{}', a name of the tracer", function.name),
                    "give the function another name");
      functions_[function.name] = &function;
    }
    reach("heddle_entry");
    reach("llvm.global_ctors");
    // Compilers call such functions by themselves.
    for (const IrFunction& function : module_.functions)
      if (function.name.starts_with("__") || function.name.starts_with("mem")) reach(function.name);
    for (const IrFunction& function : module_.functions)
      if (reached_.contains(function.name)) look_at(function);
    return std::move(found_);
  }

 private:
  void refuse_assembly() const {
    for (const std::string_view text : module_.assembly)
      if (!trim(text.substr(1)).starts_with(".globl"))
        throw Error(
            "the kernel has assembly outside its functions, whose accesses cannot be "
            "observed",
            "give a variant without it");
  }

  /// Marks what a function or a variable names, and what that names.
  void reach(std::string_view name) {
    std::vector<std::string> open = {std::string(name)};
    while (!open.empty()) {
      const std::string next = std::move(open.back());
      open.pop_back();
      if (!reached_.insert(next).second) continue;
      const auto visit = [&](std::string_view one) { open.emplace_back(one); };
      if (const auto global = module_.globals.find(next); global != module_.globals.end())
        for_each_reference(global->second, visit);
      const auto function = functions_.find(next);
      if (function == functions_.end()) continue;
      for_each_reference(function->second->head, visit);
      for (const IrBlock& block : function->second->blocks)
        for (const IrInstruction& instruction : block.instructions)
          for_each_reference(instruction.text, visit);
    }
  }

  void look_at(const IrFunction& function) {
    function_ = &function;
    private_.clear();
    const Announcements announcements(function);
    for (std::size_t k = 0; k < function.blocks.size(); ++k) {
      announced_ = announcements.before(k);
      callback_.reset();
      for (const IrInstruction& instruction : function.blocks[k].instructions) look_at(instruction);
    }
  }

  void look_at(const IrInstruction& instruction) {
    const std::string_view opcode = instruction.opcode;
    const std::optional<Callback> callback = std::exchange(callback_, std::nullopt);
    for_each_reference(instruction.text,
                       [&](std::string_view name) { check_variable(name, instruction); });
    if (opcode == "load" || opcode == "store") {
      const Access access = read_access(instruction);
      const bool is_seen = callback && callback->is_store == (opcode == "store") &&
                           callback->pointer == access.pointer && callback->bytes == access.bytes;
      if (!is_seen && !is_private(access.pointer)) note(instruction, unseen_text(opcode, access));
    } else if (opcode == "atomicrmw" || opcode == "cmpxchg") {
      check_atomic(instruction);
    } else if (opcode == "call" || opcode == "invoke" || opcode == "callbr") {
      check_call(instruction);
    } else if (opcode == "alloca") {
      private_.emplace(instruction.result);
    } else if (opcode == "getelementptr") {
      const std::vector<std::string_view> operands = split_operands(instruction.text);
      const bool is_fixed = std::none_of(
          operands.begin() + std::min<std::ptrdiff_t>(2, std::ssize(operands)), operands.end(),
          [](std::string_view one) { return one.find('%') != std::string_view::npos; });
      if (is_fixed && operands.size() > 1 && is_private(without_attributes(operands[1])))
        private_.emplace(instruction.result);
    } else if (opcode == "va_arg") {
      note(instruction, "'va_arg' reads memory without a callback");
    }
  }

  static std::string unseen_text(std::string_view opcode, const Access& access) {
    const std::string size = access.bytes > 0 ? fmt::format(" of {} bytes", access.bytes) : "";
    return fmt::format("a {}{} has no callback", opcode, size);
  }

  bool is_private(std::string_view pointer) const {
    return private_.find(pointer) != private_.end();
  }

  /// Whether all pointers that a call hands over are to variables on the stack.
  bool all_private(const IrCall& call) const {
    return std::all_of(call.arguments.begin(), call.arguments.end(), [&](std::string_view one) {
      return !one.starts_with("ptr") || is_private(without_attributes(one));
    });
  }

  void check_atomic(const IrInstruction& instruction) {
    const Access access = read_access(instruction);
    if (is_private(access.pointer) ||
        announced_.contains(Announcements::key(access.pointer, access.bytes, instruction.location)))
      return;
    throw placed(Error("the kernel uses atomics of the compiler, which cannot be observed",
                       "use atomicAdd and its like, or __hip_atomic_fetch_add"),
                 instruction);
  }

  void check_call(const IrInstruction& instruction) {
    const IrCall call = read_call(instruction.text);
    if (call.is_assembly) return check_assembly(call, instruction);
    for (const std::string_view argument : call.arguments) {
      if (argument.find("byval(") == std::string_view::npos) continue;
      if (!is_private(argument.substr(argument.find_last_of(' ') + 1)))
        note(instruction, "an argument is copied from memory without a callback");
    }
    if (!call.callee.starts_with("@"))
      return note(instruction, "a call through a pointer may touch memory unnoticed");
    const std::string_view name = ir_name(call.callee);
    callback_ = read_callback(name, call);
    if (callback_) return;
    if (const auto key = Announcements::key_of(instruction)) announced_.insert(*key);
    if (functions_.contains(name) || is_of_runner(name) || pure_functions().contains(name)) return;
    if (name == "heddle_clock")
      return note(instruction, "the kernel reads a clock, which is different for every tile");
    if (name.starts_with("llvm.")) return check_intrinsic(name, call, instruction);
    if (writes_results(name) && all_private(call)) return;
    note(instruction, fmt::format("'{}' may touch memory, or keep something from tile to tile, "
                                  "unnoticed",
                                  name));
  }

  void check_intrinsic(std::string_view name, const IrCall& call,
                       const IrInstruction& instruction) {
    if (is_harmless_intrinsic(name)) return;
    const auto declared = module_.declarations.find(std::string(name));
    if (declared != module_.declarations.end() &&
        module_.attributes_of(declared->second).find("memory(none)") != std::string_view::npos)
      return;
    if (name.starts_with("llvm.mem") && all_private(call)) return;
    note(instruction, fmt::format("'{}' may touch memory without a callback", name));
  }

  /// Only what the device headers read a kernel's arguments with (heddle/entry.h), and what holds
  /// no instruction.
  void check_assembly(const IrCall& call, const IrInstruction& instruction) const {
    if (trim(call.assembly).empty()) return;
    const IrPlace place = module_.place(*function_, instruction, main_file_);
    const bool is_own = call.assembly.ends_with(" heddle") && place.position.line == 0 &&
                        place.elsewhere.starts_with("entry.h:");
    if (!is_own)
      throw placed(
          Error(fmt::format("the kernel has inline assembly ('{}'), whose accesses cannot be "
                            "observed",
                            instruction_in(call.assembly)),
                "docs/cxx.md lists the inline assembly that is read: give a variant with it"),
          instruction);
  }

  /// Variables that keep what a tile wrote where the runner does not look.
  void check_variable(std::string_view name, const IrInstruction& instruction) {
    const auto found = module_.globals.find(std::string(name));
    if (found == module_.globals.end() || name.starts_with("__sancov_gen_") ||
        name.starts_with("__start_") || name.starts_with("__stop_"))
      return;
    const auto has = [&](std::string_view word) {
      return (' ' + std::string(found->second)).find(word) != std::string::npos;
    };
    const std::string head(found->second.substr(0, found->second.find(" global ") + 1));
    if (found->second.find(" global ") == std::string_view::npos &&
        !found->second.starts_with("global "))
      return;  // a constant, or another name of a function
    if (head.find("thread_local") != std::string::npos)
      return note(instruction, fmt::format("'{}' is thread_local: it keeps its value from tile to "
                                           "tile",
                                           name));
    if (head.starts_with("external") || head.starts_with("extern_weak"))
      return note(instruction, fmt::format("'{}' is a variable of another library", name));
    if (has(", section \"heddle_shared\"")) return;
    const bool is_watched =
        !has(", section \"") &&
        module_.attributes_of(found->second).find("\"data-section\"=\"heddle_globals\"") !=
            std::string_view::npos;
    if (!is_watched)
      note(instruction, fmt::format("'{}' lies in a section whose writes are not noticed", name));
  }

  Error placed(const Error& error, const IrInstruction& instruction) const {
    const IrPlace place = module_.place(*function_, instruction, main_file_);
    return place.position.line > 0 ? error.at("", place.position) : error;
  }

  void note(const IrInstruction& instruction, std::string what) {
    IrPlace place = module_.place(*function_, instruction, main_file_);
    const auto is_same = [&](const UnseenAccess& one) {
      return one.what == what && one.elsewhere == place.elsewhere &&
             one.place.line == place.position.line && one.place.column == place.position.column;
    };
    if (found_.size() < kMostUnseen && std::none_of(found_.begin(), found_.end(), is_same))
      found_.push_back({place.position, std::move(place.elsewhere), std::move(what)});
  }

  const IrModule module_;
  const std::string& main_file_;
  std::map<std::string, const IrFunction*, std::less<>> functions_;
  Names reached_;
  std::vector<UnseenAccess> found_;
  const IrFunction* function_ = nullptr;  ///< that is looked at
  Names private_;                         ///< its variables on the stack
  Announcements::Set announced_;          ///< on every way to the instruction
  std::optional<Callback> callback_;      ///< of the instruction before
};

}  // namespace

std::vector<UnseenAccess> unseen_accesses(std::string_view ir, const std::string& main_file) {
  return UnseenSearch(ir, main_file).run();
}

}  // namespace cxx
}  // namespace heddle::kernel
