/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Device memory, pinned memory and registered memory. */

#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PITCH_ALIGNMENT 512

typedef enum { DEVICE, PINNED, REGISTERED, N_KINDS } Kind;

typedef struct {
  FakeRange range;
  CUcontext context;
  gpointer given; /* start of the registered range */
} Block;

static GTree *trees[N_KINDS]; /* of Block, by address */
static gsize device_bytes, pinned_bytes;

/* --- blocks --- */

static gint
compare_blocks(gconstpointer a, gconstpointer b, gpointer unused) {
  const gsize x = ((const Block *)a)->range.begin, y = ((const Block *)b)->range.begin;
  return (x > y) - (x < y);
}

static GTree *
tree(Kind kind) {
  if (!trees[kind])
    trees[kind] = g_tree_new_full(compare_blocks, NULL, g_free, NULL);
  return trees[kind];
}

static gint
compare_overlap(gconstpointer key, gconstpointer data) {
  const Block *block = key;
  const FakeRange *range = data;
  return range->end <= block->range.begin ? -1 : range->begin >= block->range.end;
}

/* Finds a block that contains a byte of the range, or NULL. */
static Block *
find(Kind kind, FakeRange range) {
  return g_tree_search(tree(kind), compare_overlap, &range);
}

static Block *
find_at(Kind kind, gsize address) {
  return find(kind, (FakeRange){address, address + 1});
}

static void
add_block(Kind kind, const Block *block) {
  Block *copy = g_memdup2(block, sizeof *block);
  g_tree_insert(tree(kind), copy, copy);
}

static gboolean
holds(const Block *block, FakeRange range) {
  return block->range.begin <= range.begin && range.end <= block->range.end;
}

/* --- mappings of the process --- */

static gboolean
maps_line_allows(const gchar *line, FakeRange *left, gboolean written) {
  gsize begin, end;
  gchar mode[5];
  if (sscanf(line, "%zx-%zx %4s", &begin, &end, mode) != 3 || end <= left->begin)
    return TRUE;
  if (begin > left->begin || mode[0] != 'r' || (written && mode[1] != 'w'))
    return FALSE;
  left->begin = end;
  return TRUE;
}

/* Whether all of the range can be read, and written if `written`. */
static gboolean
is_mapped(FakeRange range, gboolean written) {
  g_autofree gchar *maps = NULL;
  FakeRange left = range;
  if (!g_file_get_contents("/proc/self/maps", &maps, NULL, NULL))
    g_error("fake CUDA: no /proc/self/maps");
  for (gchar *line = maps; line && left.begin < left.end; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (!maps_line_allows(line, &left, written))
      return FALSE;
  }
  return left.begin >= left.end;
}

/* --- ranges --- */

/* Whether the range lies in pinned or registered memory. It is a fault if only a part does. */
static gboolean
is_pinned(const gchar *call, FakeRange range) {
  const Block *block = find_at(PINNED, range.begin);
  if (block && !holds(block, range))
    g_error("fake CUDA: %s: %zu bytes at %#zx are not all in the pinned block of %zu bytes at %#zx",
            call, range.end - range.begin, range.begin, block->range.end - block->range.begin,
            block->range.begin);
  /* adjacent ranges can be registered separately */
  for (gsize at = range.begin; !block && at < range.end;) {
    const Block *part = find_at(REGISTERED, at);
    if (!part)
      return FALSE;
    at = part->range.end;
  }
  return TRUE;
}

static void
check_host(const gchar *call, FakeRange range, gboolean written, gboolean waits_later) {
  if (is_pinned(call, range))
    return;
  if (waits_later && range.end - range.begin >= fake_settings()->pinned_only)
    g_error("fake CUDA: %s: %zu bytes at %#zx are not pinned", call, range.end - range.begin,
            range.begin);
  if (!is_mapped(range, written))
    g_error("fake CUDA: %s: %zu bytes at %#zx cannot be %s", call, range.end - range.begin,
            range.begin, written ? "written" : "read");
}

static gboolean
can_reach(CUcontext context, CUcontext owner, FakeUse use) {
  if (context == owner || g_ptr_array_find(context->peers, owner, NULL))
    return TRUE;
  /* for a copy, the address determines the context of the device */
  return use == FAKE_ANY || use == FAKE_ANY_TARGET ||
         (use == FAKE_DEVICE && context->device == owner->device);
}

static void
check_device(const gchar *call, FakeRange range, FakeUse use, CUcontext context) {
  const Block *block = find_at(DEVICE, range.begin);
  if (!block && is_pinned(call, range))
    return; /* devices can use it at the same address */
  if (!block || !holds(block, range))
    g_error("fake CUDA: %s: %zu bytes at %#zx are not in one block of device memory", call,
            range.end - range.begin, range.begin);
  fake_check_context(call, block->context);
  if (!can_reach(context, block->context, use))
    g_error("fake CUDA: %s: %#zx is memory of context %p on device %d, out of reach of context %p "
            "on device %d",
            call, range.begin, (gpointer)block->context, block->context->device, (gpointer)context,
            context->device);
}

void
fake_check_range(const gchar *call, FakeRange range, FakeUse use, CUcontext context,
                 gboolean waits_later) {
  if (range.begin >= range.end)
    return;
  g_rec_mutex_lock(&fake_lock);
  const gboolean on_device = find(DEVICE, range) != NULL;
  const gboolean on_host = use == FAKE_HOST_READ || use == FAKE_HOST_WRITE ||
                           ((use == FAKE_ANY || use == FAKE_ANY_TARGET) && !on_device);
  if (on_host && on_device)
    g_error("fake CUDA: %s: %#zx is device memory, not host memory", call, range.begin);
  if (on_host)
    check_host(call, range, use == FAKE_HOST_WRITE || use == FAKE_ANY_TARGET, waits_later);
  else
    check_device(call, range, use, context);
  g_rec_mutex_unlock(&fake_lock);
}

/* --- allocation --- */

static CUresult
allocate(const gchar *call, Kind kind, gsize bytes, gpointer *memory) {
  gsize *used = kind == DEVICE ? &device_bytes : &pinned_bytes;
  const gsize limit = kind == DEVICE ? fake_settings()->memory : fake_settings()->pinned;
  /* whole pages, so that nobody else can register the pages of pinned memory */
  const gsize alignment = kind == DEVICE ? PITCH_ALIGNMENT : (gsize)sysconf(_SC_PAGESIZE);
  CUcontext context = fake_current(call);
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  g_rec_mutex_lock(&fake_lock);
  if (bytes <= limit && *used <= limit - bytes &&
      (*memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment))) {
    memset(*memory, 0xA5, bytes);
    add_block(kind, &(Block){.range = {(gsize)*memory, (gsize)*memory + bytes},
                             .context = context,
                             .given = *memory});
    *used += bytes;
    result = CUDA_SUCCESS;
  }
  g_rec_mutex_unlock(&fake_lock);
  return result;
}

/* Removes the block that begins at the address. Returns its size, or 0 if there is none. */
static gsize
remove_block(const gchar *call, Kind kind, gconstpointer address) {
  Block *block = find_at(kind, (gsize)address);
  if (!block || block->given != address)
    return 0;
  const gsize bytes = block->range.end - block->range.begin;
  fake_check_context(call, block->context);
  fake_check_idle(call, block->range);
  if (kind == REGISTERED && !is_mapped(block->range, TRUE))
    g_error("fake CUDA: %s: %p was unmapped while it was registered", call, address);
  g_tree_remove(tree(kind), block);
  *(kind == DEVICE ? &device_bytes : &pinned_bytes) -= bytes;
  return bytes;
}

static CUresult
release(const gchar *call, Kind kind, gpointer memory) {
  fake_need_context(call);
  g_rec_mutex_lock(&fake_lock);
  const gsize bytes = remove_block(call, kind, memory);
  g_rec_mutex_unlock(&fake_lock);
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  free(memory);
  return fake_enter(call);
}

EXPORT CUresult
cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  ENTER("cuMemAlloc");
  gpointer block = NULL;
  const CUresult result = allocate("cuMemAlloc", DEVICE, bytes, &block);
  *address = (CUdeviceptr)block;
  return result;
}

EXPORT CUresult
cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t row_bytes, size_t rows,
                unsigned element_bytes) {
  ENTER("cuMemAllocPitch");
  gpointer block = NULL;
  *pitch = (row_bytes + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
  const CUresult result = allocate("cuMemAllocPitch", DEVICE, *pitch * rows, &block);
  *address = (CUdeviceptr)block;
  return result;
}

EXPORT CUresult
cuMemFree(CUdeviceptr address) {
  return release("cuMemFree", DEVICE, (gpointer)address);
}

EXPORT CUresult
cuMemHostAlloc(void **block, size_t bytes, unsigned flags) {
  ENTER("cuMemHostAlloc");
  return allocate("cuMemHostAlloc", PINNED, bytes, block);
}

EXPORT CUresult
cuMemAllocHost(void **block, size_t bytes) {
  ENTER("cuMemAllocHost");
  return allocate("cuMemAllocHost", PINNED, bytes, block);
}

EXPORT CUresult
cuMemFreeHost(void *block) {
  return release("cuMemFreeHost", PINNED, block);
}

EXPORT CUresult
cuMemGetInfo(size_t *unused, size_t *total) {
  ENTER("cuMemGetInfo");
  fake_current("cuMemGetInfo");
  g_rec_mutex_lock(&fake_lock);
  *total = fake_settings()->memory;
  *unused = *total - device_bytes;
  g_rec_mutex_unlock(&fake_lock);
  return CUDA_SUCCESS;
}

/* --- registration --- */

/* Blocks that share a page may both be registered, as with NVIDIA's driver. Overlapping blocks may
 * not. */
static CUresult
add_registration(CUcontext context, gpointer begin, gsize bytes) {
  const FakeRange range = {(gsize)begin, (gsize)begin + bytes};
  const gsize limit = fake_settings()->pinned;
  if (bytes == 0 || range.end <= range.begin || !is_mapped(range, TRUE))
    return CUDA_ERROR_INVALID_VALUE;
  if (find(REGISTERED, range) || find(PINNED, range))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (bytes > limit || pinned_bytes > limit - bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  add_block(REGISTERED, &(Block){.range = range, .context = context, .given = begin});
  pinned_bytes += bytes;
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuMemHostRegister(void *begin, size_t bytes, unsigned flags) {
  ENTER("cuMemHostRegister");
  CUcontext context = fake_current("cuMemHostRegister");
  if (flags & CU_MEMHOSTREGISTER_READ_ONLY)
    return CUDA_ERROR_NOT_SUPPORTED;
  g_rec_mutex_lock(&fake_lock);
  const CUresult result = add_registration(context, begin, bytes);
  g_rec_mutex_unlock(&fake_lock);
  return result;
}

EXPORT CUresult
cuMemHostUnregister(void *begin) {
  fake_need_context("cuMemHostUnregister");
  g_rec_mutex_lock(&fake_lock);
  const gsize bytes = remove_block("cuMemHostUnregister", REGISTERED, begin);
  g_rec_mutex_unlock(&fake_lock);
  ENTER("cuMemHostUnregister");
  return bytes ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

/* --- pointer attributes --- */

static CUresult
get_attribute(void *data, CUpointer_attribute attribute, const Block *block, gboolean on_device) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *(CUcontext *)data = block->context;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(unsigned *)data = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *(int *)data = block->context->device;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

EXPORT CUresult
cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  ENTER("cuPointerGetAttribute");
  fake_current("cuPointerGetAttribute");
  g_rec_mutex_lock(&fake_lock);
  const Block *block = NULL;
  Kind kind = DEVICE;
  for (Kind k = DEVICE; k < N_KINDS && !block; k++) {
    block = find_at(k, (gsize)address);
    kind = k;
  }
  const CUresult result =
      block ? get_attribute(data, attribute, block, kind == DEVICE) : CUDA_ERROR_INVALID_VALUE;
  g_rec_mutex_unlock(&fake_lock);
  return result;
}

static gboolean
count_unmapped(gpointer key, gpointer value, gpointer data) {
  *(guint *)data += !is_mapped(((const Block *)value)->range, TRUE);
  return FALSE;
}

FakeMemoryCount
fake_count_memory(void) {
  FakeMemoryCount count = {
      .device_blocks = (guint)g_tree_nnodes(tree(DEVICE)),
      .pinned_blocks = (guint)g_tree_nnodes(tree(PINNED)),
      .registrations = (guint)g_tree_nnodes(tree(REGISTERED)),
  };
  g_tree_foreach(tree(REGISTERED), count_unmapped, &count.unmapped);
  return count;
}
