/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The parts of CUDA C++ that nvcc provides without an #include, for a C++ compiler. Blocks run one
 * after another, and the threads of a block take turns (emulator.cpp). */

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <bit>
#include <type_traits>

/* --- qualifiers --- */

#define __CUDACC__ 1
#define __device__
#define __forceinline__ inline
#define __global__ __attribute__((visibility("default"), used))
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static /* a block finds the values that the block before left */

/* --- vectors --- */

struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(4) uchar4 {
  unsigned char x, y, z, w;
};
struct alignas(4) ushort2 {
  unsigned short x, y;
};

static inline uint2
make_uint2(unsigned x, unsigned y) {
  return {x, y};
}

static inline uint4
make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}

static inline uchar4
make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) {
  return {x, y, z, w};
}

static inline ushort2
make_ushort2(unsigned short x, unsigned short y) {
  return {x, y};
}

/* --- threads --- */

struct EmulatorIndex {
  unsigned x, y, z;
};

#define threadIdx emulator_thread
#define blockIdx emulator_block

extern EmulatorIndex emulator_thread, emulator_block; /* of the running thread */

/* Waits for the threads of the block that have not ended. */
void emulator_wait_for_block();

int emulator_lane();

/* Passes a word to the other lanes of the warp, which call this too, and returns the words of all
 * lanes. They are valid until the lane's next exchange. */
const unsigned *emulator_exchange(unsigned word);

#define __syncthreads emulator_wait_for_block

static inline unsigned
__shfl_xor_sync(unsigned mask, unsigned word, int lanes) {
  const int lane = emulator_lane();
  return emulator_exchange(word)[lane ^ lanes];
}

static inline unsigned
__shfl_down_sync(unsigned mask, unsigned word, int lanes) {
  const int from = emulator_lane() + lanes;
  return emulator_exchange(word)[from < 32 ? from : emulator_lane()];
}

static inline unsigned
__shfl_up_sync(unsigned mask, unsigned word, int lanes) {
  const int from = emulator_lane() - lanes;
  return emulator_exchange(word)[from >= 0 ? from : emulator_lane()];
}

static inline unsigned
__shfl_sync(unsigned mask, unsigned word, int lane) {
  return emulator_exchange(word)[lane & 31];
}

static inline unsigned
__ballot_sync(unsigned mask, int predicate) {
  const unsigned *const words = emulator_exchange(predicate != 0);
  unsigned bits = 0;
  for (int i = 0; i < 32; i++)
    bits |= words[i] << i;
  return bits;
}

/* Waits for the lanes of the warp. */
static inline void
__syncwarp() {
  emulator_exchange(0);
}

/* --- memory --- */

extern const char emulator_shared[]; /* the origin of shared addresses */

/* The 32-bit address for instructions on shared memory. */
static inline size_t
__cvta_generic_to_shared(const void *address) {
  return (size_t)((const char *)address - emulator_shared);
}

template <typename T>
static inline T
__ldg(const T *from) {
  return *from;
}

template <typename T>
static inline T
atomicAdd(T *to, T n) {
  const T before = *to;
  *to += n;
  return before;
}

template <typename T>
static inline T
atomicMax(T *to, T n) {
  const T before = *to;
  *to = before < n ? n : before;
  return before;
}

static inline unsigned
atomicCAS(unsigned *to, unsigned compare, unsigned n) {
  const unsigned before = *to;
  *to = before == compare ? n : before;
  return before;
}

/* --- numbers --- */

static inline unsigned
__brev(unsigned n) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; i++)
    reversed |= (n >> i & 1) << (31 - i);
  return reversed;
}

static inline unsigned
__vmaxu2(unsigned a, unsigned b) {
  const unsigned low = (a & 0xffff) < (b & 0xffff) ? b : a, high = a >> 16 < b >> 16 ? b : a;
  return (high & 0xffff0000) | (low & 0xffff);
}

static inline int
__clz(int n) {
  return n == 0 ? 32 : __builtin_clz((unsigned)n);
}

static inline int
__ffs(int n) {
  return __builtin_ffs(n);
}

template <typename T>
static inline T
min(T a, T b) {
  return b < a ? b : a;
}

template <typename T>
static inline T
max(T a, T b) {
  return a < b ? b : a;
}

static inline unsigned
__umulhi(unsigned a, unsigned b) {
  return (unsigned)((uint64_t)a * b >> 32);
}

static inline unsigned
__byte_perm(unsigned low, unsigned high, unsigned selector) {
  const uint64_t bytes = (uint64_t)high << 32 | low;
  unsigned word = 0;
  for (int i = 0; i < 4; i++) {
    const unsigned of = selector >> 4 * i, byte = bytes >> 8 * (of & 7) & 0xFF;
    word |= (of & 8 ? byte >> 7 ? 0xFF : 0 : byte) << 8 * i;
  }
  return word;
}

static inline unsigned
__dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8)
    c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}

static inline unsigned
__dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
  return c + a.x * b.x + a.y * b.y;
}

static inline unsigned
__dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
  return c + a.x * b.z + a.y * b.w;
}

static inline int64_t
__double_as_longlong(double n) {
  return std::bit_cast<int64_t>(n);
}

static inline double
__longlong_as_double(int64_t bits) {
  return std::bit_cast<double>(bits);
}

static inline int
__double2loint(double n) {
  return (int)(uint32_t)__double_as_longlong(n);
}

static inline float
__int_as_float(int bits) {
  return std::bit_cast<float>(bits);
}

static inline float
__uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}

static inline int
__float_as_int(float n) {
  return std::bit_cast<int>(n);
}

static inline unsigned
__float_as_uint(float n) {
  return std::bit_cast<unsigned>(n);
}

static inline float
__fadd_rn(float a, float b) {
  return a + b;
}

static inline float
__fsub_rn(float a, float b) {
  return a - b;
}

static inline float
__fmul_rn(float a, float b) {
  return a * b;
}

static inline float
__fdiv_rn(float a, float b) {
  return a / b;
}

static inline float
__fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}

static inline float
__fsqrt_rn(float n) {
  return sqrtf(n);
}

static inline double
__dadd_rn(double a, double b) {
  return a + b;
}

static inline double
__fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}

static inline double
__dsqrt_rn(double n) {
  return sqrt(n);
}

/* A sum rounded down. The error of the sum, computed exactly, tells whether the nearest value is
 * too large. */
template <typename T>
static inline T
emulator_add_down(T a, T b) {
  const T sum = a + b, from_a = sum - b, error = (a - from_a) + (b - (sum - from_a));
  return error < 0
             ? std::is_same_v<T, float> ? nextafterf(sum, -INFINITY) : nextafter(sum, -INFINITY)
             : sum;
}

static inline float
__fadd_rd(float a, float b) {
  return emulator_add_down(a, b);
}

static inline double
__dadd_rd(double a, double b) {
  return emulator_add_down(a, b);
}

/* Conversions saturate. */
static inline int
emulator_int(double whole) {
  return isnan(whole) ? 0 : whole >= INT_MAX ? INT_MAX : whole <= INT_MIN ? INT_MIN : (int)whole;
}

static inline int
__float2int_rd(float n) {
  return emulator_int(floor(n));
}

static inline int
__float2int_rz(float n) {
  return emulator_int(trunc(n));
}

static inline int
__float2int_rn(float n) {
  return emulator_int(rint(n));
}

static inline int
__double2int_rd(double n) {
  return emulator_int(floor(n));
}
