/* Textures and surfaces: an array whose rows lie one behind the other, read and written by lanes.
 *
 *   [tensors.image.data]   dtype = "fp32", shape = [512, 512]       the job of a kernel with the
 *   [scalars]              image.width = 512, image.height = 512    parameter cudaTextureObject_t image
 *
 * Rules
 *   1. A texel is one access of the tensor behind `data`. How a GPU lays out an array is not published:
 *      what is between rows of an array on a chip is not here.
 *   2. What the job does not give is no: points, clamped, whole coordinates, no layers.
 *   3. linear: 2, 4 or 8 texels, weighted by fractions of 8 bits as CUDA's programming guide says. wrap
 *      and mirror need normalized coordinates, and clamp without them.
 *   4. On a chip, whose code is counted and not run, a texture is one load.
 *   5. channel_bytes of 1 or 2 beside floating results: whole numbers, as fractions of their largest.
 *   6. A cube map is six faces, +x -x +y -y +z -z, one behind the other. Texels beyond the edge of a
 *      face are those at its edge, not those of the next face.
 *   7. Mipmaps, gathers and the old texture references are not here.
 */
#ifndef HEDDLE_TEXTURES_H
#define HEDDLE_TEXTURES_H

#include "heddle/device.h"

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum hipSurfaceBoundaryMode { hipBoundaryModeZero, hipBoundaryModeTrap, hipBoundaryModeClamp };

namespace heddle_device {

HEDDLE_CALL void stop_texture([[maybe_unused]] const char* why) {
#if defined(HEDDLE_HOST)
  heddle_stop(why);
#else
  __builtin_trap();
#endif
}

/* A texel and its channels. */
template <class T>
struct Texel {
  using Channel = T;
  static constexpr int channels = 1;
};
template <Vector T>
struct Texel<T> {
  using Channel = typename T::value_type;
  static constexpr int channels = T::components;
};

template <class T>
inline constexpr bool is_real_texel = false;
template <>
inline constexpr bool is_real_texel<float> = true;
template <>
inline constexpr bool is_real_texel<double> = true;

template <class Whole, class T>
HEDDLE_CALL T as_fractions(const Whole* from) {
  T texel;
  typename Texel<T>::Channel values[Texel<T>::channels];
  using Pack = Packed<Whole, Texel<T>::channels>;
  if constexpr (Texel<T>::channels == 1) {
    values[0] = static_cast<float>(*from) / ((1 << (8 * sizeof(Whole))) - 1);
  } else {
    const Pack pack = *reinterpret_cast<const Pack*>(from);
    for (int i = 0; i < Texel<T>::channels; ++i)
      values[i] = static_cast<float>(pack[i]) / ((1 << (8 * sizeof(Whole))) - 1);
  }
  __builtin_memcpy((void*)&texel, values, sizeof texel);
  return texel;
}

template <class T>
HEDDLE_CALL T no_texel() {
  T texel;
  __builtin_memset((void*)&texel, 0, sizeof texel);
  return texel;
}

/* Texel `index` of the array. */
template <class T>
HEDDLE_CALL T texel_at(const HeddleTexture& texture, long long index) {
  if constexpr (is_real_texel<typename Texel<T>::Channel>) {
    if (texture.channel_bytes == 1)
      return as_fractions<unsigned char, T>(static_cast<const unsigned char*>(texture.data) +
                                            index * Texel<T>::channels);
    if (texture.channel_bytes == 2)
      return as_fractions<unsigned short, T>(static_cast<const unsigned short*>(texture.data) +
                                             index * Texel<T>::channels);
  }
  if (texture.channel_bytes != 0 && texture.channel_bytes != sizeof(typename Texel<T>::Channel))
    stop_texture("a texture's channel_bytes do not fit what the kernel reads");
  return static_cast<const T*>(texture.data)[index];
}

/* Not inlined where kernels are run: bicubic kernels have hundreds of them. */
#if defined(HEDDLE_HOST)
#define HEDDLE_TEXEL inline __attribute__((noinline, nodebug))
#else
#define HEDDLE_TEXEL HEDDLE_CALL
#endif

enum TexelMode { wrapped = 1, mirrored = 2, bordered = 4 };
HEDDLE_CALL int texel_mode(const HeddleTexture& texture) {
  if (!texture.normalized) return texture.border ? bordered : 0;
  return texture.wrap ? wrapped : texture.mirror ? mirrored : texture.border ? bordered : 0;
}

/* Where a coordinate lies; -1: outside, where nothing is. */
HEDDLE_TEXEL long long texel_place(int mode, long long at, unsigned extent) {
  const long long count = extent;
  if (count == 0)
    stop_texture("the job does not say how large a texture is: NAME.width, NAME.height");
  if (mode == wrapped) return ((at % count) + count) % count;
  if (mode == mirrored) {
    const long long turn = ((at % (2 * count)) + 2 * count) % (2 * count);
    return turn < count ? turn : 2 * count - 1 - turn;
  }
  if (mode == bordered && (at < 0 || at >= count)) return -1;
  return at < 0 ? 0 : at >= count ? count - 1 : at;
}
#undef HEDDLE_TEXEL

template <class T>
HEDDLE_CALL T texel_of(const HeddleTexture& texture, long long x, long long y, long long z,
                       int axes) {
  const int mode = texel_mode(texture);
  const long long column = texel_place(mode, x, texture.width);
  const long long row = axes > 1 ? texel_place(mode, y, texture.height) : 0;
  const long long slice = axes > 2 ? texel_place(mode, z, texture.depth) : z;
  if (column < 0 || row < 0 || slice < 0) return no_texel<T>();
  return texel_at<T>(texture,
                     (slice * (axes > 1 ? texture.height : 1) + row) * texture.width + column);
}

template <class T>
HEDDLE_CALL void add_texel(T& sum, const T& texel, float weight) {
  typename Texel<T>::Channel all[Texel<T>::channels];
  typename Texel<T>::Channel one[Texel<T>::channels];
  __builtin_memcpy(all, (const void*)&sum, sizeof all);
  __builtin_memcpy(one, (const void*)&texel, sizeof one);
  for (int i = 0; i < Texel<T>::channels; ++i) all[i] += weight * one[i];
  __builtin_memcpy((void*)&sum, all, sizeof all);
}

/* x, y and z as far as `axes` goes; else z is a layer. */
template <class T, int axes>
HEDDLE_CALL T sampled(const HeddleTexture& texture, float x, float y, float z) {
#if !defined(HEDDLE_HOST)
  // The unit that reads textures finds texels and weighs them: for the kernel it is one load.
  const int row = (axes > 2 ? static_cast<int>(z) * texture.height : 0) + static_cast<int>(y);
  return static_cast<const T*>(texture.data)[row * texture.width + static_cast<int>(x)];
#else
  if (texture.normalized) {
    x *= static_cast<float>(texture.width);
    if (axes > 1) y *= static_cast<float>(texture.height);
    if (axes > 2) z *= static_cast<float>(texture.depth);
  }
  if constexpr (is_real_texel<typename Texel<T>::Channel>) {
    if (texture.linear) {
      const float x0 = __builtin_floorf(x - 0.5f);
      const float y0 = axes > 1 ? __builtin_floorf(y - 0.5f) : 0;
      const float z0 = axes > 2 ? __builtin_floorf(z - 0.5f) : z;
      const float a = __builtin_floorf((x - 0.5f - x0) * 256 + 0.5f) / 256;
      const float b = axes > 1 ? __builtin_floorf((y - 0.5f - y0) * 256 + 0.5f) / 256 : 0;
      const float c = axes > 2 ? __builtin_floorf((z - 0.5f - z0) * 256 + 0.5f) / 256 : 0;
      T sum = no_texel<T>();
      for (int k = 0; k < (axes > 2 ? 2 : 1); ++k)
        for (int j = 0; j < (axes > 1 ? 2 : 1); ++j)
          for (int i = 0; i < 2; ++i)
            add_texel(
                sum,
                texel_of<T>(texture, static_cast<long long>(x0) + i, static_cast<long long>(y0) + j,
                            static_cast<long long>(z0) + k, axes),
                (i ? a : 1 - a) * (j ? b : 1 - b) * (k ? c : 1 - c));
      return sum;
    }
  }
  return texel_of<T>(texture, static_cast<long long>(__builtin_floorf(x)),
                     static_cast<long long>(__builtin_floorf(y)),
                     static_cast<long long>(__builtin_floorf(z)), axes);
#endif
}

enum class Outside { zero, clamp, trap };
HEDDLE_CALL Outside outside(cudaSurfaceBoundaryMode mode) {
  return mode == cudaBoundaryModeZero    ? Outside::zero
         : mode == cudaBoundaryModeClamp ? Outside::clamp
                                         : Outside::trap;
}
HEDDLE_CALL Outside outside(int mode) {
  return mode == hipBoundaryModeZero    ? Outside::zero
         : mode == hipBoundaryModeClamp ? Outside::clamp
                                        : Outside::trap;
}

/* The address of T at byte x of row y of slice z; null: outside. */
template <class T>
HEDDLE_CALL T* surface_at(const HeddleTexture& surface, int x, int y, int z, Outside mode) {
  const long long width = static_cast<long long>(surface.width) * sizeof(T);
  const long long height = surface.height > 0 ? surface.height : 1;
  const long long depth = surface.depth > 0 ? surface.depth : 1;
  if (width == 0)
    stop_texture("the job does not say how large a surface is: NAME.width, NAME.height");
  long long at[3] = {x, y, z};
  const long long last[3] = {width - static_cast<long long>(sizeof(T)), height - 1, depth - 1};
  for (int i = 0; i < 3; ++i) {
    if (at[i] >= 0 && at[i] <= last[i]) continue;
    if (mode == Outside::trap) stop_texture("the kernel leaves a surface");
    if (mode == Outside::zero) return nullptr;
    at[i] = at[i] < 0 ? 0 : last[i];
  }
  char* const begin = static_cast<char*>(const_cast<void*>(surface.data));
  return reinterpret_cast<T*>(begin + (at[2] * height + at[1]) * width + at[0]);
}

template <class T>
HEDDLE_CALL T from_surface(const HeddleTexture& surface, int x, int y, int z, Outside mode) {
  const T* const from = surface_at<T>(surface, x, y, z, mode);
  return from != nullptr ? *from : no_texel<T>();
}
template <class T>
HEDDLE_CALL void to_surface(T value, const HeddleTexture& surface, int x, int y, int z,
                            Outside mode) {
  if (T* const to = surface_at<T>(surface, x, y, z, mode)) *to = value;
}

}  // namespace heddle_device

template <class T>
HEDDLE_CALL T tex1Dfetch(const HeddleTexture& texture, int x) {
  if (texture.width == 0) return heddle_device::texel_of<T>(texture, x, 0, 0, 1);
  if (x < 0 || static_cast<unsigned>(x) >= texture.width) return heddle_device::no_texel<T>();
  return heddle_device::texel_at<T>(texture, x);
}
template <class T>
HEDDLE_CALL T tex1D(const HeddleTexture& texture, float x) {
  return heddle_device::sampled<T, 1>(texture, x, 0, 0);
}
template <class T>
HEDDLE_CALL T tex2D(const HeddleTexture& texture, float x, float y) {
  return heddle_device::sampled<T, 2>(texture, x, y, 0);
}
template <class T>
HEDDLE_CALL T tex3D(const HeddleTexture& texture, float x, float y, float z) {
  return heddle_device::sampled<T, 3>(texture, x, y, z);
}
template <class T>
HEDDLE_CALL T tex1DLayered(const HeddleTexture& texture, float x, int layer) {
  return heddle_device::sampled<T, 1>(texture, x, 0, static_cast<float>(layer));
}
template <class T>
HEDDLE_CALL T tex2DLayered(const HeddleTexture& texture, float x, float y, int layer) {
  return heddle_device::sampled<T, 2>(texture, x, y, static_cast<float>(layer));
}

namespace heddle_device {
/* The face that a direction hits, and where: the component of largest size says which. */
template <class T>
HEDDLE_CALL T from_cube(HeddleTexture texture, float x, float y, float z, int layer) {
  const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
  int face;
  float m, s, t;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1;
    m = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3;
    m = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5;
    m = az, s = z >= 0 ? x : -x, t = -y;
  }
  texture.normalized = true;
  texture.wrap = texture.mirror = texture.border = false;
  return sampled<T, 2>(texture, (s / m + 1) / 2, (t / m + 1) / 2,
                       static_cast<float>(layer * 6 + face));
}
}  // namespace heddle_device

template <class T>
HEDDLE_CALL T texCubemap(const HeddleTexture& texture, float x, float y, float z) {
  return heddle_device::from_cube<T>(texture, x, y, z, 0);
}
template <class T>
HEDDLE_CALL T texCubemapLayered(const HeddleTexture& texture, float x, float y, float z,
                                int layer) {
  return heddle_device::from_cube<T>(texture, x, y, z, layer);
}
template <class T>
HEDDLE_CALL void tex1Dfetch(T* texel, const HeddleTexture& texture, int x) {
  *texel = tex1Dfetch<T>(texture, x);
}
template <class T>
HEDDLE_CALL void tex1D(T* texel, const HeddleTexture& texture, float x) {
  *texel = tex1D<T>(texture, x);
}
template <class T>
HEDDLE_CALL void tex2D(T* texel, const HeddleTexture& texture, float x, float y) {
  *texel = tex2D<T>(texture, x, y);
}
template <class T>
HEDDLE_CALL void tex3D(T* texel, const HeddleTexture& texture, float x, float y, float z) {
  *texel = tex3D<T>(texture, x, y, z);
}

#define HEDDLE_SURFACE(Mode, standard)                                                            \
  template <class T>                                                                              \
  HEDDLE_CALL T surf1Dread(const HeddleTexture& s, int x, Mode mode = standard) {                 \
    return heddle_device::from_surface<T>(s, x, 0, 0, heddle_device::outside(mode));              \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL T surf2Dread(const HeddleTexture& s, int x, int y, Mode mode = standard) {          \
    return heddle_device::from_surface<T>(s, x, y, 0, heddle_device::outside(mode));              \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL T surf3Dread(const HeddleTexture& s, int x, int y, int z, Mode mode = standard) {   \
    return heddle_device::from_surface<T>(s, x, y, z, heddle_device::outside(mode));              \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL T surf2DLayeredread(const HeddleTexture& s, int x, int y, int layer,                \
                                  Mode mode = standard) {                                         \
    return surf3Dread<T>(s, x, y, layer, mode);                                                   \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL void surf1Dread(T* v, const HeddleTexture& s, int x, Mode mode = standard) {        \
    *v = surf1Dread<T>(s, x, mode);                                                               \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL void surf2Dread(T* v, const HeddleTexture& s, int x, int y, Mode mode = standard) { \
    *v = surf2Dread<T>(s, x, y, mode);                                                            \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL void surf3Dread(T* v, const HeddleTexture& s, int x, int y, int z,                  \
                              Mode mode = standard) {                                             \
    *v = surf3Dread<T>(s, x, y, z, mode);                                                         \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL void surf1Dwrite(T v, const HeddleTexture& s, int x, Mode mode = standard) {        \
    heddle_device::to_surface(v, s, x, 0, 0, heddle_device::outside(mode));                       \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL void surf2Dwrite(T v, const HeddleTexture& s, int x, int y, Mode mode = standard) { \
    heddle_device::to_surface(v, s, x, y, 0, heddle_device::outside(mode));                       \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL void surf3Dwrite(T v, const HeddleTexture& s, int x, int y, int z,                  \
                               Mode mode = standard) {                                            \
    heddle_device::to_surface(v, s, x, y, z, heddle_device::outside(mode));                       \
  }                                                                                               \
  template <class T>                                                                              \
  HEDDLE_CALL void surf2DLayeredwrite(T v, const HeddleTexture& s, int x, int y, int layer,       \
                                      Mode mode = standard) {                                     \
    surf3Dwrite(v, s, x, y, layer, mode);                                                         \
  }
#if defined(HEDDLE_CUDA)
HEDDLE_SURFACE(cudaSurfaceBoundaryMode, cudaBoundaryModeTrap)
#else
HEDDLE_SURFACE(int, hipBoundaryModeZero)
#endif
#undef HEDDLE_SURFACE

#endif
