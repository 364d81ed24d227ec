#include "runner/sandbox.h"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

#include "runner/observer.h"
#include "runner/output.h"

namespace heddle::runner {
namespace {

alignas(16) std::array<char, 64 << 10> handler_stack;

const std::uint64_t* places = nullptr;
pid_t parent = 0;

/// The site whose access the program is at: the last one that begins before it.
std::uint32_t site_at(const void* context) {
  const auto* const where = static_cast<const ucontext_t*>(context);
#if defined(__aarch64__)
  const std::uint64_t at = where->uc_mcontext.pc;
#else
  const auto at = static_cast<std::uint64_t>(where->uc_mcontext.gregs[REG_RIP]);
#endif
  constexpr std::uint64_t kFar = 4096;  // bytes of code: it is somewhere else
  std::uint32_t nearest = kMostSites;
  std::uint64_t begin = 0;
  for (std::uint32_t site = 0; places != nullptr && places[site] != 0; ++site) {
    if (places[site] > at || places[site] < begin) continue;
    begin = places[site];
    nearest = site;
  }
  return at - begin < kFar ? nearest : last_site();
}

/// Whether an address that failed is just beyond the stack that the program is on.
bool is_beyond_stack(const void* context, std::uint64_t address) {
  const auto* const where = static_cast<const ucontext_t*>(context);
#if defined(__aarch64__)
  const std::uint64_t stack = where->uc_mcontext.sp;
#else
  const auto stack = static_cast<std::uint64_t>(where->uc_mcontext.gregs[REG_RSP]);
#endif
  constexpr std::uint64_t kFrame = std::uint64_t{1} << 20;
  return address + kFrame > stack && address < stack + kFrame;
}

std::string name_of(int system_call) {
  char* const name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, system_call);
  std::string text = name != nullptr ? name : "number " + std::to_string(system_call);
  std::free(name);
  return text;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  switch (signal) {
    case SIGSYS:
      fail(FaultKind::system_call, name_of(info->si_syscall), last_site());
    case SIGFPE:
      fail(FaultKind::arithmetic, "an integer is divided by zero", site_at(context));
    case SIGXCPU:
      fail(FaultKind::cpu_time, "", last_site());
    case SIGILL:
    case SIGTRAP:
    case SIGABRT:
      fail(FaultKind::trap, "", last_site());
    default:
      if (is_beyond_stack(context, reinterpret_cast<std::uint64_t>(info->si_addr)))
        fail(FaultKind::too_much, "a thread needs more than 256 KiB for its variables and calls",
             site_at(context));
      fail(FaultKind::bad_address, "", site_at(context),
           reinterpret_cast<std::uint64_t>(info->si_addr));
  }
}

void on_alarm(int) {
  if (getppid() != parent) _exit(1);
}

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_TRAP)) {
    if (context_ == nullptr) fail(FaultKind::setup, "no filter for system calls can be made");
  }
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  template <class... Conditions>
  void allow(int system_call, Conditions... conditions) {
    if (seccomp_rule_add(context_, SCMP_ACT_ALLOW, system_call, sizeof...(conditions),
                         conditions...) != 0)
      fail(FaultKind::setup, "a rule for system calls is refused: " + name_of(system_call));
  }
  void load() {
    if (seccomp_load(context_) != 0)
      fail(FaultKind::setup, "this machine's kernel does not filter system calls (seccomp)");
  }

 private:
  scmp_filter_ctx context_;
};

/// What both steps need: the socket, the pipe, memory, time, and the end.
void allow_always(Filter& filter) {
  filter.allow(SCMP_SYS(recvfrom), SCMP_A0(SCMP_CMP_EQ, kCommandSocket, 0));
  filter.allow(SCMP_SYS(write), SCMP_A0(SCMP_CMP_EQ, STDOUT_FILENO, 0));
  for (const int call :
       {SCMP_SYS(munmap), SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(futex), SCMP_SYS(exit),
        SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn), SCMP_SYS(clock_gettime),
        SCMP_SYS(gettimeofday), SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(getppid)})
    filter.allow(call);
}

}  // namespace

void limit_resources(std::uint64_t memory_bytes, std::uint64_t cpu_seconds) {
  const auto limit = [](__rlimit_resource what, std::uint64_t soft, std::uint64_t hard) {
    rlimit now{};
    getrlimit(what, &now);  // a lower one of the user's stays
    const rlimit both{std::min<std::uint64_t>(soft, now.rlim_max),
                      std::min<std::uint64_t>(hard, now.rlim_max)};
    if (setrlimit(what, &both) != 0) fail(FaultKind::setup, "a limit of the process is refused");
  };
  limit(RLIMIT_AS, memory_bytes, memory_bytes);
  limit(RLIMIT_CPU, cpu_seconds, cpu_seconds + 2);
  limit(RLIMIT_FSIZE, 0, 0);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_NOFILE, 64, 64);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
    fail(FaultKind::setup, "the process cannot give up its rights");
}

void catch_faults() {
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGXCPU})
    sigaction(signal, &action, nullptr);
}

void end_with_parent(std::int64_t process) {
  parent = static_cast<pid_t>(process);
  struct sigaction action {};
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(SIGALRM, &action, nullptr);
  constexpr suseconds_t kBetween = 250'000;
  const itimerval often{{0, kBetween}, {0, kBetween}};
  setitimer(ITIMER_REAL, &often, nullptr);
}

void set_up_places(const std::uint64_t* table) {
  places = table;
}

void close_sandbox_for_loading() {
  Filter filter;
  allow_always(filter);
  const auto writing = static_cast<scmp_datum_t>(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
  filter.allow(SCMP_SYS(openat), SCMP_A2(SCMP_CMP_MASKED_EQ, writing, 0));
  filter.allow(SCMP_SYS(read));
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect), SCMP_SYS(close), SCMP_SYS(fstat),
                         SCMP_SYS(newfstatat), SCMP_SYS(pread64), SCMP_SYS(getcwd),
                         SCMP_SYS(readlinkat), SCMP_SYS(prctl), SCMP_SYS(seccomp)})
    filter.allow(call);
  filter.load();
}

void close_sandbox() {
  Filter filter;
  allow_always(filter);
  const auto executable = static_cast<scmp_datum_t>(PROT_EXEC);
  filter.allow(SCMP_SYS(mmap), SCMP_A2(SCMP_CMP_MASKED_EQ, executable, 0),
               SCMP_A4(SCMP_CMP_MASKED_EQ, 0xffffffffU, 0xffffffffU));
  filter.allow(SCMP_SYS(mprotect), SCMP_A2(SCMP_CMP_MASKED_EQ, executable, 0));
  filter.load();
}

}  // namespace heddle::runner
