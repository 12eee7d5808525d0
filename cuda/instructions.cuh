/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What GPUs can do and C++ has no words for, for all generations from Turing (750) on. */

#include <type_traits>

#ifdef CC_EMULATOR
#include CC_EMULATOR /* the same on the CPU: tests/fake */
#else

/* --- launches that overlap: CcCudaKernel.overlaps --- */

/* Lets the launch after this one get ready while this one runs. */
static __device__ __forceinline__ void
allow_next_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits until the launches before have ended. No device memory that launches write is read or
 * written earlier. */
static __device__ __forceinline__ void
wait_for_last_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* --- loads --- */

/* Loads that stay where they are written. The compiler moves others behind the barrier for the
 * source rows, where nothing hides how long they take. */
static __device__ __forceinline__ unsigned
load_now(const unsigned *from) {
  unsigned to;
  asm volatile("ld.global.b32 %0, [%1];" : "=r"(to) : "l"(from) : "memory");
  return to;
}

static __device__ __forceinline__ uint2
load_now(const uint2 *from) {
  uint2 to;
  asm volatile("ld.global.v2.b32 {%0, %1}, [%2];" : "=r"(to.x), "=r"(to.y) : "l"(from) : "memory");
  return to;
}

static __device__ __forceinline__ int4
load_now(const int4 *from) {
  int4 to;
  asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
               : "l"(from)
               : "memory");
  return to;
}

/* A number that the compiler does not read again each time, from constants that are far away. */
template <typename Number>
static __device__ __forceinline__ Number
keep(Number n) {
  if constexpr (sizeof(Number) == 8)
    asm volatile("" : "+l"(n));
  else if constexpr (std::is_same_v<Number, float>)
    asm volatile("" : "+f"(n));
  else
    asm volatile("" : "+r"(n));
  return n;
}

/* --- shared memory --- */

/* What a launch asks for beside the shared memory that a kernel declares. */
static __device__ __forceinline__ unsigned char *
shared_of_launch() {
  extern __shared__ uint4 of_launch[];
  return (unsigned char *)of_launch;
}

/* --- copies to shared memory in the background --- */

/* Begins to copy 16 bytes. */
static __device__ __forceinline__ void
start_copy(unsigned char *to, const char *from) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#else
  *(uint4 *)to = __ldg((const uint4 *)from);
#endif
}

/* The same of the first `bytes` of SIZE bytes, 8 or 16; what becomes of the others is open. */
template <int SIZE>
static __device__ __forceinline__ void
start_copy_of_part(unsigned char *to, const char *from, int bytes) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(address), "l"(from),
               "r"(bytes), "n"(SIZE)
               : "memory");
#else
  if (SIZE == 8 && bytes == 8)
    *(uint2 *)to = __ldg((const uint2 *)from);
  else
    for (int i = 0; i < bytes; i++)
      to[i] = __ldg((const unsigned char *)from + i);
#endif
}

/* Ends a group of the thread's copies. */
static __device__ __forceinline__ void
end_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits for the thread's own copies of all groups but the last LEFT. */
template <int LEFT>
static __device__ __forceinline__ void
wait_for_groups() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

/* Waits for all of the thread's own copies. */
static __device__ __forceinline__ void
finish_own_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* --- matrices --- */

/* Loads 4 matrices of 8 rows of 16 bytes from shared memory. Lane l gives the address of row l % 8
 * of matrix l / 8; lane 4g + t gets bytes 4t and on of row g of each. */
static __device__ __forceinline__ void
load_matrices(unsigned (&word)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
               : "r"(address)
               : "memory");
}

/* The instruction of a shape and of types of bytes, "s8" or "u8". */
#define CC_PRODUCT(shape, left_type, right_type, operands)                                         \
  "mma.sync.aligned." shape ".row.col.s32." left_type "." right_type ".s32 " operands ";"

/* Adds the product of 16x16 and 16x8 bytes: of lane 4g + t, `upper` and `lower` are bytes 4t and on
 * of rows g and g + 8 on the left, `right` those of column g on the right, and the sums are of
 * columns 2t and 2t + 1 of row g, and then of row g + 8. */
#define CC_ADD_PRODUCT_OF_16(left_type, right_type)                                                \
  asm(CC_PRODUCT("m16n8k16", left_type, right_type,                                                \
                 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10}")                                   \
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])                                         \
      : "r"(upper), "r"(lower), "r"(right), "r"(sum[0]), "r"(sum[1]), "r"(sum[2]), "r"(sum[3]))

/* Turing multiplies 8 rows at a time. */
#define CC_ADD_PRODUCT_OF_8_ROWS(left_type, right_type, first, left)                               \
  asm(CC_PRODUCT("m8n8k16", left_type, right_type, "{%0,%1}, {%2}, {%3}, {%0,%1}")                 \
      : "+r"(sum[first]), "+r"(sum[first + 1])                                                     \
      : "r"(left), "r"(right))

/* `add` for the types of bytes that LEFT_SIGNED and RIGHT_SIGNED say, of which one is unsigned. */
#define CC_ADD_BY_SIGNS(add, ...)                                                                  \
  do {                                                                                             \
    if (LEFT_SIGNED)                                                                               \
      add("s8", "u8", ##__VA_ARGS__);                                                              \
    else if (RIGHT_SIGNED)                                                                         \
      add("u8", "s8", ##__VA_ARGS__);                                                              \
    else                                                                                           \
      add("u8", "u8", ##__VA_ARGS__);                                                              \
  } while (0)

template <bool LEFT_SIGNED, bool RIGHT_SIGNED>
static __device__ __forceinline__ void
add_product(int (&sum)[4], unsigned upper, unsigned lower, unsigned right) {
#if __CUDA_ARCH__ >= 800
  int to[4];
  CC_ADD_BY_SIGNS(CC_ADD_PRODUCT_OF_16);
#pragma unroll
  for (int i = 0; i < 4; i++)
    sum[i] = to[i];
#else
  CC_ADD_BY_SIGNS(CC_ADD_PRODUCT_OF_8_ROWS, 0, upper);
  CC_ADD_BY_SIGNS(CC_ADD_PRODUCT_OF_8_ROWS, 2, lower);
#endif
}

/* The same of 16x32 and 32x8 bytes: left[0], left[1] and right[0] are of the first 16, the others
 * of the last. */
#define CC_ADD_PRODUCT_OF_32(left_type, right_type)                                                \
  asm(CC_PRODUCT("m16n8k32", left_type, right_type,                                                \
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}")                       \
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])                                         \
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]),      \
        "r"(sum[0]), "r"(sum[1]), "r"(sum[2]), "r"(sum[3]))

template <bool LEFT_SIGNED, bool RIGHT_SIGNED>
static __device__ __forceinline__ void
add_product(int (&sum)[4], const unsigned (&left)[4], const unsigned (&right)[2]) {
#if __CUDA_ARCH__ >= 800
  int to[4];
  CC_ADD_BY_SIGNS(CC_ADD_PRODUCT_OF_32);
#pragma unroll
  for (int i = 0; i < 4; i++)
    sum[i] = to[i];
#else
  add_product<LEFT_SIGNED, RIGHT_SIGNED>(sum, left[0], left[1], right[0]);
  add_product<LEFT_SIGNED, RIGHT_SIGNED>(sum, left[2], left[3], right[1]);
#endif
}

/* --- numbers --- */

/* Two numbers as bytes, saturated, the first in the lower one; above them the low half of `rest`.
 */
static __device__ __forceinline__ unsigned
saturate_bytes(int low, int high, unsigned rest) {
  unsigned bytes;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(high), "r"(low), "r"(rest));
  return bytes;
}

static __device__ __forceinline__ float
approximate_root(float n) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(n));
  return root;
}

#endif
