#include "kernel/cxx/compile.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "kernel/cxx/arguments.h"
#include "kernel/cxx/assembly.h"
#include "kernel/cxx/clang.h"
#include "kernel/cxx/device_headers.h"
#include "kernel/cxx/gpu_assembly.h"
#include "kernel/cxx/kernel_name.h"
#include "kernel/cxx/project.h"
#include "kernel/cxx/target.h"
#include "kernel/cxx/token.h"
#include "kernel/cxx/unseen.h"
#include "kernel/cxx/user_files.h"
#include "kernel/native.h"
#include "support/lists.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr int kMostRounds = 12;   ///< in which declarations that do not compile are left out
constexpr int kMostErrors = 100;  ///< of a round

/// What this machine's processor needs.
void append_machine([[maybe_unused]] std::vector<std::string>& options) {
#if defined(__aarch64__)
  options.push_back("-mno-outline-atomics");  // calls into a library that is not linked
  // Clang 19 drops the outcome of stlxr in floating atomics as a dead register: one that fails, as
  // on the first touch of a page, would be lost instead of tried again.
  options.insert(options.end(), {"-mllvm", "-aarch64-enable-dead-defs=false"});
#endif
}

std::vector<std::string> host_options() {
  std::vector<std::string> options = {
      "-x", "c++", "-std=c++20", "-O2", "-S", "-emit-llvm", "-fPIC", "-fdeclspec",
      "-fno-exceptions", "-fno-math-errno", "-fstack-clash-protection", "-ffp-contract=fast",
      "-fno-strict-aliasing",
      // One access of the source is one site: no loops unrolled, no accesses joined.
      "-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize",
      // Loops stay loops, and variables stay in the section that the runner knows.
      "-fno-builtin-memset", "-fno-builtin-memcpy", "-fno-builtin-memmove",
      "-fno-zero-initialized-in-bss", "-gline-tables-only", "-DHEDDLE_HOST=1",
      "-fsanitize-coverage=bb,no-prune,trace-pc-guard,trace-loads,trace-stores",
      // Of the kernel's sanitizer only this: copies of structs call a function with a name.
      "-fsanitize=kernel-address"};
  for (const char* const setting :
       {"-asan-instrument-reads=0", "-asan-instrument-writes=0", "-asan-instrument-atomics=0",
        "-asan-stack=0", "-asan-globals=0", "-asan-instrument-byval=0",
        "-asan-kernel-mem-intrinsic-prefix=1"})
    options.insert(options.end(), {"-mllvm", setting});
  append_machine(options);
  return options;
}

std::string footer_of(const std::string& entry, std::int64_t dynamic_shared_bytes) {
  return fmt::format(
      "\n#line 1 \"heddle_footer\"\n#include \"heddle/entry.h\"\n"
      "extern \"C\" {{ __attribute__((section(\"heddle_shared\"), used, aligned(128))) char "
      "heddle_dynamic_shared[{}]; }}\n{}\n",
      std::max<std::int64_t>(16, dynamic_shared_bytes), entry);
}

/// Compiles the text for this machine, up to the intermediate code that only has to become assembly.
ClangOutput compile_text(const NativeCode& native, const std::string& footer, int most_errors,
                         bool keeps_refusals) {
  write_input(native.place.folder + "/kernel.cpp",
              fmt::format("#line 1 \"{}\"\n{}{}", kMainFile, without_unrolling(native.device_text),
                          footer));
  std::vector<std::string> arguments = host_options();
  append_common(native, arguments);
  arguments.insert(arguments.end(), {fmt::format("-ferror-limit={}", most_errors), "-o", "-",
                                     native.place.folder + "/kernel.cpp"});
  return run_clang(arguments, &native.place, {.keeps_refusals = keeps_refusals});
}

/// The words of a text.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const Token& token : tokenize(text, text))
    if (is_name(token)) words.emplace_back(token.text);
  return words;
}

/// What else the launch names.
std::vector<std::string> launch_words(const NativeCode& native) {
  std::vector<std::string> words = words_of(native.function + ' ' + native.entry);
  for (const std::string& define : native.defines) append(words, words_of(define));
  return words;
}

/// Compiles what the kernel reaches of its file and its headers. `before` is what stands in front of
/// the file where another one includes it; may be null. `lends`: whoever includes the file has included
/// the headers of half precision.
std::string compile_reached(NativeCode& native, UserFiles& files, const std::string& footer,
                            const CxxSource* before, bool lends = false) {
  native.headers.clear();
  // Headers of libraries bring these along.
  if (files.is_missing_headers() || lends)
    native.headers =
        native.wave_lanes == 32
            ? std::vector<std::string>{"type_traits", "limits",      "climits",    "cfloat",
                                       "cstdint",     "cuda_fp16.h", "cuda_bf16.h"}
            : std::vector<std::string>{"type_traits", "limits",         "climits",       "cfloat",
                                       "cstdint",     "hip/hip_fp16.h", "hip/hip_bf16.h"};
  if (before != nullptr) native.headers.push_back(before->path());
  replace_files(native.place, files.replaced(native.place));
  for (int round = 0;; ++round) {
    files.write(native);
    ClangOutput output = compile_text(native, footer, kMostErrors, true);
    if (output.good) {
      files.check(native, output.output);
      native.doubt = files.doubt(native);
      return std::move(output.output);
    }
    const std::string missing = missing_header(output.errors);
    if (!missing.empty() && is_outside(native.place, missing))
      throw outside_error(missing).in(native.source_path);
    if (round >= kMostRounds || !files.drop(output.errors)) throw files.error(output.errors);
  }
}

/// Whether an unknown word is a type of half precision.
bool names_half(const std::string& message) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"'half", "'__half", "'nv_half", "'__nv_bfloat16",
                                              "'nv_bfloat16", "'__hip_bfloat16", "'hip_bfloat16"},
      [&](std::string_view word) { return message.find(word) != std::string::npos; });
}

/// Compiles the file as it stands, without host code. Where Clang refuses that, or does not find all
/// headers, what the kernel reaches is enough; where it names what only an including file declares,
/// with that.
std::string compile_for_host(NativeCode& native, const CxxSource& source,
                             const CxxFunction& function, std::int64_t dynamic_shared_bytes) {
  const std::string footer = footer_of(native.entry, dynamic_shared_bytes);
  Project project(source.path());
  UserFiles files(source, function, native.place, project, launch_words(native));
  files.check_source();
  if (files.is_hip()) native.wave_lanes = 64;
  if (files.is_plain()) {
    ClangOutput output = compile_text(native, footer, 1, true);
    if (output.good) {
      native.doubt = files.doubt(native);
      return std::move(output.output);
    }
  }
  try {
    return compile_reached(native, files, footer, nullptr);
  } catch (const Error& error) {
    const bool is_unknown = error.message().find("undeclared") != std::string::npos ||
                            error.message().find("unknown type") != std::string::npos;
    const auto before = is_unknown ? text_before(source, project) : nullptr;
    const bool lends = before == nullptr && is_unknown && names_half(error.message());
    if (before == nullptr && !lends) throw;
    try {
      UserFiles more(source, function, native.place, project, launch_words(native), before.get());
      std::string code = compile_reached(native, more, footer, before.get(), lends);
      if (lends && native.doubt.empty())
        native.doubt =
            "its files do not include the header of a type that they use (" + error.message() + ")";
      return code;
    } catch (const Error&) {
      throw error;
    }
  }
}

/// What Clang's preprocessor makes of a text; empty where it refuses it.
std::string preprocessed(const NativeCode& native, const std::string& text,
                         const std::vector<std::string>& more) {
  const std::string path = native.place.folder + "/macros.cpp";
  write_input(path, text);
  std::vector<std::string> arguments = {"-x", "c++", "-std=c++20", "-E", "-DHEDDLE_HOST=1"};
  append(arguments, more);
  append_common(native, arguments);
  arguments.insert(arguments.end(), {"-o", "-", path});
  const ClangOutput output = run_clang(arguments, &native.place);
  return output.good ? output.output : "";
}

/// The very code that was looked at becomes assembly: nothing is optimised again.
std::string assembly_of(const NativeCode& native, const std::string& ir) {
  const std::string path = native.place.folder + "/kernel.ll";
  write_input(path, ir);
  std::vector<std::string> arguments = {"-x",
                                        "ir",
                                        "-O2",
                                        "-S",
                                        "-fPIC",
                                        "-ffp-contract=fast",
                                        "-fno-zero-initialized-in-bss",
                                        "-Xclang",
                                        "-disable-llvm-passes"};
  append_machine(arguments);
  arguments.insert(arguments.end(), {"-o", "-", path});
  const ClangOutput output = run_clang(arguments, &native.place);
  if (!output.good) throw clang_error(output.errors, native.source_path);
  return output.output;
}

/// Bytes of the variables that a library of this assembly holds: "	.size	table, 4096".
std::uint64_t variable_bytes(std::string_view assembly) {
  constexpr std::string_view kSize = "\n\t.size\t";
  std::uint64_t bytes = 0;
  for (std::size_t at = assembly.find(kSize); at != std::string_view::npos;
       at = assembly.find(kSize, at + 1)) {
    const std::size_t end = assembly.find('\n', at + 1);
    const std::string_view line = assembly.substr(at, end - at);
    const auto size = parse_integer(trim(line.substr(line.rfind(',') + 1)));
    bytes += static_cast<std::uint64_t>(std::max<std::int64_t>(0, size.value_or(0)));
  }
  return bytes;
}

/// Assembles, then links. Clang's driver would be started between the two, and takes longer than
/// either: it links only where the linker by itself cannot.
void link(const NativeCode& native, const std::string& assembly) {
  if (variable_bytes(assembly) > kMostFileBytes) throw too_large_error().in(native.source_path);
  const std::string path = native.place.folder + "/kernel.s";
  const std::string object = native.place.folder + "/kernel.o";
  write_input(path, assembly);
  const ClangOutput assembled = run_clang({"-c", "-o", object, path}, &native.place);
  if (!assembled.good) throw clang_error(assembled.errors, native.source_path);
  // Mathematics and the C++ library come with it, where they are and are needed.
  const std::vector<std::string> libraries = {"-l:libm.so.6", "-l:libstdc++.so.6"};
  std::vector<std::string> direct = {
      "-shared", "--hash-style=gnu", "--eh-frame-hdr", "-o", native.library, object, "--as-needed"};
  direct.insert(direct.end(), libraries.begin(), libraries.end());
  if (run_linker(direct, native.place).good) return;
  const std::vector<std::string> plain = {"-shared", "-nostdlib", "-o", native.library, object};
  std::vector<std::string> whole = plain;
  whole.push_back("-Wl,--as-needed");
  whole.insert(whole.end(), libraries.begin(), libraries.end());
  if (run_clang(whole, &native.place).good) return;
  const ClangOutput output = run_clang(plain, &native.place);
  if (!output.good) throw clang_error(output.errors, native.source_path);
}

DType element_of(int bytes) {
  return bytes == 1   ? DType::int8
         : bytes == 2 ? DType::int16
         : bytes == 4 ? DType::int32
                      : DType::int64;
}

void add_sites(const std::vector<AssemblySite>& sites, const config::Launch& launch,
               KernelProgram& program) {
  std::vector<std::int64_t> shape;
  for (std::size_t axis = 3; axis-- > 0;)
    if (launch.threads[axis] > 1) shape.push_back(launch.threads[axis]);
  if (shape.empty()) shape.push_back(1);
  for (const AssemblySite& found : sites) {
    Place place;
    place.position = {found.line, found.column};
    place.function = found.elsewhere.empty() ? program.function : found.elsewhere;
    Site site;
    site.kind = found.kind;
    site.place = static_cast<std::int32_t>(program.places.size());
    site.element = element_of(found.bytes);
    site.shape = shape;
    program.places.push_back(std::move(place));
    program.sites.push_back(std::move(site));
  }
}

/// Everything of a launch that its library depends on.
std::string library_key(const CxxSource& source, const config::Launch& launch) {
  const BoundArguments bound = bind_arguments(source, source.kernel(launch.function), launch);
  return fmt::format("{}\n{}\n{}\n{}\n{}", entry_text(launch.function, bound),
                     fmt::join(bound.defines, "\n"), fmt::join(launch.include, "\n"),
                     launch.shared_bytes.value_or(0), fmt::join(launch.threads, " "));
}

/// What goes wrong in reading Clang's output is an Error of the kernel's file.
template <class Action>
auto in_file(const std::string& path, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    throw error.in(path);
  }
}

}  // namespace

void append_common(const NativeCode& native, std::vector<std::string>& arguments) {
  arguments.insert(arguments.end(), {"-isystem", kDeviceFolder, "-include", "heddle/device.h"});
  for (const std::string& header : headers_for(native.device_text))
    arguments.insert(arguments.end(), {"-include", header});
  for (const std::string& header : native.headers)
    arguments.insert(arguments.end(), {"-include", header});
  // Members of structs are given by the job, private ones as well.
  if (native.entry.find("HEDDLE_ENTRY(") == std::string::npos)
    arguments.push_back("-fno-access-control");
  for (const std::string& folder : native.place.include)
    arguments.insert(arguments.end(), {"-I", folder});
  // Its includes of files beside it have whole paths; others may mean them in the end.
  arguments.insert(arguments.end(), {"-I", native.place.sources});
  if (native.wave_lanes == 32) arguments.push_back("-DHEDDLE_CUDA=1");
  for (const std::string& define : native.defines) arguments.push_back("-D" + define);
}

bool has_header(const NativeCode& native, const std::string& header) {
  return !preprocessed(native, fmt::format("#if !__has_include({})\n#error\n#endif\n", header), {})
              .empty();
}

std::set<std::string> known_macros(const NativeCode& native) {
  std::set<std::string> known(native.undefined.begin(), native.undefined.end());
  const std::string text = preprocessed(
      native, fmt::format("#line 1 \"{}\"\n{}", kMainFile, native.device_text), {"-dM"});
  for (const std::string_view line : split_lines(text))
    if (const auto words = split(line, ' '); words.size() > 1)
      known.emplace(words[1].substr(0, words[1].find('(')));
  return known;
}

namespace {

/// The job's folders of headers, whole.
std::vector<std::string> existing_folders(const std::vector<std::string>& folders,
                                          const std::string& source_path) {
  std::vector<std::string> all;
  std::error_code error;
  for (const std::string& one : folders) {
    const fs::path whole = fs::absolute(one).lexically_normal();
    if (!fs::is_directory(whole, error))
      throw Error(fmt::format("'{}' is not a directory", one),
                  "include = [...] names directories, relative to the job's file")
          .in(source_path);
    if (is_shared_folder(whole))
      throw Error(fmt::format("'{}' holds more than headers", one),
                  "include = [...] names the folders of headers themselves")
          .in(source_path);
    all.push_back((whole.has_filename() ? whole : whole.parent_path()).string());
  }
  return all;
}

/// What compile_commands.json says and the job does not.
void add_command(NativeCode& native, const CompileCommand& command, const config::Launch& launch,
                 std::vector<std::string>& include) {
  if (command.is_ambiguous) {
    if (!launch.include.empty() || !launch.defines.empty()) return;
    throw Error("compile_commands.json compiles the file in several ways",
                "say in the job which is meant: include = [\"...\"], defines = [\"...\"]")
        .in(native.source_path);
  }
  append(include, command.folders);
  for (const std::string& define : command.defines) {
    const std::string name = define.substr(0, define.find_first_of("=("));
    const bool is_given = is_one_of(name, native.undefined) ||
                          std::ranges::any_of(native.defines, [&](const std::string& one) {
                            return one.substr(0, one.find_first_of("=(")) == name;
                          });
    if (!is_given) native.defines.push_back(define);
  }
}

/// The text, and a folder with the headers to compile it with.
NativeCode text_only(const CxxSource& source, const CxxFunction& function,
                     const BoundArguments& bound, const config::Launch& launch) {
  NativeCode native;
  native.source_path = source.path();
  native.function = full_name(function, launch.function, source.path());
  native.defines = bound.defines;
  native.undefined = bound.undefined;
  name_callee(function, native);
  BoundArguments whole = bound;
  // What is private is called like what holds private members.
  whole.has_structs = whole.has_structs || native.function.find(">::") != std::string::npos;
  native.entry = native.overload + entry_text(native.callee, whole);
  native.wave_lanes = source.is_cuda() ? 32 : 64;
  native.temporary = std::make_shared<const TemporaryFolder>();
  std::vector<std::string> include = existing_folders(launch.include, source.path());
  add_command(native, Project(source.path()).command(), launch, include);
  native.place = make_place(native.temporary->path(), fs::path(source.path()).parent_path(),
                            std::move(include));
  native.device_text = without_gpu_assembly(
      source.device_text({{}, {}, includes_beside(source, native.place.sources), {}}));
  return native;
}

}  // namespace

KernelProgram uncompiled(const CxxSource& source, const config::Launch& launch,
                         const KernelProgram* like) {
  const CxxFunction& function = source.kernel(launch.function);
  const BoundArguments bound = bind_arguments(source, function, launch);
  KernelProgram program;
  program.source_path = source.path();
  program.function = function.name;
  program.full_name = full_name(function, launch.function, source.path());
  NativeCode native = text_only(source, function, bound, launch);
  const NativeKernel* const known = like != nullptr ? native_of(*like) : nullptr;
  // Where only what the kernel reaches could be compiled, that is what there is.
  if (known != nullptr && !known->code().place.replaced.empty() &&
      like->function == program.function) {
    native.device_text = known->code().device_text;
    native.place = known->code().place;
    native.temporary = known->code().temporary;
    native.headers = known->code().headers;
    native.wave_lanes = known->code().wave_lanes;
    native.doubt = known->code().doubt;
  }
  Body::set(program, std::make_shared<NativeKernel>(std::move(native)));
  return program;
}

KernelProgram compile(const CxxSource& source, const config::Launch& launch) {
  const CxxFunction& function = source.kernel(launch.function);
  BoundArguments bound = bind_arguments(source, function, launch);
  NativeCode native = text_only(source, function, bound, launch);
  native.library = native.place.folder + "/kernel.so";
  const std::string ir =
      compile_for_host(native, source, function, launch.shared_bytes.value_or(0));
  native.unseen = in_file(source.path(), [&] { return unseen_accesses(ir, kMainFile); });
  const std::string assembly = assembly_of(native, ir);
  ObservedAssembly observed = in_file(source.path(), [&] { return observe(assembly, kMainFile); });
  link(native, observed.text);
  native.loops = std::move(observed.loops);
  native.places = std::move(observed.places);
  native.counters = observed.counters;
  for (const AssemblySite& site : observed.sites) native.bytes.push_back(site.bytes);

  KernelProgram program;
  program.source_path = source.path();
  program.function = function.name;
  program.full_name = native.function;
  program.defines = std::move(bound.defines);
  program.wave_lanes = native.wave_lanes;
  program.parameters = std::move(bound.parameters);
  add_sites(observed.sites, launch, program);
  FactsByTarget known;
  native.atomics = find_atomics(program, native, known);
  for (std::size_t k = 0; k < program.sites.size(); ++k) {
    if (program.sites[k].kind != MemoryKind::atomic) continue;
    program.sites[k].commutes = !native.atomics[k].result_used;
    if (native.atomics[k].is_float)
      program.sites[k].element = program.sites[k].element == DType::int64   ? DType::float64
                                 : program.sites[k].element == DType::int32 ? DType::float32
                                                                            : DType::float16;
  }
  Body::set(program, std::make_shared<NativeKernel>(std::move(native), std::move(known)));
  return program;
}

KernelProgram Compiler::compile(const config::Launch& launch) {
  std::string key = library_key(source_, launch);
  if (key_ == key) {
    program_.parameters =
        bind_arguments(source_, source_.kernel(launch.function), launch).parameters;
  } else {
    program_ = cxx::compile(source_, launch);
    key_ = std::move(key);
  }
  return program_;
}

bool Compiler::is_compiled(const config::Launch& launch) const {
  return key_ == library_key(source_, launch);
}

}  // namespace heddle::kernel::cxx
