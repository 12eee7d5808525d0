/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stand-in for libnvidia-ml.so.1. The environment variable FAKE_NVML has the utilization of each
 * device in percent, separated by commas: "80,10". A device without a number has no utilization, as
 * in MIG mode. Without the variable the library does not start. It prints a line on standard error
 * when it is started. */

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

/* of nvmlReturn_t */
enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, DRIVER_NOT_LOADED = 9 };

typedef struct {
  unsigned gpu, memory;
} Utilization;

EXPORT int nvmlInit_v2(void);
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *pci_id, gsize *device);
EXPORT int nvmlDeviceGetUtilizationRates(gsize device, Utilization *utilization);

int
nvmlInit_v2(void) {
  fprintf(stderr, "fake NVML: started\n");
  return g_getenv("FAKE_NVML") ? SUCCESS : DRIVER_NOT_LOADED;
}

/* The stand-in for the driver gives each device the bus with its number. */
int
nvmlDeviceGetHandleByPciBusId_v2(const char *pci_id, gsize *device) {
  unsigned machine, bus;
  if (sscanf(pci_id, "%x:%x:00.0", &machine, &bus) != 2)
    return NOT_FOUND;
  *device = bus;
  return SUCCESS;
}

int
nvmlDeviceGetUtilizationRates(gsize device, Utilization *utilization) {
  g_auto(GStrv) loads = g_strsplit(g_getenv("FAKE_NVML"), ",", -1);
  if (device >= g_strv_length(loads) || !*loads[device])
    return NOT_SUPPORTED;
  *utilization = (Utilization){(unsigned)atoi(loads[device]), 0};
  return SUCCESS;
}
