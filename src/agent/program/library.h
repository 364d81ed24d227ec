// The functions of a GPU's driver and of its run-time compiler, found when the program runs.
//
//   Library driver = open_library("HEDDLE_CUDA_LIBRARY", {"libcuda.so.1"});
//   DriverFunctions functions = find_driver_functions(driver, Language::cuda);
//
// Rules
//   1. CUDA's driver and HIP have one shape: the same parameters under other names. A function is
//   declared
//      once, with numbers and pointers in place of the vendors' types; tests compare sizes with the
//      vendors' headers where there are any.
//   2. A library or function that is not there is a Failure(kMissing) that names it.
//   3. Libraries stay open until the program ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bundle.h"

namespace heddle::agent {

struct Library {
  void* handle = nullptr;
  std::string name;
};

/// The one that the environment's variable names, or the first of `names` that can be opened.
Library open_library(const char* variable, const std::vector<std::string>& names,
                     const std::string& attempt);
/// Null if it is not there.
void* find_function(const Library& library, const char* name);

using Address = std::uint64_t;  ///< in the device's memory

struct DriverFunctions {
  int (*init)(unsigned) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*device_bus)(char*, int, int) = nullptr;
  int (*context_retain)(void**, int) = nullptr;  ///< CUDA
  int (*context_use)(void*) = nullptr;           ///< CUDA
  int (*device_use)(int) = nullptr;              ///< HIP
  int (*allocate)(Address*, std::size_t) = nullptr;
  int (*release)(Address) = nullptr;
  int (*allocate_host)(void**, std::size_t, unsigned) = nullptr;
  int (*upload)(Address, const void*, std::size_t) = nullptr;
  int (*download)(void*, Address, std::size_t) = nullptr;
  int (*copy)(Address, Address, std::size_t) = nullptr;
  int (*fill)(Address, unsigned char, std::size_t) = nullptr;
  int (*fill_queued)(Address, unsigned char, std::size_t, void*) = nullptr;
  int (*module_load)(void**, const void*) = nullptr;
  int (*module_function)(void**, void*, const char*) = nullptr;
  int (*function_attribute)(void*, int, int) = nullptr;  ///< CUDA
  int (*function_size)(int*, int, void*) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**) = nullptr;
  int (*event_create)(void**, unsigned) = nullptr;
  int (*event_record)(void*, void*) = nullptr;
  int (*event_wait)(void*) = nullptr;
  int (*event_query)(void*) = nullptr;
  int (*event_elapsed)(float*, void*, void*) = nullptr;
  int (*synchronize)() = nullptr;
  int (*error_text)(int, const char**) = nullptr;  ///< CUDA
  int (*error_name)(int, const char**) = nullptr;  ///< CUDA
  const char* (*error_words)(int) = nullptr;       ///< HIP
};

struct CompilerFunctions {
  int (*version)(int*, int*) = nullptr;
  int (*create)(void**, const char*, const char*, int, const char* const*,
                const char* const*) = nullptr;
  int (*destroy)(void**) = nullptr;
  int (*add_name)(void*, const char*) = nullptr;
  int (*compile)(void*, int, const char* const*) = nullptr;
  int (*log_size)(void*, std::size_t*) = nullptr;
  int (*log)(void*, char*) = nullptr;
  int (*code_size)(void*, std::size_t*) = nullptr;
  int (*code)(void*, char*) = nullptr;
  int (*lowered_name)(void*, const char*, const char**) = nullptr;
  const char* (*error_words)(int) = nullptr;
};

/// Numbers that differ between the vendors.
struct DriverNumbers {
  int compute_units = 0;
  int l2_bytes = 0;
  int major = 0;
  int minor = 0;
  int dynamic_shared = 0;  ///< an attribute of functions; CUDA
};

/// CUdevice_attribute and CUfunction_attribute of cuda.h; hipDeviceAttribute_t of ROCm 5 and later.
inline constexpr DriverNumbers kCudaNumbers = {16, 38, 75, 76, 8};
inline constexpr DriverNumbers kHipNumbers = {63, 19, 0, 0, 0};

/// CUfunction_attribute and hipFunction_attribute, which agree.
inline constexpr int kFunctionShared = 1, kFunctionLocal = 3, kFunctionRegisters = 4;

DriverFunctions find_driver_functions(const Library& library, Language language);
CompilerFunctions find_compiler_functions(const Library& library, Language language);

}  // namespace heddle::agent
