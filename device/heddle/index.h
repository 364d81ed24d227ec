/* threadIdx, blockIdx, blockDim, gridDim, warpSize and their relatives.
 *
 *   unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
 *   dim3 block = blockDim;
 *
 * Rules
 *   1. The axes are properties: reading one calls the runner or reads a register of the chip, and
 *      no variable is ever loaded.
 */
#ifndef HEDDLE_INDEX_H
#define HEDDLE_INDEX_H

#include "heddle/attributes.h"
#include "heddle/vector_types.h"

struct dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  HEDDLE_BOTH constexpr dim3(unsigned along_x = 1, unsigned along_y = 1, unsigned along_z = 1)
      : x(along_x), y(along_y), z(along_z) {}
  HEDDLE_BOTH constexpr dim3(const uint3& v) : x(v.x), y(v.y), z(v.z) {}
  HEDDLE_BOTH constexpr operator uint3() const { return uint3(x, y, z); }
};

namespace heddle_device {

#if defined(HEDDLE_HOST)
template <int axis>
HEDDLE_CALL unsigned thread_index() {
  return heddle_thread_index(axis);
}
template <int axis>
HEDDLE_CALL unsigned block_index() {
  return heddle_block_index(axis);
}
template <int axis>
HEDDLE_CALL unsigned block_extent() {
  return heddle_block_extent(axis);
}
template <int axis>
HEDDLE_CALL unsigned grid_extent() {
  return heddle_grid_extent(axis);
}
/* A warp of CUDA has 32 lanes, also where it is half of a wave of 64. */
#if defined(HEDDLE_CUDA)
HEDDLE_CALL unsigned lane() {
  return heddle_lane() & 31;
}
HEDDLE_CALL unsigned wave_lanes() {
  return 32;
}
HEDDLE_CALL unsigned first_lane() {
  return heddle_lane() & 32;
}
#else
HEDDLE_CALL unsigned lane() {
  return heddle_lane();
}
HEDDLE_CALL unsigned wave_lanes() {
  return heddle_wave_lanes();
}
HEDDLE_CALL unsigned first_lane() {
  return 0;
}
#endif
#elif HEDDLE_AMDGCN
template <int axis>
HEDDLE_CALL unsigned thread_index() {
  if constexpr (axis == 0) return __builtin_amdgcn_workitem_id_x();
  if constexpr (axis == 1) return __builtin_amdgcn_workitem_id_y();
  return __builtin_amdgcn_workitem_id_z();
}
template <int axis>
HEDDLE_CALL unsigned block_index() {
  if constexpr (axis == 0) return __builtin_amdgcn_workgroup_id_x();
  if constexpr (axis == 1) return __builtin_amdgcn_workgroup_id_y();
  return __builtin_amdgcn_workgroup_id_z();
}
template <int axis>
HEDDLE_CALL unsigned block_extent() {
  if constexpr (axis == 0) return __builtin_amdgcn_workgroup_size_x();
  if constexpr (axis == 1) return __builtin_amdgcn_workgroup_size_y();
  return __builtin_amdgcn_workgroup_size_z();
}
/* The hidden arguments of a kernel begin with the number of blocks along each axis. */
template <int axis>
HEDDLE_CALL unsigned grid_extent() {
  using Hidden = const __attribute__((address_space(4))) unsigned;
  return ((Hidden*)__builtin_amdgcn_implicitarg_ptr())[axis];
}
HEDDLE_CALL unsigned lane() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}
HEDDLE_CALL unsigned wave_lanes() {
  return __builtin_amdgcn_wavefrontsize();
}
#else
template <int axis>
HEDDLE_CALL unsigned thread_index() {
  if constexpr (axis == 0) return __nvvm_read_ptx_sreg_tid_x();
  if constexpr (axis == 1) return __nvvm_read_ptx_sreg_tid_y();
  return __nvvm_read_ptx_sreg_tid_z();
}
template <int axis>
HEDDLE_CALL unsigned block_index() {
  if constexpr (axis == 0) return __nvvm_read_ptx_sreg_ctaid_x();
  if constexpr (axis == 1) return __nvvm_read_ptx_sreg_ctaid_y();
  return __nvvm_read_ptx_sreg_ctaid_z();
}
template <int axis>
HEDDLE_CALL unsigned block_extent() {
  if constexpr (axis == 0) return __nvvm_read_ptx_sreg_ntid_x();
  if constexpr (axis == 1) return __nvvm_read_ptx_sreg_ntid_y();
  return __nvvm_read_ptx_sreg_ntid_z();
}
template <int axis>
HEDDLE_CALL unsigned grid_extent() {
  if constexpr (axis == 0) return __nvvm_read_ptx_sreg_nctaid_x();
  if constexpr (axis == 1) return __nvvm_read_ptx_sreg_nctaid_y();
  return __nvvm_read_ptx_sreg_nctaid_z();
}
HEDDLE_CALL unsigned lane() {
  return __nvvm_read_ptx_sreg_laneid();
}
HEDDLE_CALL unsigned wave_lanes() {
  return 32;
}
#endif

#define HEDDLE_INDEX_TYPE(Name, axis_value)                                         \
  struct Name {                                                                     \
    __declspec(property(get = get_x)) unsigned x;                                   \
    __declspec(property(get = get_y)) unsigned y;                                   \
    __declspec(property(get = get_z)) unsigned z;                                   \
    static HEDDLE_CALL unsigned get_x() { return axis_value<0>(); }                 \
    static HEDDLE_CALL unsigned get_y() { return axis_value<1>(); }                 \
    static HEDDLE_CALL unsigned get_z() { return axis_value<2>(); }                 \
    HEDDLE_CALL operator dim3() const { return dim3(get_x(), get_y(), get_z()); }   \
    HEDDLE_CALL operator uint3() const { return uint3(get_x(), get_y(), get_z()); } \
  };
HEDDLE_INDEX_TYPE(ThreadIndex, thread_index)
HEDDLE_INDEX_TYPE(BlockIndex, block_index)
HEDDLE_INDEX_TYPE(BlockExtent, block_extent)
HEDDLE_INDEX_TYPE(GridExtent, grid_extent)
#undef HEDDLE_INDEX_TYPE

struct WaveLanes {
  HEDDLE_CALL operator int() const { return static_cast<int>(wave_lanes()); }
};

}  // namespace heddle_device

/* Objects without members: nothing of them is ever read. */
extern const __device__ heddle_device::ThreadIndex threadIdx;
extern const __device__ heddle_device::BlockIndex blockIdx;
extern const __device__ heddle_device::BlockExtent blockDim;
extern const __device__ heddle_device::GridExtent gridDim;

#if HEDDLE_NVPTX || defined(HEDDLE_CUDA)
/* A constant: CUDA code uses it as one. */
constexpr int warpSize = 32;
#else
extern const __device__ heddle_device::WaveLanes warpSize;
#endif

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)

HEDDLE_CALL unsigned __lane_id() {
  return heddle_device::lane();
}

#endif
