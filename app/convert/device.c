/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

void
device_open(Device *self, GstElement *filter) {
  g_autoptr(GstBus) bus = gst_bus_new();
  *self = (Device){gst_object_ref(filter), -1};
  gst_element_set_bus(filter, bus);
  gst_element_set_state(filter, GST_STATE_READY);
  g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT);
  gst_element_set_bus(filter, NULL);
  const GstStructure *said = message ? gst_message_get_structure(message) : NULL;
  if (said && g_strcmp0(gst_structure_get_string(said, "backend"), "cuda") == 0)
    gst_structure_get_int(said, "device-id", &self->number);
}

void
device_use(const Device *self, GstElement *filter) {
  if (self->keeper && self->number >= 0)
    g_object_set(filter, "cuda-device-id", self->number, NULL);
}

void
device_close(Device *self) {
  if (self->keeper)
    gst_element_set_state(self->keeper, GST_STATE_NULL);
  g_clear_object(&self->keeper);
}
