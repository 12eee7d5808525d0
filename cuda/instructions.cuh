/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Functions for GPU instructions that C++ has no syntax for. They work on all GPU generations from
 * Turing (__CUDA_ARCH__ 750) on. */

#include <type_traits>

#ifdef CC_EMULATOR
#include CC_EMULATOR /* tests/fake implements these functions on the CPU */
#else

/* --- programmatic dependent launch: CcCudaKernel.overlaps --- */

/* Allows the next launch to be prepared while this one runs. */
static __device__ __forceinline__ void
allow_next_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits until all previous launches have ended. Before this call, a kernel must not read or write
 * device memory that any launch writes. */
static __device__ __forceinline__ void
wait_for_last_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* --- loads --- */

/* Loads that the compiler does not move. The compiler would move ordinary loads after the barrier
 * that waits for source rows, where nothing hides the latency of the loads. */
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

/* Returns `n`. The compiler keeps the result in a register, instead of reloading `n` from the
 * constant bank. */
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

static __device__ __forceinline__ unsigned char *
shared_of_launch() {
  extern __shared__ uint4 of_launch[];
  return (unsigned char *)of_launch;
}

/* --- async copies to shared memory (cp.async) --- */

/* Starts to copy 16 bytes. */
static __device__ __forceinline__ void
start_copy(unsigned char *to, const char *from) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#else
  *(uint4 *)to = __ldg((const uint4 *)from);
#endif
}

/* Starts to copy the first `bytes` of SIZE bytes. SIZE is 8 or 16. The other bytes become
 * undefined. */
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

/* Makes a group of the copies that the thread has started after its previous group. */
static __device__ __forceinline__ void
end_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits for all groups of the thread's copies except the newest LEFT groups. */
template <int LEFT>
static __device__ __forceinline__ void
wait_for_groups() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

static __device__ __forceinline__ void
finish_own_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* --- matrix products (ldmatrix, mma) --- */

/* Loads 4 matrices of 8 rows of 16 bytes from shared memory. Lane l passes the address of row l % 8
 * of matrix l / 8. Lane 4g + t gets bytes 4t to 4t + 3 of row g of each matrix. */
static __device__ __forceinline__ void
load_matrices(unsigned (&word)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
               : "r"(address)
               : "memory");
}

/* The text of the mma instruction for a shape and for the types of the bytes of the left and of the
 * right matrix, "s8" or "u8". */
#define CC_PRODUCT(shape, left_type, right_type, operands)                                         \
  "mma.sync.aligned." shape ".row.col.s32." left_type "." right_type ".s32 " operands ";"

/* Adds the product of a 16x16 and a 16x8 matrix of bytes. Lane 4g + t passes bytes 4t to 4t + 3 of
 * two rows and a column: `upper` from row g and `lower` from row g + 8 of the left matrix, and
 * `right` from column g of the right matrix. sum[0] and sum[1] are columns 2t and 2t + 1 of row g
 * of the product. sum[2] and sum[3] are the same columns of row g + 8. */
#define CC_ADD_PRODUCT_OF_16(left_type, right_type)                                                \
  asm(CC_PRODUCT("m16n8k16", left_type, right_type,                                                \
                 "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10}")                                   \
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])                                         \
      : "r"(upper), "r"(lower), "r"(right), "r"(sum[0]), "r"(sum[1]), "r"(sum[2]), "r"(sum[3]))

/* One instruction of Turing multiplies only 8 rows of the left matrix. */
#define CC_ADD_PRODUCT_OF_8_ROWS(left_type, right_type, first, left)                               \
  asm(CC_PRODUCT("m8n8k16", left_type, right_type, "{%0,%1}, {%2}, {%3}, {%0,%1}")                 \
      : "+r"(sum[first]), "+r"(sum[first + 1])                                                     \
      : "r"(left), "r"(right))

/* Calls `add` with the types of bytes given by LEFT_SIGNED and RIGHT_SIGNED. At most one is
 * signed. */
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

/* Adds the product of a 16x32 and a 32x8 matrix of bytes. left[0] and left[1] are from the first 16
 * columns of the left matrix, and right[0] is from the first 16 rows of the right matrix. left[2],
 * left[3] and right[1] are from the last 16 columns and rows. */
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

/* Saturates two numbers to bytes and packs them: `low` into byte 0, `high` into byte 1, and the low
 * half of `rest` above them. */
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
