/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The list of backends, and the choice between them. */

#include "engine/backend.h"

G_BEGIN_DECLS

/* Opens the backend that `config` chooses. With AUTO it is the first of the list that opens, and
 * *fallback gets the reason why it is not the first of all, or NULL; fallback may be NULL. */
CcBackend *cc_backend_open(const CcBackendConfig *config, GError **fallback, GError **error);

G_END_DECLS
