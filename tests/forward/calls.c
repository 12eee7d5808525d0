/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every function of the driver as forward_NAME, which counts the call and forwards it or lets it
 * fail. The library exports it as NAME, unless another file defines a function of that name. */

#include "forward.h"

#define FORWARD(symbol, name, parameters, arguments)                                               \
  __typeof__(symbol) forward_##symbol;                                                             \
  CUresult forward_##symbol parameters {                                                           \
    static ForwardCall forwarded = {#symbol, #name, NULL, 0};                                      \
    CUresult forced;                                                                               \
    if (!forward_enter(&forwarded, &forced))                                                       \
      return forced;                                                                               \
    const CUresult returned = ((__typeof__(symbol) *)forwarded.real)arguments;                     \
    return forced == CUDA_SUCCESS ? returned : forced;                                             \
  }                                                                                                \
  EXPORT __typeof__(symbol) symbol __attribute__((weak, alias("forward_" #symbol)));

#include "calls.inc"

/* Functions of cudaGL.h, which needs the headers of OpenGL. */
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *resource, unsigned image, unsigned target,
                                   unsigned flags);
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource, unsigned buffer, unsigned flags);
CUresult cuGLGetDevices_v2(unsigned *n_devices, CUdevice *devices, unsigned max, int list);

FORWARD(cuGraphicsGLRegisterImage, cuGraphicsGLRegisterImage,
        (CUgraphicsResource * resource, unsigned image, unsigned target, unsigned flags),
        (resource, image, target, flags))
FORWARD(cuGraphicsGLRegisterBuffer, cuGraphicsGLRegisterBuffer,
        (CUgraphicsResource * resource, unsigned buffer, unsigned flags), (resource, buffer, flags))
FORWARD(cuGLGetDevices_v2, cuGLGetDevices,
        (unsigned *n_devices, CUdevice *devices, unsigned max, int list),
        (n_devices, devices, max, list))
