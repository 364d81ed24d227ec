#include "kernel/cxx/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "support/demangle.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kMostSites = 65'000;
constexpr std::size_t kMostLoops = 256;
constexpr int kSharedGapBytes = 1024;  ///< behind a shared variable

/// Takes a decimal number off the front.
std::optional<int> take_number(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// What a call calls: "__sanitizer_cov_load8" of "	callq	__sanitizer_cov_load8@PLT".
std::string_view called(std::string_view line) {
  for (const std::string_view call : {"\tbl\t", "\tcallq\t", "\tcall\t"}) {
    if (!line.starts_with(call)) continue;
    std::string_view name = line.substr(call.size());
    return name.substr(0, name.find_first_of("@ \t#/"));
  }
  return {};
}

bool is_x86(std::string_view line) {
  return line.starts_with("\tcall");
}

/// ".LBB0_3" where the line holds a name of this kind.
std::string_view local_label(std::string_view line) {
  const std::size_t at = line.find(".LBB");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at);
  return rest.substr(0, rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789"));
}

/// Moves, loads, stores and branches are put anywhere by compilers: they do not tell where a place
/// of the source is worked on.
bool computes(std::string_view line) {
  line.remove_prefix(1);
  static constexpr std::array<std::string_view, 16> kOthers = {
      "mov", "fmov", "ldr", "ldp", "str", "stp", "ldur", "stur",
      "b\t", "b.",   "cb",  "tb",  "adr", "j",   "push", "pop"};
  return std::none_of(kOthers.begin(), kOthers.end(),
                      [&](std::string_view start) { return line.starts_with(start); });
}

class Observer {
 public:
  explicit Observer(const std::string& main_file) : main_file_(main_file) {}

  ObservedAssembly run(std::string_view assembly) {
    result_.text.reserve(assembly.size() + assembly.size() / 4);
    while (!assembly.empty()) {
      const std::size_t end = std::min(assembly.find('\n'), assembly.size());
      take(assembly.substr(0, end));
      assembly.remove_prefix(std::min(end + 1, assembly.size()));
    }
    result_.counters = std::max(1, result_.counters);
    result_.text += fmt::format(
        "\t.section\t.bss\n\t.balign\t8\n\t.globl\theddle_counters\n\t.type\theddle_counters, "
        "%object\nheddle_counters:\n.Lheddle_counters:\n\t.zero\t{}\n\t.size\theddle_counters, "
        "{}\n",
        8 * result_.counters, 8 * result_.counters);
    result_.text +=
        "\t.section\t.data.rel.ro,\"aw\"\n\t.balign\t8\n\t.globl\theddle_places\nheddle_places:\n";
    for (std::size_t site = 0; site < result_.sites.size(); ++site)
      result_.text += fmt::format("\t.quad\t.Lheddle_site_{}\n", site);
    result_.text += "\t.quad\t0\n";
    list_shared();
    for (const auto& [line, column, counter] : places_)
      result_.places.push_back({line, column, counter});
    return std::move(result_);
  }

 private:
  void take(std::string_view line) {
    AssemblyPlace place;
    int number = 0;
    std::string name;
    if (read_place(line, place)) {
      at_ = place;
    } else if (read_file_name(line, number, name)) {
      files_[number] = name;
    } else if (line.starts_with("\t.cfi_startproc")) {
      counter_ = -1;
      at_ = {};  // a function of the device headers may have no places at all
    } else if (const std::string_view function = called(line); !function.empty()) {
      if (take_call(line, function)) return;
      note_place();
    } else {
      take_label(line);
      note_instruction(line);
    }
    result_.text.append(line).push_back('\n');
    take_shared(line);
  }

  /// A shared variable: a gap follows it that belongs to none.
  void take_shared(std::string_view line) {
    constexpr std::string_view kSize = "\t.size\t";
    if (line.starts_with("\t.section\t")) {
      in_shared_ = line.substr(10).starts_with("heddle_shared,");
    } else if (line == "\t.text" || line == "\t.data" || line == "\t.bss") {
      in_shared_ = false;
    } else if (in_shared_ && line.starts_with(kSize)) {
      const std::size_t comma = line.rfind(',');
      const auto bytes = parse_integer(trim(line.substr(comma + 1)));
      if (!bytes || *bytes <= 0) return;
      shared_.emplace_back(line.substr(kSize.size(), comma - kSize.size()), *bytes);
      result_.text += fmt::format("\t.zero\t{}\n", kSharedGapBytes);
    }
  }

  /// "tile" of "gemm(float const*, int)::tile".
  static std::string variable_name(const std::string& symbol) {
    if (symbol == "heddle_dynamic_shared") return "dynamic shared memory";
    std::string name = demangled(symbol);
    if (const std::size_t colon = name.rfind("::"); colon != std::string::npos)
      name = name.substr(colon + 2);
    std::erase_if(name, [](char c) { return c < ' ' || c > '~' || c == '"' || c == '\\'; });
    return name.substr(0, 40);
  }

  /// What runner/shared.h reads: address, bytes and name of each.
  void list_shared() {
    result_.text += "\t.globl\theddle_shared_arrays\nheddle_shared_arrays:\n";
    for (std::size_t k = 0; k < shared_.size(); ++k)
      result_.text += fmt::format("\t.quad\t{}\n\t.quad\t{}\n\t.quad\t.Lheddle_shared_name_{}\n",
                                  shared_[k].first, shared_[k].second, k);
    result_.text += "\t.quad\t0\n\t.quad\t0\n\t.quad\t0\n\t.section\t.rodata\n";
    for (std::size_t k = 0; k < shared_.size(); ++k)
      result_.text += fmt::format(".Lheddle_shared_name_{}:\n\t.asciz\t\"{}\"\n", k,
                                  variable_name(shared_[k].first));
    result_.text +=
        "\t.section\t.bss\n\t.globl\theddle_shared_watched\n"
        "heddle_shared_watched:\n.Lheddle_shared_watched:\n\t.zero\t8\n";
  }

  /// True if the call was replaced.
  bool take_call(std::string_view line, std::string_view function) {
    constexpr std::string_view kCoverage = "__sanitizer_cov_";
    if (function == "__sanitizer_cov_trace_pc_guard") {
      count(is_x86(line));
      return true;
    }
    if (const std::string_view copy = "__asan_mem"; function.starts_with(copy)) {
      take_copy(line, function.substr(copy.size()));
      return true;
    }
    const bool is_load = function.starts_with("__sanitizer_cov_load");
    const bool is_store = function.starts_with("__sanitizer_cov_store");
    constexpr std::string_view kAtomic = "heddle_atomic";
    const bool is_atomic = function.starts_with(kAtomic);
    if (!is_load && !is_store && !is_atomic) return false;
    std::string_view size = function.substr(is_atomic ? kAtomic.size()
                                            : is_load ? kCoverage.size() + 4
                                                      : kCoverage.size() + 5);
    AssemblySite site = site_here(is_load    ? MemoryKind::read
                                  : is_store ? MemoryKind::write
                                             : MemoryKind::atomic,
                                  take_number(size).value_or(1));
    const std::size_t number = result_.sites.size();
    const char* const word = is_load ? "load" : is_store ? "store" : "change";
    // Most loads of some kernels are from shared memory: those are told apart without a call, but
    // for tiles in which shared memory is looked at.
    if (is_load)
      result_.text += is_x86(line)
                          ? fmt::format(
                                "\tmovq\t%rdi, %rax\n\tshrq\t${0}, %rax\n\tcmpl\t${1}, %eax\n"
                                "\tje\t.Lheddle_call_{2}\n"
                                "\tcmpb\t$0, .Lheddle_shared_watched(%rip)\n"
                                "\tje\t.Lheddle_site_{2}\n.Lheddle_call_{2}:\n",
                                kWindowShift, kWindowNumber, number)
                          : fmt::format(
                                "\tlsr\tx16, x0, #{0}\n\tcmp\tx16, #{1}\n"
                                "\tb.eq\t.Lheddle_call_{2}\n"
                                "\tadrp\tx16, .Lheddle_shared_watched\n"
                                "\tldrb\tw16, [x16, :lo12:.Lheddle_shared_watched]\n"
                                "\tcbz\tw16, .Lheddle_site_{2}\n.Lheddle_call_{2}:\n",
                                kWindowShift, kWindowNumber, number);
    result_.text +=
        is_x86(line)
            ? fmt::format("\tmovl\t${}, %esi\n\tcallq\theddle_{}{}@PLT\n", number, word, site.bytes)
            : fmt::format("\tmov\tw1, #{}\n\tbl\theddle_{}{}\n", number, word, site.bytes);
    result_.text += fmt::format(".Lheddle_site_{}:\n", number);
    result_.sites.push_back(std::move(site));
    note_place();
    return true;
  }

  AssemblySite site_here(MemoryKind kind, int bytes) {
    if (result_.sites.size() >= kMostSites)
      throw Error(fmt::format("the kernel has more than {} loads and stores", kMostSites),
                  "unroll fewer loops");
    AssemblySite site;
    site.kind = kind;
    site.bytes = bytes;
    if (is_main())
      std::tie(site.line, site.column) = std::pair(at_.line, at_.column);
    else
      site.elsewhere = fmt::format("{}:{}", files_[at_.file], at_.line);
    return site;
  }

  /// memcpy, memmove, memset: moved in pieces of 16, 4 and 1 B, each with a site to read and one to
  /// write; the first of them is the fourth argument.
  void take_copy(std::string_view line, std::string_view which) {
    const std::size_t first = result_.sites.size();
    for (const MemoryKind kind : {MemoryKind::read, MemoryKind::write})
      for (const int bytes : {16, 4, 1}) result_.sites.push_back(site_here(kind, bytes));
    result_.text +=
        is_x86(line) ? fmt::format("\tmovl\t${}, %ecx\n\tcallq\theddle_mem{}@PLT\n", first, which)
                     : fmt::format("\tmov\tw3, #{}\n\tbl\theddle_mem{}\n", first, which);
    for (std::size_t site = first; site < result_.sites.size(); ++site)
      result_.text += fmt::format(".Lheddle_site_{}:\n", site);
    note_place();
  }

  /// A part of the code begins that is run as a whole.
  void count(bool x86) {
    counter_ = result_.counters++;
    const int offset = 8 * counter_;
    result_.text += x86 ? fmt::format("\tincq\t.Lheddle_counters+{}(%rip)\n", offset)
                        : fmt::format(
                              "\tadrp\tx16, .Lheddle_counters+{0}\n"
                              "\tadd\tx16, x16, :lo12:.Lheddle_counters+{0}\n"
                              "\tldr\tx17, [x16]\n\tadd\tx17, x17, #1\n\tstr\tx17, [x16]\n",
                              offset);
  }

  /// What stands between a label and the next counter is of no part that is known.
  void note_instruction(std::string_view line) {
    if (line.starts_with(".LBB")) counter_ = -1;
    const bool is_instruction =
        line.size() > 1 && line[0] == '\t' && line[1] != '.' && computes(line);
    if (is_instruction && line.find(".L__sancov_gen_") == std::string_view::npos) note_place();
  }

  void take_label(std::string_view line) {
    const std::string_view label = local_label(line);
    if (label.empty()) return;
    if (line.starts_with(label)) {
      if (line.substr(label.size()).starts_with(":")) labels_[std::string(label)] = next_site();
      return;
    }
    if (line.size() < 2 || line[0] != '\t' || line[1] == '.') return;  // data, no branch
    const auto known = labels_.find(std::string(label));
    if (known == labels_.end() || known->second >= next_site()) return;
    const SiteLoop loop{known->second, next_site() - 1};
    const auto equal = [&](const SiteLoop& other) {
      return other.first == loop.first && other.last == loop.last;
    };
    if (result_.loops.size() < kMostLoops &&
        std::none_of(result_.loops.begin(), result_.loops.end(), equal))
      result_.loops.push_back(loop);
  }

  std::uint32_t next_site() const { return static_cast<std::uint32_t>(result_.sites.size()); }

  bool is_main() { return files_[at_.file] == main_file_ && at_.line > 0; }

  void note_place() {
    if (counter_ >= 0 && is_main()) places_.insert({at_.line, at_.column, counter_});
  }

  const std::string& main_file_;
  ObservedAssembly result_;
  std::map<int, std::string> files_;
  std::map<std::string, std::uint32_t> labels_;  ///< the site that comes next there
  std::set<std::tuple<int, int, std::int32_t>> places_;
  AssemblyPlace at_;
  std::int32_t counter_ = -1;
  bool in_shared_ = false;
  std::vector<std::pair<std::string, std::int64_t>> shared_;  ///< symbols and their bytes
};

}  // namespace

bool read_place(std::string_view line, AssemblyPlace& place) {
  constexpr std::string_view kStart = "\t.loc\t";
  if (!line.starts_with(kStart)) return false;
  line.remove_prefix(kStart.size());
  place.file = take_number(line).value_or(-1);
  place.line = take_number(line).value_or(0);
  place.column = take_number(line).value_or(0);
  return true;
}

bool read_file_name(std::string_view line, int& number, std::string& name) {
  constexpr std::string_view kStart = "\t.file\t";
  if (!line.starts_with(kStart)) return false;
  line.remove_prefix(kStart.size());
  const auto given = take_number(line);
  if (!given) return false;
  number = *given;
  name.clear();
  // The last of one or two texts in quotes.
  while (true) {
    const std::size_t begin = line.find('"');
    if (begin == std::string_view::npos) break;
    const std::size_t end = line.find('"', begin + 1);
    if (end == std::string_view::npos) break;
    name = line.substr(begin + 1, end - begin - 1);
    line.remove_prefix(end + 1);
  }
  name.erase(0, name.find_last_of('/') + 1);
  return true;
}

ObservedAssembly observe(std::string_view assembly, const std::string& main_file) {
  return Observer(main_file).run(assembly);
}

}  // namespace heddle::kernel::cxx
