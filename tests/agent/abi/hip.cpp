// Declarations of the agent beside those of hip_runtime_api.h and hiprtc.h.
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include "agent/program/library.h"
#include "same.h"

namespace heddle::agent {
namespace {

// Of these there are templates too.
using Malloc = hipError_t (*)(void**, size_t);
using HostMalloc = hipError_t (*)(void**, size_t, unsigned);
[[maybe_unused]] Malloc kMalloc = &hipMalloc;
[[maybe_unused]] HostMalloc kHostMalloc = &hipHostMalloc;

static_assert(kSameCall<decltype(DriverFunctions::init), decltype(&hipInit)>);
static_assert(kSameCall<decltype(DriverFunctions::driver_version), decltype(&hipDriverGetVersion)>);
static_assert(kSameCall<decltype(DriverFunctions::device_get), decltype(&hipDeviceGet)>);
static_assert(kSameCall<decltype(DriverFunctions::device_name), decltype(&hipDeviceGetName)>);
static_assert(
    kSameCall<decltype(DriverFunctions::device_attribute), decltype(&hipDeviceGetAttribute)>);
static_assert(kSameCall<decltype(DriverFunctions::device_bus), decltype(&hipDeviceGetPCIBusId)>);
static_assert(kSameCall<decltype(DriverFunctions::device_use), decltype(&hipSetDevice)>);
static_assert(kSameCall<decltype(DriverFunctions::allocate), decltype(kMalloc)>);
static_assert(kSameCall<decltype(DriverFunctions::release), decltype(&hipFree)>);
static_assert(kSameCall<decltype(DriverFunctions::allocate_host), decltype(kHostMalloc)>);
static_assert(kSameCall<decltype(DriverFunctions::upload), decltype(&hipMemcpyHtoD)>);
static_assert(kSameCall<decltype(DriverFunctions::download), decltype(&hipMemcpyDtoH)>);
static_assert(kSameCall<decltype(DriverFunctions::copy), decltype(&hipMemcpyDtoD)>);
static_assert(kSameCall<decltype(DriverFunctions::fill), decltype(&hipMemsetD8)>);
static_assert(kSameCall<decltype(DriverFunctions::fill_queued), decltype(&hipMemsetD8Async)>);
static_assert(kSameCall<decltype(DriverFunctions::module_load), decltype(&hipModuleLoadData)>);
static_assert(
    kSameCall<decltype(DriverFunctions::module_function), decltype(&hipModuleGetFunction)>);
static_assert(kSameCall<decltype(DriverFunctions::function_size), decltype(&hipFuncGetAttribute)>);
static_assert(kSameCall<decltype(DriverFunctions::launch), decltype(&hipModuleLaunchKernel)>);
static_assert(
    kSameCall<decltype(DriverFunctions::event_create), decltype(&hipEventCreateWithFlags)>);
static_assert(kSameCall<decltype(DriverFunctions::event_record), decltype(&hipEventRecord)>);
static_assert(kSameCall<decltype(DriverFunctions::event_query), decltype(&hipEventQuery)>);
static_assert(kSameCall<decltype(DriverFunctions::event_wait), decltype(&hipEventSynchronize)>);
static_assert(kSameCall<decltype(DriverFunctions::event_elapsed), decltype(&hipEventElapsedTime)>);
static_assert(kSameCall<decltype(DriverFunctions::synchronize), decltype(&hipDeviceSynchronize)>);
static_assert(kSameCall<decltype(DriverFunctions::error_words), decltype(&hipGetErrorString)>);

static_assert(kSameCall<decltype(CompilerFunctions::version), decltype(&hiprtcVersion)>);
static_assert(kSameCall<decltype(CompilerFunctions::create), decltype(&hiprtcCreateProgram)>);
static_assert(kSameCall<decltype(CompilerFunctions::destroy), decltype(&hiprtcDestroyProgram)>);
static_assert(kSameCall<decltype(CompilerFunctions::add_name), decltype(&hiprtcAddNameExpression)>);
static_assert(kSameCall<decltype(CompilerFunctions::compile), decltype(&hiprtcCompileProgram)>);
static_assert(kSameCall<decltype(CompilerFunctions::log_size), decltype(&hiprtcGetProgramLogSize)>);
static_assert(kSameCall<decltype(CompilerFunctions::log), decltype(&hiprtcGetProgramLog)>);
static_assert(kSameCall<decltype(CompilerFunctions::code_size), decltype(&hiprtcGetCodeSize)>);
static_assert(kSameCall<decltype(CompilerFunctions::code), decltype(&hiprtcGetCode)>);
static_assert(
    kSameCall<decltype(CompilerFunctions::lowered_name), decltype(&hiprtcGetLoweredName)>);
static_assert(kSameCall<decltype(CompilerFunctions::error_words), decltype(&hiprtcGetErrorString)>);

static_assert(hipDeviceAttributeMultiprocessorCount == kHipNumbers.compute_units);
static_assert(hipDeviceAttributeL2CacheSize == kHipNumbers.l2_bytes);
static_assert(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES == kFunctionShared);
static_assert(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES == kFunctionLocal);
static_assert(HIP_FUNC_ATTRIBUTE_NUM_REGS == kFunctionRegisters);
static_assert(hipSuccess == 0 && HIPRTC_SUCCESS == 0);

}  // namespace
}  // namespace heddle::agent
