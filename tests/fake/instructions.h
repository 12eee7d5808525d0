/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The functions of cuda/instructions.cuh on the CPU. Where a GPU leaves open when or how exactly
 * something happens, random numbers decide. */

/* Launches do not overlap. */
static inline void
allow_next_launch() {
}

static inline void
wait_for_last_launch() {
}

/* --- loads --- */

template <typename T>
static inline T
load_now(const T *from) {
  return *from;
}

template <typename Number>
static inline Number
keep(Number n) {
  return n;
}

/* --- shared memory --- */

#define EMULATOR_SHARED_OF_LAUNCH (48 << 10) /* limit of a launch */
alignas(16) extern unsigned char emulator_shared_of_launch[];

static inline unsigned char *
shared_of_launch() {
  return emulator_shared_of_launch;
}

/* --- async copies to shared memory (cp.async) --- */

/* Starts to copy the first `bytes` of `size` bytes from the source of a plane job. Addresses must
 * be multiples of `size`. The bytes arrive at a random time before the thread has waited for them.
 * Until then the target has random bytes. The bytes behind `bytes` stay random. */
void emulator_start_copy(unsigned char *to, const char *from, int size, int bytes);
void emulator_end_group();

/* Waits for all groups except the last `left`. -1: also waits for copies that are in no group
 * yet. */
void emulator_wait_for_groups(int left);

static inline void
start_copy(unsigned char *to, const char *from) {
  emulator_start_copy(to, from, 16, 16);
}

template <int SIZE>
static inline void
start_copy_of_part(unsigned char *to, const char *from, int bytes) {
  emulator_start_copy(to, from, SIZE, bytes);
}

static inline void
end_group() {
  emulator_end_group();
}

template <int LEFT>
static inline void
wait_for_groups() {
  emulator_wait_for_groups(LEFT);
}

static inline void
finish_own_copies() {
  emulator_wait_for_groups(-1);
}

/* --- matrix products (ldmatrix, mma) --- */

void emulator_load_matrices(unsigned (&word)[4], unsigned address);

static inline void
load_matrices(unsigned (&word)[4], unsigned address) {
  emulator_load_matrices(word, address);
}

template <typename Left, typename Right, int BYTES>
void emulator_add_product(int (&sum)[4], const unsigned *left, const unsigned *right);

template <bool SIGNED> using EmulatorByte = std::conditional_t<SIGNED, int8_t, uint8_t>;

template <bool LEFT_SIGNED, bool RIGHT_SIGNED>
static inline void
add_product(int (&sum)[4], unsigned upper, unsigned lower, unsigned right) {
  const unsigned left[] = {upper, lower};
  emulator_add_product<EmulatorByte<LEFT_SIGNED>, EmulatorByte<RIGHT_SIGNED>, 16>(sum, left,
                                                                                  &right);
}

template <bool LEFT_SIGNED, bool RIGHT_SIGNED>
static inline void
add_product(int (&sum)[4], const unsigned (&left)[4], const unsigned (&right)[2]) {
  emulator_add_product<EmulatorByte<LEFT_SIGNED>, EmulatorByte<RIGHT_SIGNED>, 32>(sum, left, right);
}

/* --- numbers --- */

static inline unsigned
saturate_bytes(int low, int high, unsigned rest) {
  return (unsigned)min(max(low, 0), 255) | (unsigned)min(max(high, 0), 255) << 8 | rest << 16;
}

/* The error is at most one unit in the last place. */
float emulator_approximate_root(float n);

static inline float
approximate_root(float n) {
  return emulator_approximate_root(n);
}
