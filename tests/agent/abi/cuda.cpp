// Declarations of the agent beside those of cuda.h and nvrtc.h.
#include <cuda.h>
#include <nvrtc.h>

#include "agent/program/library.h"
#include "same.h"

namespace heddle::agent {
namespace {

static_assert(kSameCall<decltype(DriverFunctions::init), decltype(&cuInit)>);
static_assert(kSameCall<decltype(DriverFunctions::driver_version), decltype(&cuDriverGetVersion)>);
static_assert(kSameCall<decltype(DriverFunctions::device_get), decltype(&cuDeviceGet)>);
static_assert(kSameCall<decltype(DriverFunctions::device_name), decltype(&cuDeviceGetName)>);
static_assert(
    kSameCall<decltype(DriverFunctions::device_attribute), decltype(&cuDeviceGetAttribute)>);
static_assert(kSameCall<decltype(DriverFunctions::device_bus), decltype(&cuDeviceGetPCIBusId)>);
static_assert(
    kSameCall<decltype(DriverFunctions::context_retain), decltype(&cuDevicePrimaryCtxRetain)>);
static_assert(kSameCall<decltype(DriverFunctions::context_use), decltype(&cuCtxSetCurrent)>);
static_assert(kSameCall<decltype(DriverFunctions::allocate), decltype(&cuMemAlloc)>);
static_assert(kSameCall<decltype(DriverFunctions::release), decltype(&cuMemFree)>);
static_assert(kSameCall<decltype(DriverFunctions::allocate_host), decltype(&cuMemHostAlloc)>);
static_assert(kSameCall<decltype(DriverFunctions::upload), decltype(&cuMemcpyHtoD)>);
static_assert(kSameCall<decltype(DriverFunctions::download), decltype(&cuMemcpyDtoH)>);
static_assert(kSameCall<decltype(DriverFunctions::copy), decltype(&cuMemcpyDtoD)>);
static_assert(kSameCall<decltype(DriverFunctions::fill), decltype(&cuMemsetD8)>);
static_assert(kSameCall<decltype(DriverFunctions::fill_queued), decltype(&cuMemsetD8Async)>);
static_assert(kSameCall<decltype(DriverFunctions::module_load), decltype(&cuModuleLoadData)>);
static_assert(
    kSameCall<decltype(DriverFunctions::module_function), decltype(&cuModuleGetFunction)>);
static_assert(
    kSameCall<decltype(DriverFunctions::function_attribute), decltype(&cuFuncSetAttribute)>);
static_assert(kSameCall<decltype(DriverFunctions::function_size), decltype(&cuFuncGetAttribute)>);
static_assert(kSameCall<decltype(DriverFunctions::launch), decltype(&cuLaunchKernel)>);
static_assert(kSameCall<decltype(DriverFunctions::event_create), decltype(&cuEventCreate)>);
static_assert(kSameCall<decltype(DriverFunctions::event_record), decltype(&cuEventRecord)>);
static_assert(kSameCall<decltype(DriverFunctions::event_query), decltype(&cuEventQuery)>);
static_assert(kSameCall<decltype(DriverFunctions::event_wait), decltype(&cuEventSynchronize)>);
static_assert(kSameCall<decltype(DriverFunctions::event_elapsed), decltype(&cuEventElapsedTime)>);
static_assert(kSameCall<decltype(DriverFunctions::synchronize), decltype(&cuCtxSynchronize)>);
static_assert(kSameCall<decltype(DriverFunctions::error_text), decltype(&cuGetErrorString)>);
static_assert(kSameCall<decltype(DriverFunctions::error_name), decltype(&cuGetErrorName)>);

static_assert(kSameCall<decltype(CompilerFunctions::version), decltype(&nvrtcVersion)>);
static_assert(kSameCall<decltype(CompilerFunctions::create), decltype(&nvrtcCreateProgram)>);
static_assert(kSameCall<decltype(CompilerFunctions::destroy), decltype(&nvrtcDestroyProgram)>);
static_assert(kSameCall<decltype(CompilerFunctions::add_name), decltype(&nvrtcAddNameExpression)>);
static_assert(kSameCall<decltype(CompilerFunctions::compile), decltype(&nvrtcCompileProgram)>);
static_assert(kSameCall<decltype(CompilerFunctions::log_size), decltype(&nvrtcGetProgramLogSize)>);
static_assert(kSameCall<decltype(CompilerFunctions::log), decltype(&nvrtcGetProgramLog)>);
static_assert(kSameCall<decltype(CompilerFunctions::code_size), decltype(&nvrtcGetCUBINSize)>);
static_assert(kSameCall<decltype(CompilerFunctions::code), decltype(&nvrtcGetCUBIN)>);
static_assert(kSameCall<decltype(CompilerFunctions::lowered_name), decltype(&nvrtcGetLoweredName)>);
static_assert(kSameCall<decltype(CompilerFunctions::error_words), decltype(&nvrtcGetErrorString)>);

static_assert(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT == kCudaNumbers.compute_units);
static_assert(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE == kCudaNumbers.l2_bytes);
static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == kCudaNumbers.major);
static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR == kCudaNumbers.minor);
static_assert(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES == kCudaNumbers.dynamic_shared);
static_assert(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES == kFunctionShared);
static_assert(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES == kFunctionLocal);
static_assert(CU_FUNC_ATTRIBUTE_NUM_REGS == kFunctionRegisters);
static_assert(CUDA_SUCCESS == 0 && NVRTC_SUCCESS == 0);

}  // namespace
}  // namespace heddle::agent
