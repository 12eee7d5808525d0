/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command.h"

AppStatus
app_apply(int argc, char **argv) {
  return APP_FAILED;
}
