#include "trace/native/reasons.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>

#include "support/demangle.h"
#include "support/killed_children.h"

namespace heddle::trace::native {
namespace {

using runner::FaultKind;

/// "reads", "writes": of the access that came last.
const char* verb_of(const kernel::KernelProgram& program, std::uint32_t site) {
  if (site >= program.sites.size()) return "uses";
  switch (program.sites[site].kind) {
    case kernel::MemoryKind::read:
      return "reads";
    case kernel::MemoryKind::write:
      return "writes";
    case kernel::MemoryKind::atomic:
      return "changes";
  }
  return "uses";
}

/// The function that the loader misses: "k.so: undefined symbol: _Z5otheri"; empty if none.
std::string missing_function(const std::string& text) {
  constexpr std::string_view kMissing = "undefined symbol: ";
  const std::size_t place = text.find(kMissing);
  if (place == std::string::npos) return {};
  const std::string symbol = text.substr(place + kMissing.size());
  return demangled(symbol.substr(0, symbol.find_first_of(" ,\n")));
}

Error placed(const Error& error, const kernel::KernelProgram& program, std::uint32_t site) {
  if (site >= program.sites.size()) return error.in(program.source_path);
  const auto place = static_cast<std::size_t>(program.sites[site].place);
  return error.at(program.source_path, program.places[place].position);
}

/// Where an address lies, as the kernel's author knows it, and what of the job that is about.
struct AddressPlace {
  std::string text;
  Cause cause = {Cause::Kind::missing};
};

AddressPlace address_place(const config::Launch& launch, std::uint64_t address) {
  if (address < 4096) return {address == 0 ? "a null pointer" : fmt::format("address {}", address)};
  const NativeMemory memory(launch);
  for (const NativeMemory::Piece& piece : memory.pieces()) {
    for (const PlacedTensor& placed : piece.tensors) {
      const config::Tensor& tensor = launch.tensors[placed.tensor];
      const std::uint64_t begin = piece.in_runner + placed.offset;
      const std::uint64_t end = begin + static_cast<std::uint64_t>(tensor.bytes);
      constexpr std::uint64_t kNear = std::uint64_t{1} << 34;
      if (address >= end && address < end + kNear)
        return {fmt::format("byte {} of '{}', which has {}", address - begin, tensor.name,
                            tensor.bytes),
                {Cause::Kind::size, tensor.name}};
      if (address < begin && begin - address < kNear)
        return {fmt::format("byte -{} of '{}'", begin - address, tensor.name)};
    }
  }
  return {fmt::format("address {:#x}, which is in no tensor", address)};
}

}  // namespace

runner::Slot slot_of(const config::Launch& launch, const config::Argument& argument,
                     const NativeMemory& memory) {
  runner::Slot slot;
  if (const auto* tensor = std::get_if<config::TensorReference>(&argument.value.data)) {
    slot.pointer = memory.in_runner(launch.tensors[tensor->index].address).value_or(0);
  } else if (const auto* flag = std::get_if<bool>(&argument.value.data)) {
    slot.integer = *flag ? 1 : 0;
    slot.real = *flag ? 1 : 0;
  } else if (const auto* integer = std::get_if<std::int64_t>(&argument.value.data)) {
    slot.integer = *integer;
    slot.real = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&argument.value.data)) {
    slot.integer = static_cast<std::int64_t>(*real);
    slot.real = *real;
  }
  return slot;
}

Error fault_error(const kernel::KernelProgram& program, const config::Launch& launch,
                  const runner::Fault& fault, const std::string& text, const std::string& where) {
  const std::string who = fmt::format("{}, thread {}", where, fault.thread);
  const auto error = [&](const std::string& what, const std::string& advice) {
    return placed(Error(what, advice, ExitCode::target_failed), program, fault.site);
  };
  switch (fault.kind) {
    case FaultKind::setup:
      if (const std::string name = missing_function(text); !name.empty())
        return Error(
                   fmt::format("the kernel uses '{}', and no file that was compiled defines it",
                               name.substr(0, 200)),
                   "include the file that defines it, or put its definition into the kernel's file",
                   ExitCode::missing)
            .in(program.source_path);
      return Error(fmt::format("the kernel cannot be run here: {}", text),
                   "C++ kernels need Linux with seccomp", ExitCode::missing)
          .in(program.source_path);
    case FaultKind::system_call:
      return error(fmt::format("{}: the kernel asked the operating system for '{}'; the sandbox "
                               "refused and the trace ended",
                               where, text),
                   "a kernel has no files, network, processes or signals: take that code out");
    case FaultKind::bad_address: {
      const AddressPlace place = address_place(launch, fault.address);
      return error(fmt::format("{} {} {}", who, verb_of(program, fault.site), place.text),
                   "check that the tensor is as large as the kernel expects, and that the grid is "
                   "right")
          .because(place.cause);
    }
    case FaultKind::arithmetic:
      return error(fmt::format("{}: {}", who, text), "a GPU gives no defined result either");
    case FaultKind::trap:
      return error(fmt::format("{} runs into a trap", who),
                   "a failed check, __builtin_trap or code that must not be reached");
    case FaultKind::stopped:
      return error(fmt::format("{}: {}", who, text), "see docs/cxx.md for what can be run");
    case FaultKind::stuck:
      return error(fmt::format("{}: {}", where, text),
                   "every thread of a block has to reach the same __syncthreads()");
    case FaultKind::too_much:
      return error(fmt::format("{}: {}", where, text), "trace a smaller size with --set")
          .because({Cause::Kind::size});
    case FaultKind::cpu_time:
      return error(fmt::format("{}: the kernel has used up its time on the CPU", where),
                   "trace a smaller size with --set")
          .because({Cause::Kind::size});
  }
  return error(fmt::format("{}: {}", where, text), "");
}

Error end_error(const kernel::KernelProgram& program, int status, const std::string& where) {
  std::string how = "ended without a word";
  if (status >= 0 && WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    note_child_end(status);
    how = signal == SIGKILL   ? "was killed: for memory, or by its limit of CPU time"
          : signal == SIGSYS  ? "was ended by the sandbox"
          : signal == SIGSEGV ? "ran out of its memory or its stack"
                              : fmt::format("was ended by signal {}", signal);
  }
  return Error(fmt::format("{}: the process that runs the kernel {}", where, how),
               "trace a smaller size with --set, and look for stores out of bounds",
               ExitCode::target_failed)
      .in(program.source_path);
}

}  // namespace heddle::trace::native
