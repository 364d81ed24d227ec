#include "clocks.h"

#include <array>
#include <cstdio>

#include "failure.h"
#include "library.h"
#include "words.h"

namespace heddle::agent {

Clocks::Clocks(const std::string& bus) {
  try {
    const Library library =
        open_library("HEDDLE_NVML_LIBRARY", {"libnvidia-ml.so.1"}, "install NVIDIA's driver");
    const auto find = [&](auto& slot, const char* name) {
      slot =
          reinterpret_cast<std::remove_reference_t<decltype(slot)>>(find_function(library, name));
      if (slot == nullptr) throw Failure(kMissing, library.name + " has no function " + name, "");
    };
    find(nvml_.init, "nvmlInit_v2");
    find(nvml_.by_index, "nvmlDeviceGetHandleByIndex_v2");
    find(nvml_.by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
    find(nvml_.error, "nvmlErrorString");
    find(nvml_.clock, "nvmlDeviceGetClockInfo");
    find(nvml_.temperature, "nvmlDeviceGetTemperature");
    find(nvml_.power, "nvmlDeviceGetPowerUsage");
    find(nvml_.throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    int result = nvml_.init();
    if (result == 0)
      result = bus.empty() ? nvml_.by_index(0, &device_) : nvml_.by_bus(bus.c_str(), &device_);
    if (result != 0) {
      const char* const words = nvml_.error(result);
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
  row += (nvml_.clock(device_, kNvmlClockSm, &value) == 0 ? std::to_string(value) : "") + ",";
  row += (nvml_.clock(device_, kNvmlClockMemory, &value) == 0 ? std::to_string(value) : "") + ",";
  row += (nvml_.temperature(device_, 0, &value) == 0 ? std::to_string(value) : "") + ",";
  row += (nvml_.power(device_, &value) == 0 ? number_text(value / 1000.0, 6) : "") + ",";
  unsigned long long reasons = 0;
  if (nvml_.throttle(device_, &reasons) == 0) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", reasons);
    row += text.data();
  }
  return row;
}

void ClockWatch::tick() {
  const double elapsed_s = std::chrono::duration<double>(Steady::now() - began_).count();
  if (elapsed_s < next_s_) return;
  next_s_ = elapsed_s + 1;
  if (const auto reading = clocks_.read())
    rows_.push_back(phase_ + "," + number_text(elapsed_s, 4) + "," + *reading);
}

}  // namespace heddle::agent
