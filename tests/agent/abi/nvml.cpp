// Declarations of the agent beside those of nvml.h.
#include <nvml.h>

#include "agent/program/clocks.h"
#include "same.h"

namespace heddle::agent {
namespace {

static_assert(kSameCall<decltype(NvmlFunctions::init), decltype(&nvmlInit_v2)>);
static_assert(
    kSameCall<decltype(NvmlFunctions::by_index), decltype(&nvmlDeviceGetHandleByIndex_v2)>);
static_assert(
    kSameCall<decltype(NvmlFunctions::by_bus), decltype(&nvmlDeviceGetHandleByPciBusId_v2)>);
static_assert(kSameCall<decltype(NvmlFunctions::error), decltype(&nvmlErrorString)>);
static_assert(kSameCall<decltype(NvmlFunctions::clock), decltype(&nvmlDeviceGetClockInfo)>);
static_assert(kSameCall<decltype(NvmlFunctions::temperature), decltype(&nvmlDeviceGetTemperature)>);
static_assert(kSameCall<decltype(NvmlFunctions::power), decltype(&nvmlDeviceGetPowerUsage)>);
static_assert(kSameCall<decltype(NvmlFunctions::throttle),
                        decltype(&nvmlDeviceGetCurrentClocksThrottleReasons)>);
static_assert(NVML_CLOCK_SM == kNvmlClockSm && NVML_CLOCK_MEM == kNvmlClockMemory);
static_assert(NVML_TEMPERATURE_GPU == 0 && NVML_SUCCESS == 0);

}  // namespace
}  // namespace heddle::agent
