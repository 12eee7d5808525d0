/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The device code as data: CC_FATBIN_* are the files that nvcc made. */

#define EMBED(symbol, file)                                                                        \
  __asm__(".pushsection .rodata, \"a\"\n"                                                          \
          ".balign 16\n"                                                                           \
          ".globl " #symbol "\n"                                                                   \
          ".hidden " #symbol "\n" #symbol ":\n"                                                    \
          ".incbin \"" file "\"\n"                                                                 \
          ".popsection\n")

EMBED(cc_fatbin_constant, CC_FATBIN_CONSTANT);
EMBED(cc_fatbin_register_tile, CC_FATBIN_REGISTER_TILE);
EMBED(cc_fatbin_sliding, CC_FATBIN_SLIDING);
