/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "neighbours.h"

#include "context.h"

#define CUDA_IS_USELESS "cudaconv-cuda-is-useless" /* with a boolean "answer" */

/* --- all of the process --- */

typedef struct {
  GWeakRef element;
  gconstpointer self; /* the same, for comparison only */
} Known;

/* Guards the next, and `posted` of all. References are dropped outside of it, since the last one
 * may end an element; object locks may be taken inside. */
static GMutex lock;
static GQueue known = G_QUEUE_INIT;

static gint
is_of(gconstpointer known_one, gconstpointer self) {
  return ((const Known *)known_one)->self != self;
}

void
gst_cuda_conv_join(GstCudaConv *self) {
  gst_cuda_conv_leave(self);
  Known *own = g_new0(Known, 1);
  own->self = self;
  g_weak_ref_init(&own->element, self);
  g_mutex_lock(&lock);
  self->posted = FALSE;
  g_queue_push_tail(&known, own);
  g_mutex_unlock(&lock);
}

void
gst_cuda_conv_leave(GstCudaConv *self) {
  g_mutex_lock(&lock);
  GList *at = g_queue_find_custom(&known, self, is_of);
  Known *own = at ? at->data : NULL;
  if (at)
    g_queue_delete_link(&known, at);
  g_mutex_unlock(&lock);
  if (own)
    g_weak_ref_clear(&own->element);
  g_free(own);
}

/* With the lock. */
static GPtrArray *
list_others(GstCudaConv *self) {
  GPtrArray *others = g_ptr_array_new_with_free_func(gst_object_unref);
  for (GList *at = known.head; at; at = at->next) {
    Known *one = at->data;
    GstCudaConv *other = one->self == self ? NULL : g_weak_ref_get(&one->element);
    if (other)
      g_ptr_array_add(others, other);
  }
  return others;
}

GPtrArray *
gst_cuda_conv_list_others(GstCudaConv *self) {
  g_mutex_lock(&lock);
  GPtrArray *others = list_others(self);
  g_mutex_unlock(&lock);
  return others;
}

/* --- those behind the element --- */

static gboolean
has_thread(GstPad *src) {
  GST_OBJECT_LOCK(src);
  const gboolean has = GST_PAD_TASK(src) != NULL;
  GST_OBJECT_UNLOCK(src);
  return has;
}

static void add_behind(GPtrArray *behind, GstPad *src);

static void
add_behind_links(GPtrArray *behind, GstPad *sink) {
  GstIterator *links = gst_pad_iterate_internal_links(sink);
  GValue value = G_VALUE_INIT;
  while (links && gst_iterator_next(links, &value) == GST_ITERATOR_OK) {
    add_behind(behind, g_value_get_object(&value));
    g_value_reset(&value);
  }
  g_clear_pointer(&links, gst_iterator_free);
}

/* Adds the elements of this kind that frames from the pad reach in the thread that pushes them.
 * Where streams join, others may be waiting. */
static void
add_behind(GPtrArray *behind, GstPad *src) {
  g_autoptr(GstPad) sink = has_thread(src) ? NULL : gst_pad_get_peer(src);
  g_autoptr(GstElement) element = sink ? gst_pad_get_parent_element(sink) : NULL;
  if (!sink || (element && element->numsinkpads > 1 && !GST_IS_BIN(element)))
    return;
  if (GST_IS_CUDA_CONV(element))
    g_ptr_array_add(behind, gst_object_ref(element));
  add_behind_links(behind, sink);
}

GPtrArray *
gst_cuda_conv_list_behind(GstCudaConv *self) {
  GPtrArray *behind = g_ptr_array_new_with_free_func(gst_object_unref);
  add_behind(behind, GST_BASE_TRANSFORM_SRC_PAD(self));
  return behind;
}

/* --- errors --- */

/* The outermost bin, for comparison only. */
static gpointer
pipeline_of(GstCudaConv *self) {
  GstObject *object = GST_OBJECT(self), *parent;
  gst_object_ref(object);
  while ((parent = gst_object_get_parent(object))) {
    gst_object_unref(object);
    object = parent;
  }
  gst_object_unref(object);
  return object;
}

gboolean
gst_cuda_conv_claim_error(GstCudaConv *self, const GError *error) {
  gboolean first = TRUE;
  if (!cc_error_is_of_device(error))
    return TRUE;
  g_mutex_lock(&lock);
  GPtrArray *others = list_others(self);
  for (guint i = 0; i < others->len; i++) {
    GstCudaConv *other = g_ptr_array_index(others, i);
    first &= !other->posted || pipeline_of(other) != pipeline_of(self);
  }
  self->posted = first;
  g_mutex_unlock(&lock);
  g_ptr_array_unref(others);
  return first;
}

/* --- CUDA memory --- */

gboolean
gst_cuda_conv_cuda_is_useless(GstCudaConv *self) {
  gboolean answer = FALSE;
  g_autoptr(GstQuery) query = gst_query_new_custom(
      GST_QUERY_CUSTOM, gst_structure_new(CUDA_IS_USELESS, "answer", G_TYPE_BOOLEAN, FALSE, NULL));
  return gst_pad_peer_query(GST_BASE_TRANSFORM_SRC_PAD(self), query) &&
         gst_structure_get_boolean(gst_query_get_structure(query), "answer", &answer) && answer;
}

gboolean
gst_cuda_conv_answer_neighbour(GstCudaConv *self, GstQuery *query) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_CUSTOM ||
      !gst_structure_has_name(gst_query_get_structure(query), CUDA_IS_USELESS))
    return FALSE;
  gst_structure_set(gst_query_writable_structure(query), "answer", G_TYPE_BOOLEAN,
                    !gst_cuda_conv_takes_cuda(self), NULL);
  return TRUE;
}
