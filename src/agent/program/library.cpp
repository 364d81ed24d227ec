#include "library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "failure.h"
#include "words.h"

namespace heddle::agent {
namespace {

/// Fills one slot after the other, from the name of the language at hand.
class Finder {
 public:
  Finder(const Library& library, Language language) : library_(library), language_(language) {}

  /// An empty name: this vendor has none, and it is not used.
  template <class Function>
  void find(Function& slot, const char* cuda, const char* hip) const {
    const char* const name = language_ == Language::hip ? hip : cuda;
    if (*name == '\0') return;
    void* const found = find_function(library_, name);
    if (found == nullptr)
      throw Failure(kMissing, library_.name + " has no function " + name,
                    "install a newer driver or toolkit");
    slot = reinterpret_cast<Function>(found);
  }

 private:
  const Library& library_;
  Language language_;
};

}  // namespace

Library open_library(const char* variable, const std::vector<std::string>& names,
                     const std::string& attempt) {
  const char* const chosen = std::getenv(variable);
  const bool own = chosen != nullptr && *chosen != '\0';
  std::string reason;
  for (const std::string& name : own ? std::vector<std::string>{chosen} : names) {
    if (void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, name};
    const char* const error = dlerror();
    if (reason.empty() && error != nullptr) reason = printable(error, 300);
  }
  throw Failure(kMissing,
                "no library " + (own ? std::string(chosen) : names.front()) + ": " + reason,
                own ? std::string("look at the variable ") + variable
                    : attempt + ", or name the library in " + variable);
}

void* find_function(const Library& library, const char* name) {
  return dlsym(library.handle, name);
}

DriverFunctions find_driver_functions(const Library& library, Language language) {
  DriverFunctions found;
  const Finder finder(library, language);
  finder.find(found.init, "cuInit", "hipInit");
  finder.find(found.driver_version, "cuDriverGetVersion", "hipDriverGetVersion");
  finder.find(found.device_get, "cuDeviceGet", "hipDeviceGet");
  finder.find(found.device_name, "cuDeviceGetName", "hipDeviceGetName");
  finder.find(found.device_attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute");
  finder.find(found.device_bus, "cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId");
  finder.find(found.context_retain, "cuDevicePrimaryCtxRetain", "");
  finder.find(found.context_use, "cuCtxSetCurrent", "");
  finder.find(found.device_use, "", "hipSetDevice");
  finder.find(found.allocate, "cuMemAlloc_v2", "hipMalloc");
  finder.find(found.release, "cuMemFree_v2", "hipFree");
  finder.find(found.allocate_host, "cuMemHostAlloc", "hipHostMalloc");
  finder.find(found.upload, "cuMemcpyHtoD_v2", "hipMemcpyHtoD");
  finder.find(found.download, "cuMemcpyDtoH_v2", "hipMemcpyDtoH");
  finder.find(found.copy, "cuMemcpyDtoD_v2", "hipMemcpyDtoD");
  finder.find(found.fill, "cuMemsetD8_v2", "hipMemsetD8");
  finder.find(found.fill_queued, "cuMemsetD8Async", "hipMemsetD8Async");
  finder.find(found.module_load, "cuModuleLoadData", "hipModuleLoadData");
  finder.find(found.module_function, "cuModuleGetFunction", "hipModuleGetFunction");
  finder.find(found.function_attribute, "cuFuncSetAttribute", "");
  finder.find(found.function_size, "cuFuncGetAttribute", "hipFuncGetAttribute");
  finder.find(found.launch, "cuLaunchKernel", "hipModuleLaunchKernel");
  finder.find(found.event_create, "cuEventCreate", "hipEventCreateWithFlags");
  finder.find(found.event_record, "cuEventRecord", "hipEventRecord");
  finder.find(found.event_query, "cuEventQuery", "hipEventQuery");
  finder.find(found.event_wait, "cuEventSynchronize", "hipEventSynchronize");
  finder.find(found.event_elapsed, "cuEventElapsedTime", "hipEventElapsedTime");
  finder.find(found.synchronize, "cuCtxSynchronize", "hipDeviceSynchronize");
  finder.find(found.error_text, "cuGetErrorString", "");
  finder.find(found.error_name, "cuGetErrorName", "");
  finder.find(found.error_words, "", "hipGetErrorString");
  return found;
}

CompilerFunctions find_compiler_functions(const Library& library, Language language) {
  CompilerFunctions found;
  const Finder finder(library, language);
  finder.find(found.version, "nvrtcVersion", "hiprtcVersion");
  finder.find(found.create, "nvrtcCreateProgram", "hiprtcCreateProgram");
  finder.find(found.destroy, "nvrtcDestroyProgram", "hiprtcDestroyProgram");
  finder.find(found.add_name, "nvrtcAddNameExpression", "hiprtcAddNameExpression");
  finder.find(found.compile, "nvrtcCompileProgram", "hiprtcCompileProgram");
  finder.find(found.log_size, "nvrtcGetProgramLogSize", "hiprtcGetProgramLogSize");
  finder.find(found.log, "nvrtcGetProgramLog", "hiprtcGetProgramLog");
  finder.find(found.code_size, "nvrtcGetCUBINSize", "hiprtcGetCodeSize");
  finder.find(found.code, "nvrtcGetCUBIN", "hiprtcGetCode");
  finder.find(found.lowered_name, "nvrtcGetLoweredName", "hiprtcGetLoweredName");
  finder.find(found.error_words, "nvrtcGetErrorString", "hiprtcGetErrorString");
  return found;
}

}  // namespace heddle::agent
