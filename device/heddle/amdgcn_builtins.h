/* The compiler's builtins for AMD's chips that HIP kernels name themselves, for this machine.
 *
 *   int first = __builtin_amdgcn_readfirstlane(value);
 *
 * Rules
 *   1. Those that only hint at scheduling do nothing.
 *   2. Matrix instructions are in mfma.h. Others (data-parallel primitives) are not declared: the
 * compiler says so.
 */
#ifndef HEDDLE_AMDGCN_BUILTINS_H
#define HEDDLE_AMDGCN_BUILTINS_H

#include "heddle/math.h"
#include "heddle/warp.h"

HEDDLE_CALL int __builtin_amdgcn_readfirstlane(int value) {
  const unsigned long long lanes = heddle_device::running_lanes();
  const unsigned first = lanes == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(lanes));
  return heddle_device::value_of_lane(value, first, lanes);
}
HEDDLE_CALL int __builtin_amdgcn_readlane(int value, int source) {
  return heddle_device::value_of_lane(value, static_cast<unsigned>(source),
                                      heddle_device::lanes_that_come());
}
HEDDLE_CALL int __builtin_amdgcn_ds_bpermute(int address, int value) {
  const unsigned source = static_cast<unsigned>(address >> 2) % heddle_device::wave_lanes();
  return heddle_device::value_of_lane(value, source, heddle_device::lanes_that_come());
}
/* Rows of so many lanes change places: the odd ones of `a` and the even ones of `b`. */
namespace heddle_device {
typedef unsigned TwoWords __attribute__((ext_vector_type(2)));
HEDDLE_CALL TwoWords swapped_rows(unsigned a, unsigned b, unsigned lanes) {
  const bool is_odd = lane() / lanes % 2 == 1;
  const unsigned of_b = value_of_lane(b, lane() - (is_odd ? lanes : 0), lanes_that_come());
  const unsigned of_a = value_of_lane(a, lane() + (is_odd ? 0 : lanes), lanes_that_come());
  return {is_odd ? of_b : a, is_odd ? b : of_a};
}
}  // namespace heddle_device
HEDDLE_CALL heddle_device::TwoWords __builtin_amdgcn_permlane16_swap(unsigned a, unsigned b, bool,
                                                                     bool) {
  return heddle_device::swapped_rows(a, b, 16);
}
HEDDLE_CALL heddle_device::TwoWords __builtin_amdgcn_permlane32_swap(unsigned a, unsigned b, bool,
                                                                     bool) {
  return heddle_device::swapped_rows(a, b, 32);
}
HEDDLE_CALL unsigned long long __builtin_amdgcn_ballot_w64(bool predicate) {
  return heddle_device::ballot(predicate, heddle_device::lanes_that_come());
}
HEDDLE_CALL unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned base) {
  const unsigned lane = heddle_device::lane();
  const unsigned below = lane >= 32 ? ~0u : (1u << lane) - 1;
  return base + static_cast<unsigned>(__builtin_popcount(mask & below));
}
HEDDLE_CALL unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned base) {
  const unsigned lane = heddle_device::lane();
  const unsigned below = lane < 32 ? 0u : (1u << (lane - 32)) - 1;
  return base + static_cast<unsigned>(__builtin_popcount(mask & below));
}
HEDDLE_CALL unsigned __builtin_amdgcn_wavefrontsize() {
  return heddle_device::wave_lanes();
}
HEDDLE_CALL unsigned __builtin_amdgcn_workitem_id_x() {
  return threadIdx.x;
}
HEDDLE_CALL unsigned __builtin_amdgcn_workitem_id_y() {
  return threadIdx.y;
}
HEDDLE_CALL unsigned __builtin_amdgcn_workitem_id_z() {
  return threadIdx.z;
}
HEDDLE_CALL unsigned __builtin_amdgcn_workgroup_id_x() {
  return blockIdx.x;
}
HEDDLE_CALL unsigned __builtin_amdgcn_workgroup_id_y() {
  return blockIdx.y;
}
HEDDLE_CALL unsigned __builtin_amdgcn_workgroup_id_z() {
  return blockIdx.z;
}
HEDDLE_CALL float __builtin_amdgcn_rcpf(float x) {
  return 1.0f / x;
}
HEDDLE_CALL float __builtin_amdgcn_rsqf(float x) {
  return 1.0f / __builtin_sqrtf(x);
}
HEDDLE_CALL float __builtin_amdgcn_sqrtf(float x) {
  return __builtin_sqrtf(x);
}
HEDDLE_CALL float __builtin_amdgcn_exp2f(float x) {
  return __builtin_exp2f(x);
}
HEDDLE_CALL float __builtin_amdgcn_logf(float x) {
  return __builtin_log2f(x);
}
HEDDLE_CALL float __builtin_amdgcn_fmed3f(float a, float b, float c) {
  const float low = __builtin_fminf(a, b);
  const float high = __builtin_fmaxf(a, b);
  return __builtin_fmaxf(low, __builtin_fminf(high, c));
}
HEDDLE_CALL unsigned long long __builtin_amdgcn_s_memtime() {
  return heddle_clock();
}
HEDDLE_CALL unsigned long long __builtin_amdgcn_s_memrealtime() {
  return heddle_clock();
}
HEDDLE_CALL void __builtin_amdgcn_s_barrier() {
  heddle_barrier();
}
HEDDLE_CALL void __builtin_amdgcn_wave_barrier() {
  heddle_wave_barrier(heddle_active_mask());
}
HEDDLE_CALL void __builtin_amdgcn_fence(int, const char*) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
HEDDLE_CALL void __builtin_amdgcn_sched_barrier(int) {}
HEDDLE_CALL void __builtin_amdgcn_sched_group_barrier(int, int, int) {}
HEDDLE_CALL void __builtin_amdgcn_s_setprio(int) {}
HEDDLE_CALL void __builtin_amdgcn_s_sleep(int) {}
HEDDLE_CALL void __builtin_amdgcn_s_waitcnt(int) {}

#endif
