/* Random numbers as cuRAND and rocRAND draw them in kernels: Philox4x32-10 and XORWOW.
 *
 *   curandStatePhilox4_32_10_t state;
 *   curand_init(seed, thread, 0, &state);
 *   float4 u = curand_uniform4(&state);        in (0, 1]
 *
 * Rules
 *   1. The bits are those of the library for a seed, a sequence and an offset, and so are uniform
 *      numbers. Normal ones are the same but for the last bits of sine and logarithm.
 *   2. States are as large as the library's.
 *   3. hiprand_* are rocRAND's.
 *
 * Not here: MRG32k3a, MTGP32, Sobol's sequences, Poisson and discrete distributions.
 */
#ifndef HEDDLE_RANDOM_H
#define HEDDLE_RANDOM_H

#include "heddle/attributes.h"
#include "heddle/math.h"
#include "heddle/vector_types.h"

namespace heddle_random {

enum Library { cuda, rocm };

template <Library library>
struct Philox {
  uint4 counter;
  uint4 result;
  uint2 key;
  unsigned place;
  /* Of normal numbers, which come in pairs, the one that is left. */
  int has_float;
  int has_double;
  float left_float;
  double left_double;
};

template <Library library>
struct Xorwow {
  unsigned d;
  unsigned v[5];
  /* Of normal numbers, which come in pairs, the one that is left. */
  int has_float;
  int has_double;
  float left_float;
  double left_double;
};

HEDDLE_CALL uint4 philox_round(uint4 c, uint2 key) {
  const unsigned long long a = 0xD2511F53ull * c.x;
  const unsigned long long b = 0xCD9E8D57ull * c.z;
  return make_uint4(static_cast<unsigned>(b >> 32) ^ c.y ^ key.x, static_cast<unsigned>(b),
                    static_cast<unsigned>(a >> 32) ^ c.w ^ key.y, static_cast<unsigned>(a));
}

HEDDLE_CALL uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    counter = philox_round(counter, key);
    key = make_uint2(key.x + 0x9E3779B9u, key.y + 0xBB67AE85u);
  }
  return counter;
}

/* Adds to the low half of the counter, and to the high one what that overflows. */
HEDDLE_CALL uint4 counted(uint4 counter, unsigned long long low, unsigned long long high) {
  const unsigned long long x = counter.x | static_cast<unsigned long long>(counter.y) << 32;
  const unsigned long long z = counter.z | static_cast<unsigned long long>(counter.w) << 32;
  const unsigned long long sum = x + low;
  const unsigned long long more = z + high + (sum < x ? 1 : 0);
  return make_uint4(static_cast<unsigned>(sum), static_cast<unsigned>(sum >> 32),
                    static_cast<unsigned>(more), static_cast<unsigned>(more >> 32));
}

template <Library library>
HEDDLE_CALL void skip(Philox<library>& state, unsigned long long count) {
  state.place += static_cast<unsigned>(count & 3);
  const unsigned long long blocks = count / 4 + state.place / 4;
  state.place %= 4;
  state.counter = counted(state.counter, blocks, 0);
  state.result = philox(state.counter, state.key);
}

template <Library library>
HEDDLE_CALL void skip_sequences(Philox<library>& state, unsigned long long count) {
  state.counter = counted(state.counter, 0, count);
  state.result = philox(state.counter, state.key);
}

template <Library library>
HEDDLE_CALL void begin(Philox<library>& state, unsigned long long seed, unsigned long long sequence,
                       unsigned long long offset) {
  state.counter = make_uint4(0, 0, 0, 0);
  state.key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
  state.place = 0;
  state.has_float = state.has_double = 0;
  skip_sequences(state, sequence);
  skip(state, offset);
}

template <Library library>
HEDDLE_CALL uint4 next4(Philox<library>& state) {
  const uint4 a = state.result;
  state.counter = counted(state.counter, 1, 0);
  state.result = philox(state.counter, state.key);
  const uint4 b = state.result;
  if (state.place == 0) return a;
  if (state.place == 1) return make_uint4(a.y, a.z, a.w, b.x);
  if (state.place == 2) return make_uint4(a.z, a.w, b.x, b.y);
  return make_uint4(a.w, b.x, b.y, b.z);
}

template <Library library>
HEDDLE_CALL unsigned next(Philox<library>& state) {
  const uint4 all = state.result;
  const unsigned one = state.place == 0   ? all.x
                       : state.place == 1 ? all.y
                       : state.place == 2 ? all.z
                                          : all.w;
  if (++state.place == 4) {
    state.place = 0;
    state.counter = counted(state.counter, 1, 0);
    state.result = philox(state.counter, state.key);
  }
  return one;
}

HEDDLE_CALL void xorwow_step(unsigned (&v)[5]) {
  const unsigned t = v[0] ^ (v[0] >> 2);
  for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

/* Polynomials of 160 bits over single bits: x to the n, modulo the characteristic one of a step, is a
 * jump by n. This one has x to the 160 as well. */
inline constexpr unsigned kCharacteristic[5] = {0x00060001u, 0x08610030u, 0x00062121u, 0x0f3c0035u,
                                                0x00000f0eu};
inline constexpr unsigned kSequence[5] = {0x26294934u, 0x77bbc248u, 0x1a87dad0u, 0x930052d4u,
                                          0x947e6dd2u}; /* x to the 2 to the 67 */

HEDDLE_CALL unsigned long long spread(unsigned bits) {
  unsigned long long x = bits;
  x = (x | x << 16) & 0x0000ffff0000ffffull;
  x = (x | x << 8) & 0x00ff00ff00ff00ffull;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
  x = (x | x << 2) & 0x3333333333333333ull;
  return (x | x << 1) & 0x5555555555555555ull;
}

HEDDLE_CALL void square(unsigned (&p)[5]) {
  unsigned whole[11] = {};
  for (int i = 0; i < 5; ++i) {
    const unsigned long long two = spread(p[i]);
    whole[2 * i] = static_cast<unsigned>(two);
    whole[2 * i + 1] = static_cast<unsigned>(two >> 32);
  }
  for (int bit = 319; bit >= 160; --bit) {
    if ((whole[bit / 32] >> (bit % 32) & 1) == 0) continue;
    const int word = (bit - 160) / 32;
    const int shift = (bit - 160) % 32;
    for (int i = 0; i < 5; ++i) {
      const unsigned long long part = static_cast<unsigned long long>(kCharacteristic[i]) << shift;
      whole[word + i] ^= static_cast<unsigned>(part);
      whole[word + i + 1] ^= static_cast<unsigned>(part >> 32);
    }
  }
  for (int i = 0; i < 5; ++i) p[i] = whole[i];
}

HEDDLE_CALL void jump(unsigned (&v)[5], const unsigned (&p)[5]) {
  unsigned sum[5] = {};
  for (int bit = 0; bit < 160; ++bit) {
    if ((p[bit / 32] >> (bit % 32) & 1) != 0)
      for (int i = 0; i < 5; ++i) sum[i] ^= v[i];
    xorwow_step(v);
  }
  for (int i = 0; i < 5; ++i) v[i] = sum[i];
}

/* `count` times what p jumps by. */
HEDDLE_CALL void jumps(unsigned (&v)[5], unsigned (&p)[5], unsigned long long count) {
  for (; count != 0; count >>= 1) {
    if ((count & 1) != 0) jump(v, p);
    if (count > 1) square(p);
  }
}

template <Library library>
HEDDLE_CALL void skip(Xorwow<library>& state, unsigned long long count) {
  unsigned p[5] = {2, 0, 0, 0, 0};
  jumps(state.v, p, count);
  state.d += static_cast<unsigned>(count) * 362437u;
}

template <Library library>
HEDDLE_CALL void skip_sequences(Xorwow<library>& state, unsigned long long count) {
  unsigned p[5];
  for (int i = 0; i < 5; ++i) p[i] = kSequence[i];
  jumps(state.v, p, count);
}

template <Library library>
HEDDLE_CALL void begin(Xorwow<library>& state, unsigned long long seed, unsigned long long sequence,
                       unsigned long long offset) {
  constexpr bool is_cuda = library == cuda;
  const unsigned low = static_cast<unsigned>(seed) ^ (is_cuda ? 0xaad26b49u : 0x2c7f967fu);
  const unsigned high = static_cast<unsigned>(seed >> 32) ^ (is_cuda ? 0xf7dcefddu : 0xa03697cbu);
  const unsigned a = (is_cuda ? 1099087573u : 1228688033u) * low;
  const unsigned b = (is_cuda ? 2591861531u : 2073658381u) * high;
  state.d = 6615241u + a + b;
  state.v[0] = 123456789u + a;
  state.v[1] = 362436069u ^ a;
  state.v[2] = 521288629u + b;
  state.v[3] = 88675123u ^ b;
  state.v[4] = 5783321u + a;
  state.has_float = state.has_double = 0;
  skip_sequences(state, sequence);
  skip(state, offset);
}

template <Library library>
HEDDLE_CALL unsigned next(Xorwow<library>& state) {
  xorwow_step(state.v);
  state.d += 362437u;
  return state.d + state.v[4];
}

/* What is added to bits before they become a fraction. */
template <Library library>
inline constexpr double kShift = library == cuda ? 0.5 : 1.0;

template <Library library>
HEDDLE_CALL float fraction(unsigned bits) {
  constexpr float kUnit = 0x1p-32f;
  return bits * kUnit + kUnit * static_cast<float>(kShift<library>);
}
template <Library library>
HEDDLE_CALL float4 fractions(uint4 bits) {
  return make_float4(fraction<library>(bits.x), fraction<library>(bits.y),
                     fraction<library>(bits.z), fraction<library>(bits.w));
}
/* Of 53 bits; rocRAND and cuRAND put them together in different ways. */
template <Library library>
HEDDLE_CALL double fraction(unsigned a, unsigned b) {
  const unsigned long long bits =
      library == cuda ? a ^ static_cast<unsigned long long>(b) << 21
                      : a | static_cast<unsigned long long>(b >> 11) << 32;
  return bits * 0x1p-53 + 0x1p-53 * kShift<library>;
}

template <Library library>
HEDDLE_CALL float2 normals(unsigned a, unsigned b) {
  constexpr float kTurn = 0x1p-32f * 6.2831855f;
  const float angle = b * kTurn + kTurn * static_cast<float>(kShift<library>);
  const float length = sqrtf(-2.0f * logf(fraction<library>(a)));
  float sine, cosine;
  sincosf(angle, &sine, &cosine);
  return make_float2(sine * length, cosine * length);
}
template <Library library>
HEDDLE_CALL double2 normals(uint4 bits) {
  const auto joined = [](unsigned a, unsigned b) {
    return (a ^ static_cast<unsigned long long>(b) << 21) * 0x1p-53 + 0x1p-53 * kShift<library>;
  };
  const double length = sqrt(-2.0 * log(joined(bits.x, bits.y)));
  double sine, cosine;
  sincospi(2 * joined(bits.z, bits.w), &sine, &cosine);
  return make_double2(sine * length, cosine * length);
}

template <Library library, template <Library> class State>
HEDDLE_CALL uint4 four(State<library>& state) {
  const unsigned x = next(state);
  const unsigned y = next(state);
  const unsigned z = next(state);
  return make_uint4(x, y, z, next(state));
}
template <Library library>
HEDDLE_CALL uint4 four(Philox<library>& state) {
  return next4(state);
}

/* cuRAND makes a double of 32 bits of Philox. */
template <Library library, template <Library> class State>
HEDDLE_CALL double one_double(State<library>& state) {
  if constexpr (library == cuda && __is_same(State<library>, Philox<library>))
    return next(state) * 0x1p-32 + 0x1p-32;
  const unsigned a = next(state);
  return fraction<library>(a, next(state));
}

template <Library library, template <Library> class State>
HEDDLE_CALL float2 two_normals(State<library>& state) {
  const unsigned a = next(state);
  return normals<library>(a, next(state));
}
template <Library library>
HEDDLE_CALL float4 four_normals(uint4 bits) {
  const float2 a = normals<library>(bits.x, bits.y);
  const float2 b = normals<library>(bits.z, bits.w);
  return make_float4(a.x, a.y, b.x, b.y);
}

template <Library library, template <Library> class State>
HEDDLE_CALL float one_normal(State<library>& state) {
  if (state.has_float != 0) {
    state.has_float = 0;
    return state.left_float;
  }
  const float2 two = two_normals(state);
  state.left_float = two.y;
  state.has_float = 1;
  return two.x;
}
template <Library library, template <Library> class State>
HEDDLE_CALL double one_normal_double(State<library>& state) {
  if (state.has_double != 0) {
    state.has_double = 0;
    return state.left_double;
  }
  const double2 two = normals<library>(four(state));
  state.left_double = two.y;
  state.has_double = 1;
  return two.x;
}

}  // namespace heddle_random

/* The functions of a library that begin with `name`. Of Philox alone: those of four numbers. */
#define HEDDLE_RANDOM(name, library)                                                              \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL void name##_init(unsigned long long seed, unsigned long long sequence,              \
                               unsigned long long offset, S<library>* state) {                    \
    heddle_random::begin(*state, seed, sequence, offset);                                         \
  }                                                                                               \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL unsigned name(S<library>* state) {                                                  \
    return heddle_random::next(*state);                                                           \
  }                                                                                               \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL float name##_uniform(S<library>* state) {                                           \
    return heddle_random::fraction<library>(heddle_random::next(*state));                         \
  }                                                                                               \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL double name##_uniform_double(S<library>* state) {                                   \
    return heddle_random::one_double(*state);                                                     \
  }                                                                                               \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL float name##_normal(S<library>* state) {                                            \
    return heddle_random::one_normal(*state);                                                     \
  }                                                                                               \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL float2 name##_normal2(S<library>* state) {                                          \
    return heddle_random::two_normals(*state);                                                    \
  }                                                                                               \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL double name##_normal_double(S<library>* state) {                                    \
    return heddle_random::one_normal_double(*state);                                              \
  }                                                                                               \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL double2 name##_normal2_double(S<library>* state) {                                  \
    return heddle_random::normals<library>(heddle_random::four(*state));                          \
  }                                                                                               \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL float name##_log_normal(S<library>* state, float mean, float deviation) {           \
    return expf(mean + deviation * heddle_random::one_normal(*state));                            \
  }                                                                                               \
  template <template <heddle_random::Library> class S>                                            \
  HEDDLE_CALL double name##_log_normal_double(S<library>* state, double mean, double deviation) { \
    return exp(mean + deviation * heddle_random::one_normal_double(*state));                      \
  }                                                                                               \
  HEDDLE_CALL uint4 name##4(heddle_random::Philox<library>* state) {                              \
    return heddle_random::next4(*state);                                                          \
  }                                                                                               \
  HEDDLE_CALL float4 name##_uniform4(heddle_random::Philox<library>* state) {                     \
    return heddle_random::fractions<library>(heddle_random::next4(*state));                       \
  }                                                                                               \
  HEDDLE_CALL double2 name##_uniform2_double(heddle_random::Philox<library>* state) {             \
    const uint4 bits = heddle_random::next4(*state);                                              \
    return make_double2(heddle_random::fraction<library>(bits.x, bits.y),                         \
                        heddle_random::fraction<library>(bits.z, bits.w));                        \
  }                                                                                               \
  HEDDLE_CALL float4 name##_normal4(heddle_random::Philox<library>* state) {                      \
    return heddle_random::four_normals<library>(heddle_random::next4(*state));                    \
  }

/* Both libraries. */
template <template <heddle_random::Library> class S, heddle_random::Library library>
HEDDLE_CALL void skipahead(unsigned long long count, S<library>* state) {
  heddle_random::skip(*state, count);
}
template <template <heddle_random::Library> class S, heddle_random::Library library>
HEDDLE_CALL void skipahead_sequence(unsigned long long count, S<library>* state) {
  heddle_random::skip_sequences(*state, count);
}

#endif
