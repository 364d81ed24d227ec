// libnvidia-ml.so: one GPU whose clock never changes.
#include <cstring>

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned, void** device) {
  *device = nullptr;
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  *device = nullptr;
  return std::strcmp(bus, "0000:01:00.0") == 0 ? 0 : 6;
}
const char* nvmlErrorString(int) {
  return "fake error";
}
int nvmlDeviceGetClockInfo(void*, int clock, unsigned* mhz) {
  *mhz = clock == 1 ? 1980 : 2619;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 41;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 123456;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 4;
  return 0;
}
}
