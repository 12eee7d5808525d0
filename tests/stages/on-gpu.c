/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages of tests on the GPU. */

#include "cuda/driver/device.h"
#include "cuda/stages/stage.h"
#include "kernels.h"
#include "teststages.h"

#include <string.h>

CC_CUDA_DECLARE_MODULE(teststages);

static void (*set_plane_sizes)(CcLaunch *, const CcCudaStep *, const CcPlacement *);
static void (*set_plane_addresses)(CcLaunch *, const CcCudaStep *, const CcCudaAddresses *);

static void
set_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  set_plane_sizes(launch, step, placement);
  for (gint p = 0; p < launch->n_jobs && step->stage->reads == CC_READS_SAMPLES; p++)
    CC_PRIVATE(TestStageJob, &launch->job[p])->n_pixels = (gint)test_stages_pixels(
        &step->plan->out_frame_layout.plane[p], &placement->frame_target[p]);
}

static void
set_addresses(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses) {
  set_plane_addresses(launch, step, addresses);
  for (gint p = 0; p < launch->n_jobs; p++)
    CC_PRIVATE(TestStageJob, &launch->job[p])->count = addresses->results + step->stage->result_at;
}

static void
set_step(CcCudaStep *step, GByteArray *taps, GString *text) {
  const CcPlan *plan = step->plan;
  const gboolean is_maximum = step->stage->reads == CC_READS_PLANES;
  const CcStage *reader = cc_plan_get_reader(plan, step->stage);
  cc_cuda_stage_set_planes(step, cc_fatbin_teststages,
                           is_maximum ? "cc_test_maximum" : "cc_test_larger");
  set_plane_sizes = step->set_sizes;
  set_plane_addresses = step->set_addresses;
  step->set_sizes = set_sizes;
  step->set_addresses = set_addresses;
  for (guint p = 0; p < (guint)step->params.n_jobs; p++) {
    const CcPlaneLayout *frame = &plan->frame_layout.plane[p];
    TestStageJob *priv = CC_PRIVATE(TestStageJob, &step->params.job[p]);
    priv->luma = is_maximum || !frame->has_macropixels ? -1
                 : frame->role[0] == CC_ROLE_LUMA      ? 0
                                                       : 1;
    if (!is_maximum)
      continue;
    priv->from_bytes = (gint)cc_plan_sample_bytes(plan, step->stage, p);
    priv->to_bytes = (gint)cc_plan_sample_bytes(plan, reader, p);
  }
  g_string_append(text, is_maximum ? "maximum" : "larger");
}

static const CcCudaStageClass klass = {.set_step = set_step};

void
test_stages_use_on_gpu(void) {
  cc_cuda_stage_classes[CC_STAGE_TEST] = &klass;
}

/* --- frames --- */

struct _TestDeviceFrame {
  CcCudaDevice *device;
  CcFrameLayout layout;
  CcFrame frame;
  gpointer block;      /* pinned */
  CUdeviceptr address; /* in device memory */
};

TestDeviceFrame *
test_device_frame_new(CcDevice *device, const CcFrameLayout *layout, CcMemoryKind memory,
                      gboolean is_aligned) {
  TestDeviceFrame *self = g_new0(TestDeviceFrame, 1);
  const gsize gap = is_aligned ? 0 : 2;
  gsize at[CC_MAX_PLANES], end = 0;
  self->device = (CcCudaDevice *)device;
  self->layout = *layout;
  self->frame.memory = memory;
  self->frame.is_one_block = TRUE;
  for (guint p = 0; p < layout->n_planes; p++) {
    at[p] = (end + 255) / 256 * 256 + gap;
    self->frame.plane[p].pitch =
        (gssize)((cc_plane_row_bytes(&layout->plane[p]) + 63) / 64 * 64 + gap);
    end = at[p] + (gsize)self->frame.plane[p].pitch * layout->plane[p].height;
  }
  if (memory == CC_MEMORY_PINNED) {
    self->block = cc_device_alloc_pinned(device, end, NULL);
    memset(self->block, 0, end);
  } else {
    g_assert_true(cc_cuda_device_push(self->device, NULL));
    g_assert_cmpint(self->device->cuda->cuMemAlloc(&self->address, end), ==, CUDA_SUCCESS);
    g_assert_cmpint(self->device->cuda->cuMemsetD8Async(self->address, 0, end, NULL), ==,
                    CUDA_SUCCESS);
    g_assert_cmpint(self->device->cuda->cuStreamSynchronize(NULL), ==, CUDA_SUCCESS);
    cc_cuda_device_pop(self->device);
  }
  guint8 *block = self->block ? self->block : (guint8 *)self->address;
  for (guint p = 0; p < layout->n_planes; p++)
    self->frame.plane[p].data = block + at[p];
  return self;
}

void
test_device_frame_free(TestDeviceFrame *self) {
  if (self->block) {
    cc_device_free_pinned(&self->device->base, self->block);
  } else {
    g_assert_true(cc_cuda_device_push(self->device, NULL));
    self->device->cuda->cuMemFree(self->address);
    cc_cuda_device_pop(self->device);
  }
  g_free(self);
}

const CcFrame *
test_device_frame_get(const TestDeviceFrame *self) {
  return &self->frame;
}

static void
copy_row(const TestDeviceFrame *self, guint8 *device, guint8 *host, gsize bytes,
         gboolean to_device) {
  const CcCudaDriver *cuda = self->device->cuda;
  if (self->block)
    memcpy(to_device ? device : host, to_device ? host : device, bytes);
  else if (to_device)
    g_assert_cmpint(cuda->cuMemcpyHtoDAsync((CUdeviceptr)device, host, bytes, NULL), ==,
                    CUDA_SUCCESS);
  else
    g_assert_cmpint(cuda->cuMemcpyDtoHAsync(host, (CUdeviceptr)device, bytes, NULL), ==,
                    CUDA_SUCCESS);
}

void
test_device_frame_copy(const TestDeviceFrame *self, const CcFrame *host, gboolean to_device) {
  g_assert_true(cc_cuda_device_push(self->device, NULL));
  for (guint p = 0; p < self->layout.n_planes; p++)
    for (guint y = 0; y < self->layout.plane[p].height; y++)
      copy_row(self, self->frame.plane[p].data + y * self->frame.plane[p].pitch,
               host->plane[p].data + (gssize)y * host->plane[p].pitch,
               cc_plane_row_bytes(&self->layout.plane[p]), to_device);
  g_assert_cmpint(self->device->cuda->cuStreamSynchronize(NULL), ==, CUDA_SUCCESS);
  cc_cuda_device_pop(self->device);
}
