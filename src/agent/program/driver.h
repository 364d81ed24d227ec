// One GPU and the compiler for it: memory, kernels, events. CUDA and HIP alike.
//
//   Driver driver(Language::cuda);
//   Kernel kernel = driver.compile({text, "0.cu", "add", {"N=4"}, "DIR/kernels"});
//   Address memory = driver.allocate(bytes);
//   driver.launch(kernel, launch, parameters);  driver.synchronize();
//
// Rules
//   1. It is device 0, and there is one queue: what is asked for happens in that order.
//   2. What the driver refuses is a DriverError; what a kernel did wrong comes with `synchronize`,
//   a copy
//      or an event after it, and from then on every call fails. The process is of no use then.
//   3. Text that does not compile, or code that cannot be loaded, is a CompileError.
//   4. A library or a GPU that is not there is a Failure(kMissing).
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "library.h"

namespace heddle::agent {

class DriverError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CompileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct DeviceFacts {
  std::string device;
  std::string driver;
  std::string runtime;
  std::string compiler;
  std::string bus;
  int compute_units = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t llc_bytes = 0;
  std::string llc_source;  ///< how the last level's size is known, where the driver does not say
};

struct KernelSource {
  std::string text;
  std::string name;      ///< of the file, for messages
  std::string function;  ///< `scale` or `scale<float, 4>`
  std::vector<std::string> defines;
  std::string folder;  ///< where files that it includes are
};

struct Kernel {
  void* function = nullptr;
};

class Driver {
 public:
  explicit Driver(Language language);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const DeviceFacts& facts() const { return facts_; }

  Kernel compile(const KernelSource& source);
  /// A number of a kernel's code; nothing where the driver does not say.
  std::optional<std::uint64_t> function_size(Kernel kernel, int attribute);
  void allow_shared_memory(Kernel kernel, std::uint32_t bytes);

  Address allocate(std::uint64_t bytes);
  void release(Address address);
  void upload(Address to, const void* from, std::uint64_t bytes);
  void download(void* to, Address from, std::uint64_t bytes);
  void copy(Address to, Address from, std::uint64_t bytes);
  void fill(Address to, unsigned char value, std::uint64_t bytes);
  void fill_queued(Address to, unsigned char value, std::uint64_t bytes);
  /// Memory of this machine that copies are quick from and to.
  unsigned char* staging(std::uint64_t bytes);

  void launch(Kernel kernel, const Launch& launch, std::vector<void*>& parameters);
  void synchronize();

  void* create_event();
  void record(void* event);
  /// Whether the device has come by the event.
  bool is_past(void* event);
  double elapsed_us(void* from, void* to);  ///< waits for `to`

 private:
  void check(int result, const char* what) const;
  std::string error_text(int result) const;
  void find_device();
  void find_facts();
  std::vector<std::string> options(const KernelSource& source) const;
  Kernel load(const std::vector<char>& code, const char* name);

  Language language_;
  Library driver_library_;
  Library compiler_library_;
  DriverFunctions driver_;
  CompilerFunctions compiler_;
  DriverNumbers numbers_;
  DeviceFacts facts_;
  int device_ = 0;
  int major_ = 0;
  int minor_ = 0;
  std::vector<unsigned char> plain_staging_;
  unsigned char* staging_ = nullptr;
  std::uint64_t staging_bytes_ = 0;
};

}  // namespace heddle::agent
