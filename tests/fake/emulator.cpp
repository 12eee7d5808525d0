/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs the device code, compiled for the CPU.
 *
 * Blocks run one after another. The threads of a block are fibers, which run until they wait: for
 * the lanes of their warp, with which they exchange words, or for the other threads of the block.
 * Random numbers decide the order of blocks, which warp continues, from which end its lanes take
 * turns, and when copies arrive. Code that depends on an order that CUDA does not guarantee
 * therefore fails sooner or later. If lanes of a warp do not reach the same exchange, or if an
 * address is invalid for an instruction, the process ends with a message. */

#include "device.h"
#include "instructions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <numeric>
#include <vector>
#include "launch.h"

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
  EmulatorIndex index;
  State state;
  guint n_exchanges;
  int group; /* of the copies that it starts now */
  std::vector<Copy> copies;
};

/* The data that the lanes of a warp exchange. Some lanes may be one exchange ahead of others, so
 * there are two buffers. */
struct Warp {
  unsigned words[2][LANES];
  alignas(16) int16_t left[16][32], right[8][32]; /* operands of a product: rows, and columns */
  guint n_given;                                  /* lanes that have written their share of both */
  int product[2][16][8];
};

EmulatorIndex emulator_thread, emulator_block;
const char emulator_shared[1] = {};
alignas(16) unsigned char emulator_shared_of_launch[EMULATOR_SHARED_OF_LAUNCH];

/* --- the running launch --- */

static const gchar *kernel;
static Entry entry;
static const CcLaunch *launch;
static guint n_threads; /* of a block */
/* XORed with lane numbers, so that lanes take turns from this end: 0 or LANES - 1 */
static guint turned;

/* enough for the largest block so far; they live as long as the process, as do the next two */
static std::vector<Thread *> &threads = *new std::vector<Thread *>;
static std::vector<Warp> &warps = *new std::vector<Warp>;
static Thread &scheduler = *new Thread{};
static Thread *running = &scheduler, *last;

#define UNTOUCHED ((unsigned char)0xA5) /* shared memory before a launch */

#define DIE(...)                                                                                   \
  (fprintf(stderr, "emulator: %s: ", kernel), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr),   \
   abort())

/* xorshift64, with the same numbers in each run */
static guint
chance(guint below) {
  static guint64 state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (guint)(state >> 32) % below;
}

/* --- functions for threads --- */

/* Switches to a thread. Returns when another thread switches back to the caller. */
static void
go_to(Thread *thread) {
  last = running;
  running = thread;
  emulator_thread = thread->index;
  boost::context::fiber from = std::move(thread->fiber).resume();
  last->fiber = std::move(from);
}

/* The next lane of the warp that can continue, from `turn` on. If there is none, the scheduler. */
static Thread *
find_next(guint warp, guint turn) {
  for (; turn < LANES; turn++) {
    Thread *lane = threads[warp * LANES + (turn ^ turned)];
    if (lane->state == READY)
      return lane;
  }
  return &scheduler;
}

static void
wait_as(State state) {
  running->state = state;
  go_to(find_next(running->number / LANES, (running->number % LANES ^ turned) + 1));
}

void
emulator_wait_for_block() {
  wait_as(WAITS_FOR_BLOCK);
}

int
emulator_lane() {
  return (int)(running->number % LANES);
}

/* Calls give(warp, n), in which the lane writes its data to buffer n, and waits for all lanes. The
 * data are valid until the lane's next exchange. */
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
  for (int i = 0; i < launch->n_jobs; i++) {
    const CcPlaneJob &job = launch->job[i];
    const int64_t at = (int64_t)((uintptr_t)from - job.src), y = at / job.src_pitch;
    if (at >= 0 && y < job.src_height &&
        at % job.src_pitch + bytes <= (int64_t)job.src_width * job.step * job.sample_bytes)
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

typedef int16_t FourNumbers __attribute__((vector_size(8)));

/* Converts the four bytes of a word to numbers. */
template <typename Byte>
static void
widen(int16_t *to, unsigned word) {
  typedef Byte Four __attribute__((vector_size(4)));
  *(FourNumbers *)to = __builtin_convertvector(std::bit_cast<Four>(word), FourNumbers);
}

template <int COLUMNS>
__attribute__((noinline)) static void
multiply(int (&product)[16][8], const int16_t (&left)[16][32], const int16_t (&right)[8][32]) {
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 8; x++) {
      int sum = 0;
      for (int i = 0; i < COLUMNS; i++)
        sum += left[y][i] * right[x][i];
      product[y][x] = sum;
    }
}

/* The last lane to arrive computes the product for all. */
template <typename Left, typename Right, int BYTES>
void
emulator_add_product(int (&sum)[4], const unsigned *left, const unsigned *right) {
  const int g = emulator_lane() / 4, t = emulator_lane() % 4;
  const Warp &warp = warps[running->number / LANES];
  const guint n = exchange([=](Warp &of, guint nth) {
    for (int b = 0; b < BYTES / 16; b++) {
      const int at = 4 * (4 * b + t);
      widen<Left>(&of.left[g][at], left[2 * b]);
      widen<Left>(&of.left[g + 8][at], left[2 * b + 1]);
      widen<Right>(&of.right[g][at], right[b]);
    }
    if (++of.n_given % LANES == 0)
      multiply<BYTES>(of.product[nth], of.left, of.right);
  });
  for (int i = 0; i < 4; i++)
    sum[i] += warp.product[n][g + i / 2 * 8][2 * t + i % 2];
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

/* --- scheduling --- */

static boost::context::fiber
run_blocks(boost::context::fiber &&from) {
  last->fiber = std::move(from);
  for (;;) {
    entry(*launch);
    wait_as(ENDED);
  }
}

/* The sizes of stacks differ, so that their ends do not map to the same cache sets. */
static void
make_threads() {
  for (guint n = threads.size(); n < n_threads; n++) {
    boost::context::fixedsize_stack stack(STACK_BYTES + n % 61 * 64);
    threads.push_back(new Thread{.fiber = {std::allocator_arg, stack, run_blocks}, .number = n});
  }
  warps.resize(threads.size() / LANES);
}

/* Runs all lanes of a warp that can continue. Returns whether any could. */
static bool
run_warp(guint warp) {
  Thread **lane = &threads[warp * LANES];
  guint n[N_STATES] = {};
  for (guint i = 0; i < LANES; i++)
    n[lane[i]->state]++;
  if (n[WAITS_FOR_WARP] > 0 && n[READY] == 0 && n[WAITS_FOR_WARP] < LANES)
    DIE("of a warp %u lanes wait for the others, %u wait for the block and %u have ended",
        n[WAITS_FOR_WARP], n[WAITS_FOR_BLOCK], n[ENDED]);
  if (n[WAITS_FOR_WARP] == LANES)
    for (guint i = 0; i < LANES; i++)
      lane[i]->state = READY;
  turned = chance(2) * (LANES - 1);
  Thread *first = find_next(warp, 0);
  if (first == &scheduler)
    return false;
  go_to(first);
  return true;
}

/* Runs the warps in random order, some further than others, until none can continue. */
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
    threads[i]->group = 0;
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
  static void *library;
  Dl_info info;
  if (!library && dladdr((void *)fake_launch, &info))
    library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  return (Entry)dlsym(library, name);
}

void
fake_launch(const gchar *name, const FakeGrid *grid, const CcLaunch *of) {
  kernel = name;
  entry = find_entry(name);
  launch = of;
  n_threads = grid->across * grid->down;
  if (!entry)
    DIE("there is no such kernel");
  if (n_threads % LANES)
    DIE("blocks of %u threads", n_threads);
  make_threads();
  for (guint i = 0; i < n_threads; i++)
    threads[i]->index = {i % grid->across, i / grid->across, 0};
  if (grid->shared_bytes > EMULATOR_SHARED_OF_LAUNCH)
    DIE("it asks for %u bytes of shared memory", grid->shared_bytes);
  std::fill_n(emulator_shared_of_launch, EMULATOR_SHARED_OF_LAUNCH, UNTOUCHED);
  std::vector<guint> blocks(grid->n_blocks);
  std::iota(blocks.begin(), blocks.end(), 0u);
  for (guint left = grid->n_blocks; left > 0; left--) {
    std::swap(blocks[left - 1], blocks[chance(left)]);
    run_block(blocks[left - 1]);
  }
  const unsigned char *behind = emulator_shared_of_launch + grid->shared_bytes;
  const unsigned char *end = emulator_shared_of_launch + EMULATOR_SHARED_OF_LAUNCH;
  if (std::count(behind, end, UNTOUCHED) != end - behind)
    DIE("it writes behind the %u bytes of shared memory that it asked for", grid->shared_bytes);
}
