# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs frames through a pipeline of GStreamer. Calls the C libraries, so that no Python binding has to be installed.

A source pushes the same few frames again and again and copies none of them. The filter is an element, or a function
that is called for each frame in the streaming thread.
"""

import ctypes
import time

POINTER, INT, TEXT, SIZE = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t
PROBE = ctypes.CFUNCTYPE(INT, POINTER, POINTER, POINTER)
LIBRARY = "libgstapp-1.0.so.0"  # loads GStreamer and GLib
FUNCTIONS = {  # types of the result and of the arguments
    "gst_init": (None, POINTER, POINTER),
    "gst_parse_launch": (POINTER, TEXT, POINTER),
    "gst_bin_get_by_name": (POINTER, POINTER, TEXT),
    "gst_element_set_state": (INT, POINTER, INT),
    "gst_element_get_state": (INT, POINTER, POINTER, POINTER, ctypes.c_uint64),
    "gst_element_get_bus": (POINTER, POINTER),
    "gst_bus_timed_pop_filtered": (POINTER, POINTER, ctypes.c_uint64, INT),
    "gst_message_get_structure": (POINTER, POINTER),
    "gst_message_parse_error": (None, POINTER, POINTER, POINTER),
    "gst_element_get_static_pad": (POINTER, POINTER, TEXT),
    "gst_pad_add_probe": (ctypes.c_ulong, POINTER, INT, PROBE, POINTER, POINTER),
    "gst_pad_probe_info_get_buffer": (POINTER, POINTER),
    "gst_buffer_new_wrapped_full": (POINTER, INT, POINTER, SIZE, SIZE, SIZE, POINTER, POINTER),
    "gst_buffer_map": (INT, POINTER, POINTER, INT),
    "gst_buffer_unmap": (None, POINTER, POINTER),
    "gst_app_src_push_buffer": (INT, POINTER, POINTER),
    "gst_app_src_end_of_stream": (INT, POINTER),
    "gst_mini_object_ref": (POINTER, POINTER),
    "gst_mini_object_unref": (None, POINTER),
    "gst_object_unref": (None, POINTER)}
STATE_NULL, STATE_PAUSED, STATE_PLAYING, STATE_FAILURE = 1, 3, 4, 0
MESSAGE_EOS, MESSAGE_ERROR = 1 << 0, 1 << 1
PROBE_BUFFER, PROBE_OK, MAP_READ = 1 << 4, 1, 1
FOREVER = 2 ** 64 - 1


class Map(ctypes.Structure):
    """GstMapInfo."""
    _fields_ = [("memory", POINTER), ("flags", INT), ("data", POINTER), ("size", SIZE), ("maxsize", SIZE),
                ("user_data", POINTER * 4), ("reserved", POINTER * 4)]


class GError(ctypes.Structure):
    """GError of GLib."""
    _fields_ = [("domain", ctypes.c_uint32), ("code", INT), ("message", TEXT)]


class Pipeline:
    """Pipelines for frames with the same caps. Raises OSError without GStreamer, RuntimeError if an element fails."""

    def __init__(self, caps, frames):
        """`frames` are arrays. They must not change while this object exists."""
        self.gst = ctypes.CDLL(LIBRARY)
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(self.gst, name)
            function.restype, function.argtypes = result, arguments
        self.gst.gst_init(None, None)
        self.caps, self.frames = caps, frames
        self.buffers = [self.gst.gst_buffer_new_wrapped_full(0, frame.ctypes.data, frame.nbytes, 0, frame.nbytes, None,
                                                             None) for frame in frames]

    def __del__(self):
        for buffer in getattr(self, "buffers", []):
            self.gst.gst_mini_object_unref(buffer)

    def probe(self, call):
        """Returns a pad probe that calls call(address of the pixels) for each buffer."""
        mapped, state = Map(), []

        def on_buffer(_pad, info, _data):
            if not state:  # keeps Python's thread state, which takes 40 us to create for each call
                state.append(ctypes.pythonapi.PyGILState_Ensure())
            buffer = self.gst.gst_pad_probe_info_get_buffer(info)
            if self.gst.gst_buffer_map(buffer, ctypes.byref(mapped), MAP_READ):
                call(mapped.data)
                self.gst.gst_buffer_unmap(buffer, ctypes.byref(mapped))
            return PROBE_OK
        return PROBE(on_buffer)

    def launch(self, elements):
        error = ctypes.POINTER(GError)()
        line = (f"appsrc name=source format=time max-bytes=0 caps={self.caps} ! {elements} "
                "fakesink name=sink sync=false enable-last-sample=false")
        pipeline = self.gst.gst_parse_launch(line.encode(), ctypes.byref(error))
        if error:
            raise RuntimeError(error.contents.message.decode())
        return pipeline

    def push(self, pipeline, n):
        """Queues n frames and the end of the stream."""
        source = self.gst.gst_bin_get_by_name(pipeline, b"source")
        for i in range(n):
            self.gst.gst_app_src_push_buffer(source, self.gst.gst_mini_object_ref(self.buffers[i % len(self.buffers)]))
        self.gst.gst_app_src_end_of_stream(source)
        self.gst.gst_object_unref(source)

    def wait(self, pipeline, wanted, limit=FOREVER):
        """Waits for one of the messages `wanted`. Raises an error message as RuntimeError."""
        bus = self.gst.gst_element_get_bus(pipeline)
        message = self.gst.gst_bus_timed_pop_filtered(bus, limit, wanted)
        self.gst.gst_object_unref(bus)
        if not message:
            return
        error = ctypes.POINTER(GError)()
        if self.gst.gst_message_get_structure(message):  # the message at the end of the stream has none
            self.gst.gst_message_parse_error(message, ctypes.byref(error), None)
        self.gst.gst_mini_object_unref(message)
        if error:
            raise RuntimeError(error.contents.message.decode())

    def run(self, n, elements="", call=None):
        """Returns microseconds a frame, of n frames after one to warm up. Calls `call` with the address of each frame
        at the sink."""
        gst, pipeline = self.gst, self.launch(elements)
        try:
            callback = self.probe(call) if call else None
            if call:
                sink = gst.gst_bin_get_by_name(pipeline, b"sink")
                pad = gst.gst_element_get_static_pad(sink, b"sink")
                gst.gst_pad_add_probe(pad, PROBE_BUFFER, callback, None, None)
                gst.gst_object_unref(pad)
                gst.gst_object_unref(sink)
            gst.gst_element_set_state(pipeline, STATE_PAUSED)
            self.push(pipeline, n + 1)
            if gst.gst_element_get_state(pipeline, None, None, FOREVER) == STATE_FAILURE:
                self.wait(pipeline, MESSAGE_ERROR, 0)
            start = time.perf_counter()
            gst.gst_element_set_state(pipeline, STATE_PLAYING)
            self.wait(pipeline, MESSAGE_EOS | MESSAGE_ERROR)
            return 1e6 * (time.perf_counter() - start) / max(n, 1)
        finally:
            gst.gst_element_set_state(pipeline, STATE_NULL)
            gst.gst_object_unref(pipeline)
