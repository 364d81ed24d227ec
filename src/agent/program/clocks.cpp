#include "clocks.h"

#include <array>
#include <cstdio>

#include "failure.h"
#include "library.h"
#include "words.h"

namespace heddle::agent {
namespace {

constexpr int kClockSm = 1;      // NVML_CLOCK_SM
constexpr int kClockMemory = 2;  // NVML_CLOCK_MEM

}  // namespace

Clocks::Clocks(const std::string& bus) {
  try {
    const Library library =
        open_library("HEDDLE_NVML_LIBRARY", {"libnvidia-ml.so.1"}, "install NVIDIA's driver");
    const auto find = [&](auto& slot, const char* name) {
      slot =
          reinterpret_cast<std::remove_reference_t<decltype(slot)>>(find_function(library, name));
      if (slot == nullptr) throw Failure(kMissing, library.name + " has no function " + name, "");
    };
    int (*init)() = nullptr;
    int (*by_index)(unsigned, void**) = nullptr;
    int (*by_bus)(const char*, void**) = nullptr;
    const char* (*error)(int) = nullptr;
    find(init, "nvmlInit_v2");
    find(by_index, "nvmlDeviceGetHandleByIndex_v2");
    find(by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
    find(error, "nvmlErrorString");
    find(clock_, "nvmlDeviceGetClockInfo");
    find(temperature_, "nvmlDeviceGetTemperature");
    find(power_, "nvmlDeviceGetPowerUsage");
    find(throttle_, "nvmlDeviceGetCurrentClocksThrottleReasons");
    int result = init();
    if (result == 0) result = bus.empty() ? by_index(0, &device_) : by_bus(bus.c_str(), &device_);
    if (result != 0) {
      const char* const words = error(result);
      reason_ = "NVML: " + printable(words != nullptr ? words : "error", 200);
    }
  } catch (const Failure& failure) {
    reason_ = failure.what();
  }
}

std::optional<std::string> Clocks::read() const {
  if (!reason_.empty()) return std::nullopt;
  unsigned value = 0;
  std::string row;
  row += (clock_(device_, kClockSm, &value) == 0 ? std::to_string(value) : "") + ",";
  row += (clock_(device_, kClockMemory, &value) == 0 ? std::to_string(value) : "") + ",";
  row += (temperature_(device_, 0, &value) == 0 ? std::to_string(value) : "") + ",";
  row += (power_(device_, &value) == 0 ? number_text(value / 1000.0, 6) : "") + ",";
  unsigned long long reasons = 0;
  if (throttle_(device_, &reasons) == 0) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", reasons);
    row += text.data();
  }
  return row;
}

}  // namespace heddle::agent
