#include "driver.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "failure.h"
#include "words.h"

namespace heddle::agent {
namespace {

Library open_driver(Language language) {
  if (language == Language::hip)
    return open_library("HEDDLE_HIP_LIBRARY",
                        {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                         "libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so"},
                        "install ROCm");
  return open_library("HEDDLE_CUDA_LIBRARY", {"libcuda.so.1", "libcuda.so"},
                      "run it on a machine with an NVIDIA GPU and its driver");
}

Library open_compiler(Language language) {
  std::vector<std::string> names;
  if (language == Language::hip) {
    names = {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "/opt/rocm/lib/libhiprtc.so",
             "libamdhip64.so.5"};
    return open_library("HEDDLE_HIPRTC_LIBRARY", names, "install ROCm's hiprtc");
  }
  names = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  const char* const home = std::getenv("CUDA_HOME");
  for (const std::string& root :
       {std::string(home != nullptr ? home : ""), std::string("/usr/local/cuda")}) {
    if (root.empty()) continue;
    names.push_back(root + "/lib64/libnvrtc.so");
    names.push_back(root + "/lib/libnvrtc.so");
  }
  return open_library("HEDDLE_NVRTC_LIBRARY", names, "install the CUDA toolkit's NVRTC");
}

/// The kernel module's version, as nvidia-smi says it, and the interface's.
std::string driver_text(Language language, int version) {
  if (language == Language::hip) return "HIP " + std::to_string(version);
  std::string module;
  std::ifstream("/sys/module/nvidia/version") >> module;
  const std::string interface =
      "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  return module.empty() ? interface : printable(module, 40) + " (" + interface + ")";
}

}  // namespace

Driver::Driver(Language language)
    : language_(language),
      driver_library_(open_driver(language)),
      driver_(find_driver_functions(driver_library_, language)),
      numbers_(language == Language::hip ? kHipNumbers : kCudaNumbers) {
  find_device();
  compiler_library_ = open_compiler(language);
  compiler_ = find_compiler_functions(compiler_library_, language);
  find_facts();
}

void Driver::find_device() {
  const auto need = [&](int result, const char* what) {
    if (result != 0)
      throw Failure(kMissing,
                    "no GPU can be used: " + std::string(what) + ": " + error_text(result),
                    "look what nvidia-smi or rocm-smi says on this machine");
  };
  need(driver_.init(0), "starting the driver");
  need(driver_.device_get(&device_, 0), "device 0");
  if (language_ == Language::hip) return need(driver_.device_use(device_), "using device 0");
  void* context = nullptr;
  need(driver_.context_retain(&context, device_), "its context");
  need(driver_.context_use(context), "its context");
}

void Driver::find_facts() {
  std::array<char, 256> text{};
  check(driver_.device_name(text.data(), text.size() - 1, device_), "its name");
  facts_.device = printable(text.data());
  text.fill(0);
  if (driver_.device_bus(text.data(), text.size() - 1, device_) == 0)
    facts_.bus = printable(text.data());
  const auto attribute = [&](int number) {
    int value = 0;
    check(driver_.device_attribute(&value, number, device_), "its attributes");
    return value;
  };
  facts_.compute_units = attribute(numbers_.compute_units);
  facts_.l2_bytes = static_cast<std::uint64_t>(std::max(attribute(numbers_.l2_bytes), 0));
  facts_.llc_bytes = facts_.l2_bytes;
  constexpr std::uint64_t kInfinityCache = std::uint64_t{256} << 20;
  if (language_ == Language::hip && facts_.llc_bytes < kInfinityCache) {
    facts_.llc_bytes = kInfinityCache;
    facts_.llc_source = "the largest there is; HIP says nothing of a cache behind the L2";
  }
  if (language_ == Language::cuda) {
    major_ = attribute(numbers_.major);
    minor_ = attribute(numbers_.minor);
  }
  int version = 0;
  if (driver_.driver_version(&version) == 0) facts_.driver = driver_text(language_, version);
  facts_.runtime = driver_library_.name;
  int major = 0;
  int minor = 0;
  if (compiler_.version(&major, &minor) == 0)
    facts_.compiler = std::string(language_ == Language::hip ? "hiprtc " : "nvrtc ") +
                      std::to_string(major) + "." + std::to_string(minor);
  if (language_ == Language::cuda)
    facts_.compiler += " for sm_" + std::to_string(major_) + std::to_string(minor_);
}

std::string Driver::error_text(int result) const {
  const char* text = nullptr;
  const char* name = nullptr;
  if (driver_.error_words != nullptr) text = driver_.error_words(result);
  if (driver_.error_text != nullptr) driver_.error_text(result, &text);
  if (driver_.error_name != nullptr) driver_.error_name(result, &name);
  std::string words = text != nullptr ? printable(text, 300) : "error " + std::to_string(result);
  if (name != nullptr) words += " (" + printable(name, 100) + ")";
  return words;
}

void Driver::check(int result, const char* what) const {
  if (result != 0) throw DriverError(std::string(what) + ": " + error_text(result));
}

std::optional<std::uint64_t> Driver::function_size(Kernel kernel, int attribute) {
  int value = 0;
  if (driver_.function_size(&value, attribute, kernel.function) != 0 || value < 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

void Driver::allow_shared_memory(Kernel kernel, std::uint32_t bytes) {
  if (bytes == 0 || driver_.function_attribute == nullptr) return;
  check(
      driver_.function_attribute(kernel.function, numbers_.dynamic_shared, static_cast<int>(bytes)),
      "shared memory");
}

Address Driver::allocate(std::uint64_t bytes) {
  Address address = 0;
  if (const int result = driver_.allocate(&address, bytes))
    throw Failure(
        kMissing,
        "the GPU has no memory for " + std::to_string(bytes) + " bytes more: " + error_text(result),
        "end other programs on it, or make the job smaller");
  return address;
}

void Driver::release(Address address) {
  check(driver_.release(address), "giving memory back");
}

void Driver::upload(Address to, const void* from, std::uint64_t bytes) {
  check(driver_.upload(to, from, bytes), "copying to the device");
}

void Driver::download(void* to, Address from, std::uint64_t bytes) {
  check(driver_.download(to, from, bytes), "copying from the device");
}

void Driver::copy(Address to, Address from, std::uint64_t bytes) {
  check(driver_.copy(to, from, bytes), "copying on the device");
}

void Driver::fill(Address to, unsigned char value, std::uint64_t bytes) {
  check(driver_.fill(to, value, bytes), "filling memory");
}

void Driver::fill_queued(Address to, unsigned char value, std::uint64_t bytes) {
  check(driver_.fill_queued(to, value, bytes, nullptr), "filling memory");
}

unsigned char* Driver::staging(std::uint64_t bytes) {
  if (bytes <= staging_bytes_) return staging_;
  void* memory = nullptr;
  if (driver_.allocate_host(&memory, bytes, 0) == 0 && memory != nullptr) {
    staging_ = static_cast<unsigned char*>(memory);
  } else {
    plain_staging_.resize(bytes);
    staging_ = plain_staging_.data();
  }
  staging_bytes_ = bytes;
  return staging_;
}

void Driver::launch(Kernel kernel, const Launch& launch, std::vector<void*>& parameters) {
  check(driver_.launch(kernel.function, launch.grid[0], launch.grid[1], launch.grid[2],
                       launch.threads[0], launch.threads[1], launch.threads[2], launch.shared_bytes,
                       nullptr, parameters.data(), nullptr),
        "launching");
}

void Driver::synchronize() {
  check(driver_.synchronize(), "running");
}

void* Driver::create_event() {
  void* event = nullptr;
  check(driver_.event_create(&event, 0), "creating an event");
  return event;
}

bool Driver::is_past(void* event) {
  return driver_.event_query(event) == 0;
}

void Driver::record(void* event) {
  check(driver_.event_record(event, nullptr), "recording an event");
}

double Driver::elapsed_us(void* from, void* to) {
  check(driver_.event_wait(to), "running");
  float elapsed_ms = 0;
  check(driver_.event_elapsed(&elapsed_ms, from, to), "reading events");
  return static_cast<double>(elapsed_ms) * 1000;
}

}  // namespace heddle::agent
