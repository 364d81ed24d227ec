// libcuda.so or libamdhip64.so, as fake.h says.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "fake.h"

namespace {

constexpr int kInvalid = 1;
constexpr int kIllegalAddress = 700;
constexpr int kL2Bytes = 1 << 20;

double now_us = 0;
bool faulted = false;
bool flushed = false;
std::uint64_t random_state = 1;

struct Kernel {
  std::string text;
};

double random_unit() {
  random_state = random_state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<double>(random_state >> 40) * 0x1p-24;
}

struct Parameters {
  float* a;
  float* b;
  float* c;
  int n;
};

Parameters parameters_of(void** list) {
  return {*static_cast<float**>(list[0]), *static_cast<float**>(list[1]),
          *static_cast<float**>(list[2]), *static_cast<int*>(list[3])};
}

void add(const Parameters& of, int count) {
  for (int i = 0; i < count; ++i) of.c[i] = of.a[i] + of.b[i];
}

/// One marker; false if the launch is refused.
bool act(const std::string& word, std::istringstream& rest, const Parameters& of) {
  int number = 0;
  if (word == "add") add(of, of.n);
  if (word == "skip" && rest >> number) add(of, of.n - number);
  if (word == "wrong" && rest >> number) of.c[number] += 1;
  if (word == "vary") of.c[5] += static_cast<float>(random_unit()) * 0.01F;
  if (word == "guard") of.c[of.n] = 1;
  if (word == "front") of.c[-1] = 1;
  if (word == "input") of.a[3] += 1;
  if (word == "fault") faulted = true;
  if (word == "refuse") return false;
  if (word == "crash") std::abort();
  while (word == "hang") sleep(1);
  if (word == "print") {
    std::string text;
    std::getline(rest, text);
    std::printf("%s\n", text.c_str() + 1);
    std::fflush(stdout);
  }
  if (word == "time_us") {
    double time_us = 0;
    double noise_us = 0;
    std::string noise;
    rest >> time_us >> noise >> noise_us;
    now_us += time_us + noise_us * (random_unit() * 2 - 1);
  }
  return true;
}

/// Orders that heddle puts into a kernel name themselves in a comment.
void hurry(const std::string& text, std::istringstream& rest) {
  std::string name;
  double less_us = 0;
  if (rest >> name >> less_us && text.find(name + ": proved") != std::string::npos)
    now_us -= less_us;
}

bool run(const Kernel& kernel, void** list) {
  const std::string marker = "// fake: ";
  bool asleep = false;
  std::istringstream lines(kernel.text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(marker);
    if (at == std::string::npos) continue;
    std::istringstream rest(line.substr(at + marker.size()));
    std::string word;
    rest >> word;
    if (word == "only") asleep = !flushed;
    if (word == "odd") asleep = parameters_of(list).n % 2 == 0;
    if (asleep) continue;
    if (word == "less_with") hurry(kernel.text, rest);
    if (!act(word, rest, parameters_of(list))) return false;
  }
  return true;
}

int state() {
  return faulted ? kIllegalAddress : 0;
}

const char* words_of(int error) {
  return error == kIllegalAddress ? "an illegal memory access was encountered" : "invalid argument";
}

}  // namespace

extern "C" {

int FAKE(cuInit, hipInit)(unsigned) {
  return std::getenv("FAKE_NO_DEVICE") != nullptr ? 100 : 0;
}
int FAKE(cuDriverGetVersion, hipDriverGetVersion)(int* version) {
  *version = 12040;
  return 0;
}
int FAKE(cuDeviceGet, hipDeviceGet)(int* device, int number) {
  *device = number;
  return 0;
}
int FAKE(cuDeviceGetName, hipDeviceGetName)(char* name, int size, int) {
  std::snprintf(name, static_cast<std::size_t>(size), "%s", FAKE("Fake 100", "Fake MI300X"));
  return 0;
}
int FAKE(cuDeviceGetPCIBusId, hipDeviceGetPCIBusId)(char* name, int size, int) {
  std::snprintf(name, static_cast<std::size_t>(size), "0000:01:00.0");
  return 0;
}
int FAKE(cuDeviceGetAttribute, hipDeviceGetAttribute)(int* value, int attribute, int) {
  *value = attribute == FAKE(38, 19) ? kL2Bytes : attribute == FAKE(75, 23) ? 9 : 0;
  if (attribute == FAKE(16, 63)) *value = 132;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &now_us;
  return 0;
}
int cuCtxSetCurrent(void*) {
  return 0;
}
int hipSetDevice(int) {
  return 0;
}
int FAKE(cuMemGetInfo_v2, hipMemGetInfo)(std::size_t* unused, std::size_t* total) {
  *unused = *total = std::size_t{1} << 32;
  return 0;
}
int FAKE(cuMemAlloc_v2, hipMalloc)(std::uint64_t* address, std::size_t bytes) {
  if (bytes > std::size_t{1} << 30) return 2;
  *address = reinterpret_cast<std::uint64_t>(std::malloc(bytes));
  return 0;
}
int FAKE(cuMemFree_v2, hipFree)(std::uint64_t address) {
  std::free(reinterpret_cast<void*>(address));
  return state();
}
int FAKE(cuMemHostAlloc, hipHostMalloc)(void** memory, std::size_t bytes, unsigned) {
  *memory = std::malloc(bytes);
  return 0;
}
int FAKE(cuMemcpyHtoD_v2, hipMemcpyHtoD)(std::uint64_t to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return state();
}
int FAKE(cuMemcpyDtoH_v2, hipMemcpyDtoH)(void* to, std::uint64_t from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return state();
}
int FAKE(cuMemcpyDtoD_v2, hipMemcpyDtoD)(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return state();
}
int FAKE(cuMemsetD8_v2, hipMemsetD8)(std::uint64_t to, unsigned char value, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return state();
}
int FAKE(cuMemsetD8Async, hipMemsetD8Async)(std::uint64_t to, unsigned char value,
                                            std::size_t bytes, void*) {
  flushed = true;
  std::memset(reinterpret_cast<void*>(to), value, bytes < 4096 ? bytes : 4096);
  now_us += 50;
  return state();
}
int FAKE(cuModuleLoadData, hipModuleLoadData)(void** module, const void* code) {
  *module = new Kernel{static_cast<const char*>(code)};
  return 0;
}
int FAKE(cuModuleGetFunction, hipModuleGetFunction)(void** function, void* module, const char*) {
  *function = module;
  return 0;
}
int cuFuncSetAttribute(void*, int attribute, int value) {
  return attribute == 8 && value <= 200'000 ? 0 : kInvalid;
}
int FAKE(cuFuncGetAttribute, hipFuncGetAttribute)(int* value, int attribute, void*) {
  *value = attribute == 4 ? 40 : attribute == 1 ? 512 : attribute == 3 ? 16 : 0;
  return 0;
}
int FAKE(cuLaunchKernel, hipModuleLaunchKernel)(void* function, unsigned, unsigned, unsigned,
                                                unsigned, unsigned, unsigned, unsigned, void*,
                                                void** parameters, void**) {
  if (faulted) return kIllegalAddress;
  return run(*static_cast<Kernel*>(function), parameters) ? 0 : kInvalid;
}
int FAKE(cuEventCreate, hipEventCreateWithFlags)(void** event, unsigned) {
  *event = new double(0);
  return 0;
}
int FAKE(cuEventRecord, hipEventRecord)(void* event, void*) {
  *static_cast<double*>(event) = now_us;
  return 0;
}
int FAKE(cuEventQuery, hipEventQuery)(void*) {
  return 600;  // always behind the host
}
int FAKE(cuEventSynchronize, hipEventSynchronize)(void*) {
  return state();
}
int FAKE(cuEventElapsedTime, hipEventElapsedTime)(float* elapsed_ms, void* from, void* to) {
  *elapsed_ms =
      static_cast<float>((*static_cast<double*>(to) - *static_cast<double*>(from)) / 1000);
  return 0;
}
int FAKE(cuCtxSynchronize, hipDeviceSynchronize)() {
  return state();
}
int cuGetErrorString(int error, const char** text) {
  *text = words_of(error);
  return 0;
}
int cuGetErrorName(int, const char** name) {
  *name = "FAKE_ERROR";
  return 0;
}
const char* hipGetErrorString(int error) {
  return words_of(error);
}
}
