/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device_selection.h"

#include <errno.h>
#include <gmodule.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LIBRARY "libnvidia-ml.so.1"
#define PCI_ID_BYTES 32
#define N_SLOTS 64   /* slots of a device */
#define LOAD_STEP 25 /* percent; the load of a desktop is smaller and must not count */

/* This process's use of a device. */
typedef struct {
  guint users;
  gboolean holds; /* this process holds `slot` of the device, by `socket` */
  gint socket;
  guint slot;
} Device;

static GArray *devices; /* of Device, indexed by device number */

static Device *
get_device(gint id) {
  if (!devices)
    devices = g_array_new(FALSE, TRUE, sizeof(Device));
  if ((guint)id >= devices->len)
    g_array_set_size(devices, (guint)id + 1);
  return &g_array_index(devices, Device, id);
}

/* The PCI ID of a device is the same in all processes and in NVML. The device numbers of CUDA may
 * differ between processes. FALSE: the driver does not report the PCI ID. */
static gboolean
get_pci_id(const CcCudaDriver *cuda, gint id, gchar text[PCI_ID_BYTES]) {
  CUdevice device;
  return cuda->cuDeviceGetPCIBusId && cuda->cuDeviceGet(&device, id) == CUDA_SUCCESS &&
         cuda->cuDeviceGetPCIBusId(text, PCI_ID_BYTES, device) == CUDA_SUCCESS;
}

/* --- other processes of this project --- */

/* A process that uses a device holds a slot of it. A slot is a socket bound to an abstract name
 * (one that begins with a zero byte): "cudaconv/0000:3b:00.0/0" is slot 0 of a device. The socket
 * is only a lock: no process connects to it. Binding is atomic and fails with EADDRINUSE while
 * another process has the name, so processes that start at the same time get different slots. Linux
 * releases the name after the process has ended, for any reason. If the process has forked children
 * that did not exec, they must have ended too. No file is left behind.
 * /proc/net/unix lists the sockets in use.
 *
 * To take any device, a process tries slot 0 of all devices, then slot 1, and so on, and gets the
 * device of the first free slot. A process that ends may leave a free slot below used slots. Then
 * the device may look less busy than it is. Between devices with the same lowest free slot, the
 * load decides.
 *
 * Abstract names belong to a network namespace: processes in a container see only the sockets of
 * that container, unless it shares the host's network. A process that sees only one device holds no
 * slot. */

/* FALSE: errno says why. */
static gboolean
bind_slot(const CcCudaDriver *cuda, gint sock, gint id, guint slot) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  gchar pci_id[PCI_ID_BYTES];
  if (!get_pci_id(cuda, id, pci_id)) {
    errno = ENODEV;
    return FALSE;
  }
  const gint length =
      g_snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "cudaconv/%s/%u", pci_id, slot);
  const gsize bytes = offsetof(struct sockaddr_un, sun_path) + 1 + (gsize)length;
  return bind(sock, (struct sockaddr *)&address, (socklen_t)bytes) == 0;
}

/* Takes the lowest slot that is free on any of `n` devices. Returns the device of the slot. If
 * all slots are in use, or if no slot can be bound for another reason, returns the first device and
 * holds no slot. */
static gint
hold_slot(const CcCudaDriver *cuda, const gint *ids, guint n) {
  const gint sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  errno = EADDRINUSE;
  for (guint slot = 0; sock >= 0 && errno == EADDRINUSE && slot < N_SLOTS; slot++)
    for (guint i = 0; errno == EADDRINUSE && i < n; i++)
      if (bind_slot(cuda, sock, ids[i], slot)) {
        Device *device = get_device(ids[i]);
        device->holds = TRUE;
        device->socket = sock;
        device->slot = slot;
        return ids[i];
      }
  if (sock >= 0)
    close(sock);
  return ids[0];
}

/* --- load of the device by all processes --- */

typedef struct nvmlDevice_st *NvmlDevice;
typedef struct {
  unsigned gpu, memory; /* percent of the time */
} NvmlUtilization;

/* NVML comes with the driver. Its functions return 0 on success. */
typedef struct {
  int (*init)(void);
  int (*find)(const char *pci_id, NvmlDevice *device);
  int (*get_utilization)(NvmlDevice device, NvmlUtilization *utilization);
} Nvml;

/* Returns NULL if the library does not work. The library is never closed. */
static const Nvml *
get_nvml(void) {
  static Nvml nvml;
  static gboolean tried, works;
  if (tried)
    return works ? &nvml : NULL;
  tried = TRUE;
  GModule *library = g_module_open(LIBRARY, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  works = library && g_module_symbol(library, "nvmlInit_v2", (gpointer *)&nvml.init) &&
          g_module_symbol(library, "nvmlDeviceGetHandleByPciBusId_v2", (gpointer *)&nvml.find) &&
          g_module_symbol(library, "nvmlDeviceGetUtilizationRates",
                          (gpointer *)&nvml.get_utilization) &&
          nvml.init() == 0;
  return works ? &nvml : NULL;
}

/* The load of a device in steps of LOAD_STEP. If the load is unknown, for example in MIG mode,
 * returns 0. */
static guint
get_load(const CcCudaDriver *cuda, gint id) {
  NvmlDevice device;
  NvmlUtilization utilization;
  gchar pci_id[PCI_ID_BYTES];
  const Nvml *nvml = get_nvml();
  if (!nvml || !get_pci_id(cuda, id, pci_id) || nvml->find(pci_id, &device) != 0 ||
      nvml->get_utilization(device, &utilization) != 0)
    return 0;
  return utilization.gpu / LOAD_STEP;
}

/* --- selection --- */

typedef struct {
  gint id;
  guint slot, load;
} Candidate;

static int
compare_candidates(const void *left, const void *right) {
  const Candidate *a = left, *b = right;
  if (a->slot != b->slot)
    return a->slot < b->slot ? -1 : 1;
  if (a->load != b->load)
    return a->load < b->load ? -1 : 1;
  return a->id - b->id;
}

/* Lists in `ids` the devices that are not refused and have the fewest users in this process. The
 * least busy device is the first. Returns the number of listed devices. */
static guint
list_candidates(const CcCudaDriver *cuda, gint n, const gboolean *refused, gint *ids) {
  g_autofree Candidate *candidates = g_new0(Candidate, (gsize)n);
  guint fewest = G_MAXUINT, count = 0;
  for (gint id = 0; id < n; id++)
    if (!refused[id])
      fewest = MIN(fewest, get_device(id)->users);
  for (gint id = 0; id < n; id++)
    if (!refused[id] && get_device(id)->users == fewest)
      candidates[count++] = (Candidate){id, get_device(id)->slot, 0};
  for (guint i = 0; count > 1 && i < count; i++)
    candidates[i].load = get_load(cuda, candidates[i].id);
  qsort(candidates, count, sizeof *candidates, compare_candidates);
  for (guint i = 0; i < count; i++)
    ids[i] = candidates[i].id;
  return count;
}

void
cc_device_selection_add(const CcCudaDriver *cuda, gint n, gint id) {
  if (get_device(id)->users++ == 0 && n > 1)
    hold_slot(cuda, &id, 1);
}

gint
cc_device_selection_add_any(const CcCudaDriver *cuda, gint n, const gboolean *refused) {
  g_autofree gint *ids = g_new(gint, (gsize)n);
  const guint count = list_candidates(cuda, n, refused, ids);
  if (count == 0)
    return -1;
  const gboolean is_new = get_device(ids[0])->users == 0 && n > 1;
  const gint id = is_new ? hold_slot(cuda, ids, count) : ids[0];
  get_device(id)->users++;
  return id;
}

void
cc_device_selection_remove(gint id) {
  Device *device = get_device(id);
  if (--device->users > 0)
    return;
  if (device->holds)
    close(device->socket);
  *device = (Device){0};
}
