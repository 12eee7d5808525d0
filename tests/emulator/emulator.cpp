/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs the device code itself, compiled for the CPU, in place of what tests/fake/launch.c computes.
 *
 * A block runs at a time. Its threads are fibers, which run until they wait: for the lanes of their
 * warp, with which they exchange words, or for the other threads of the block. Chance says in which
 * order blocks follow, which warp goes on, from which end its lanes take turns and when copies
 * arrive, so that what depends on an order which CUDA does not promise goes wrong sooner or later.
 * Lanes that do not come to the same exchange, and addresses that an instruction cannot have, end
 * the process with a message. */

#include "device.h"
#include "instructions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <numeric>
#include <vector>
#include "tests/fake/launch.h"

#define LANES 32
#define STACK_BYTES (128 << 10)

typedef void (*Entry)(CcLaunch launch);

enum State { READY, WAITS_FOR_WARP, WAITS_FOR_BLOCK, ENDED, N_STATES };

struct Copy {
  unsigned char *to;
  unsigned char data[16];
  int size, group;
};

struct Thread {
  boost::context::fiber fiber;
  guint number; /* in the block */
  State state;
  guint n_exchanges;
  int group; /* of the copies that it begins now */
  std::vector<Copy> copies;
};

/* What the lanes of a warp give each other. Some may be one exchange ahead of the others, so two
 * lie side by side. */
struct Warp {
  unsigned words[2][LANES];
  unsigned left[2][16][8], right[2][8][8]; /* of products: rows, and columns, of 32 bytes */
};

EmulatorPlace emulator_thread, emulator_block;
const char emulator_shared[1] = {};
alignas(16) unsigned char emulator_shared_of_launch[EMULATOR_SHARED_OF_LAUNCH];

/* --- what runs --- */

static const gchar *kernel;
static Entry entry;
static const CcLaunch *launch;
static guint across, n_threads; /* threads of a block */
static Thread *running;
static boost::context::fiber scheduler;

/* of the largest block so far; they live as long as the process, and so do these */
static std::vector<Thread *> &threads = *new std::vector<Thread *>;
static std::vector<Warp> &warps = *new std::vector<Warp>;

#define UNTOUCHED 0xA5 /* bytes of shared memory before a launch */

#define DIE(...)                                                                                   \
  (fprintf(stderr, "emulator: %s: ", kernel), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr),   \
   abort())

/* xorshift64, the same numbers in each run */
static guint
chance(guint below) {
  static guint64 state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (guint)(state >> 32) % below;
}

/* --- what threads call --- */

static void
wait_as(State state) {
  running->state = state;
  scheduler = std::move(scheduler).resume();
}

void
emulator_wait_for_block() {
  wait_as(WAITS_FOR_BLOCK);
}

int
emulator_lane() {
  return (int)(running->number % LANES);
}

/* Calls give(warp, n), where lanes leave what they give in number n, and waits for all of them. It
 * stays there until the lane's next exchange. */
template <typename Give>
static guint
exchange(Give give) {
  const guint n = running->n_exchanges++ % 2;
  give(warps[running->number / LANES], n);
  wait_as(WAITS_FOR_WARP);
  return n;
}

const unsigned *
emulator_exchange(unsigned word) {
  const Warp &warp = warps[running->number / LANES];
  return warp.words[exchange([=](Warp &of, guint n) { of.words[n][emulator_lane()] = word; })];
}

static bool
is_of_source(const char *from, int bytes) {
  for (int i = 0; i < launch->n_parts; i++) {
    const CcPart &part = launch->part[i];
    const int64_t at = (int64_t)((uintptr_t)from - part.src), y = at / part.src_pitch;
    if (at >= 0 && y < part.src_height &&
        at % part.src_pitch + bytes <= (int64_t)part.src_width * part.step * part.sample_bytes)
      return true;
  }
  return false;
}

void
emulator_start_copy(unsigned char *to, const char *from, int size, int bytes) {
  if ((uintptr_t)to % size || (uintptr_t)from % size)
    DIE("a copy of %d bytes from %p to %p", size, (const void *)from, (void *)to);
  if (bytes < 0 || bytes > size || (bytes > 0 && !is_of_source(from, bytes)))
    DIE("a copy of %d bytes that are not of the source", bytes);
  Copy copy = {.to = to, .size = size, .group = running->group};
  for (int i = 0; i < size; i++) {
    copy.data[i] = i < bytes ? (unsigned char)from[i] : (unsigned char)chance(256);
    to[i] = (unsigned char)chance(256);
  }
  running->copies.push_back(copy);
  if (chance(4) == 0)
    std::copy_n(copy.data, size, to);
}

void
emulator_end_group() {
  running->group++;
}

void
emulator_wait_for_groups(int left) {
  auto &copies = running->copies;
  const auto has_ended = [=](const Copy &copy) {
    return left < 0 || copy.group < running->group - left;
  };
  for (const Copy &copy : copies)
    if (has_ended(copy))
      std::copy_n(copy.data, copy.size, copy.to);
  copies.erase(std::remove_if(copies.begin(), copies.end(), has_ended), copies.end());
}

void
emulator_load_matrices(unsigned (&word)[4], unsigned address) {
  const unsigned *given = emulator_exchange(address);
  const int row = emulator_lane() / 4, column = emulator_lane() % 4;
  for (int m = 0; m < 4; m++) {
    const char *from = emulator_shared + (int)given[8 * m + row];
    if ((uintptr_t)from % 16)
      DIE("a matrix at %p", (const void *)from);
    memcpy(&word[m], from + 4 * column, 4);
  }
}

template <typename Left, typename Right, int BYTES>
static int
sum_of_products(const unsigned *left_words, const unsigned *right_words) {
  const Left *left = (const Left *)left_words;
  const Right *right = (const Right *)right_words;
  int sum = 0;
  for (int i = 0; i < BYTES; i++)
    sum += left[i] * right[i];
  return sum;
}

template <typename Left, typename Right, int BYTES>
void
emulator_add_product(int (&sum)[4], const unsigned *left, const unsigned *right) {
  const int g = emulator_lane() / 4, t = emulator_lane() % 4;
  const Warp &warp = warps[running->number / LANES];
  const guint n = exchange([=](Warp &of, guint nth) {
    for (int b = 0; b < BYTES / 16; b++) {
      of.left[nth][g][4 * b + t] = left[2 * b];
      of.left[nth][g + 8][4 * b + t] = left[2 * b + 1];
      of.right[nth][g][4 * b + t] = right[b];
    }
  });
  for (int i = 0; i < 4; i++)
    sum[i] += sum_of_products<Left, Right, BYTES>(warp.left[n][g + i / 2 * 8],
                                                  warp.right[n][2 * t + i % 2]);
}

#define PRODUCT(Left, Right, BYTES)                                                                \
  template void emulator_add_product<Left, Right, BYTES>(int(&)[4], const unsigned *,              \
                                                         const unsigned *);
PRODUCT(uint8_t, uint8_t, 16)
PRODUCT(uint8_t, uint8_t, 32)
PRODUCT(uint8_t, int8_t, 16)
PRODUCT(uint8_t, int8_t, 32)
PRODUCT(int8_t, uint8_t, 16)
PRODUCT(int8_t, uint8_t, 32)

float
emulator_approximate_root(float n) {
  const float root = sqrtf(n);
  const guint to = chance(3);
  return to == 0 || n == 0 ? root : nextafterf(root, to == 1 ? 0 : INFINITY);
}

/* --- turns --- */

static boost::context::fiber
run_blocks(boost::context::fiber &&from) {
  scheduler = std::move(from);
  for (;;) {
    entry(*launch);
    wait_as(ENDED);
  }
}

static void
make_threads() {
  while (threads.size() < n_threads)
    threads.push_back(new Thread{
        .fiber = {std::allocator_arg, boost::context::fixedsize_stack(STACK_BYTES), run_blocks},
        .number = (guint)threads.size()});
  warps.resize(threads.size() / LANES);
}

static void
resume(Thread *thread) {
  running = thread;
  emulator_thread = {thread->number % across, thread->number / across, 0};
  thread->fiber = std::move(thread->fiber).resume();
}

/* Lets all lanes of a warp that can go on; whether one could. */
static bool
run_warp(guint warp) {
  Thread **lane = &threads[warp * LANES];
  guint n[N_STATES] = {};
  for (guint i = 0; i < LANES; i++)
    n[lane[i]->state]++;
  if (n[WAITS_FOR_WARP] > 0 && n[READY] == 0 && n[WAITS_FOR_WARP] < LANES)
    DIE("of a warp %u lanes wait for the others, %u wait for the block and %u have ended",
        n[WAITS_FOR_WARP], n[WAITS_FOR_BLOCK], n[ENDED]);
  const bool all_wait = n[WAITS_FOR_WARP] == LANES;
  const guint turned = chance(2) * (LANES - 1);
  for (guint i = 0; i < LANES; i++)
    if (all_wait || lane[i ^ turned]->state == READY)
      resume(lane[i ^ turned]);
  return all_wait || n[READY] > 0;
}

/* Lets the warps go on in any order, some further than others, until none can. */
static void
run_until_barrier() {
  const guint n_warps = n_threads / LANES;
  for (bool ran = true; ran;) {
    const guint first = chance(n_warps);
    ran = false;
    for (guint i = 0; i < n_warps; i++)
      while (run_warp((first + i) % n_warps)) {
        ran = true;
        if (chance(4) == 0)
          break;
      }
  }
}

static void
run_block(guint block) {
  emulator_block = {block, 0, 0};
  for (guint i = 0; i < n_threads; i++) {
    threads[i]->state = READY;
    threads[i]->n_exchanges = 0;
    threads[i]->copies.clear();
  }
  for (bool waits = true; waits;) {
    run_until_barrier();
    waits = false;
    for (guint i = 0; i < n_threads; i++)
      if (threads[i]->state == WAITS_FOR_BLOCK) {
        threads[i]->state = READY;
        waits = true;
      }
  }
}

static Entry
find_entry(const gchar *name) {
  static void *own;
  Dl_info info;
  if (!own && dladdr((void *)fake_launch, &info))
    own = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  return (Entry)dlsym(own, name);
}

void
fake_launch(const gchar *name, const FakeGrid *grid, const CcLaunch *of) {
  kernel = name;
  entry = find_entry(name);
  launch = of;
  across = grid->across;
  n_threads = grid->across * grid->down;
  if (!entry)
    DIE("there is no such kernel");
  if (n_threads % LANES)
    DIE("blocks of %u threads", n_threads);
  make_threads();
  if (grid->shared_bytes > EMULATOR_SHARED_OF_LAUNCH)
    DIE("it asks for %u bytes of shared memory", grid->shared_bytes);
  std::fill(std::begin(emulator_shared_of_launch), std::end(emulator_shared_of_launch), UNTOUCHED);
  std::vector<guint> blocks(grid->n_blocks);
  std::iota(blocks.begin(), blocks.end(), 0u);
  for (guint left = grid->n_blocks; left > 0; left--) {
    std::swap(blocks[left - 1], blocks[chance(left)]);
    run_block(blocks[left - 1]);
  }
  for (guint i = grid->shared_bytes; i < EMULATOR_SHARED_OF_LAUNCH; i++)
    if (emulator_shared_of_launch[i] != UNTOUCHED)
      DIE("byte %u of the %u of shared memory that it asked for is written", i, grid->shared_bytes);
}
