/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The elements of others that the command uses, cameras and the display. */

#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef enum {
  FOR_ALL,  /* the command does nothing without it */
  FOR_SOME, /* some uses need it */
  FOR_GPU,  /* those with frames on a GPU */
} Need;

typedef struct {
  const gchar *purpose;  /* what it is for */
  const gchar *elements; /* any of these does it */
  const gchar *package;  /* Debian's, of the first of them */
  Need need;
  gboolean is_chosen; /* by GStreamer, which leaves out those of rank NONE */
} Use;

#define BASE "gstreamer1.0-plugins-base"
#define GOOD "gstreamer1.0-plugins-good"
#define BAD "gstreamer1.0-plugins-bad"
#define UGLY "gstreamer1.0-plugins-ugly"
#define LIBAV "gstreamer1.0-libav"

static const Use films[] = {
    {"open any file", "uridecodebin", BASE, FOR_ALL, FALSE},
    {"convert formats", "videoconvert", BASE, FOR_ALL, FALSE},
    {"read MP4 and QuickTime", "qtdemux", GOOD, FOR_SOME, TRUE},
    {"read Matroska and WebM", "matroskademux", GOOD, FOR_SOME, TRUE},
    {"read AVI", "avidemux", GOOD, FOR_SOME, TRUE},
    {"read Ogg", "oggdemux", BASE, FOR_SOME, TRUE},
    {"decode H.264", "avdec_h264 openh264dec nvh264dec", LIBAV, FOR_SOME, TRUE},
    {"decode H.265", "avdec_h265 libde265dec nvh265dec", LIBAV, FOR_SOME, TRUE},
    {"decode VP9", "vp9dec avdec_vp9 nvvp9dec", GOOD, FOR_SOME, TRUE},
    {"decode AV1", "av1dec dav1ddec avdec_av1 nvav1dec", BAD, FOR_SOME, TRUE},
    {"decode MPEG-4", "avdec_mpeg4", LIBAV, FOR_SOME, TRUE},
    {"find frames in H.264 and H.265", "h264parse", BAD, FOR_SOME, TRUE},
    {"write MP4", "mp4mux", GOOD, FOR_SOME, FALSE},
    {"write QuickTime", "qtmux", GOOD, FOR_SOME, FALSE},
    {"write Matroska", "matroskamux", GOOD, FOR_SOME, FALSE},
    {"write WebM", "webmmux", GOOD, FOR_SOME, FALSE},
    {"write AVI", "avimux", GOOD, FOR_SOME, FALSE},
    {"write Ogg", "oggmux", BASE, FOR_SOME, FALSE},
    {"encode H.264", "x264enc", UGLY, FOR_SOME, FALSE},
    {"encode H.265", "x265enc", BAD, FOR_SOME, FALSE},
    {"encode VP9", "vp9enc", GOOD, FOR_SOME, FALSE},
    {"encode Theora", "theoraenc", BASE, FOR_SOME, FALSE},
    {"encode without loss", "avenc_ffv1", LIBAV, FOR_SOME, FALSE},
    {"put pieces of films together", "appsrc", BASE, FOR_SOME, FALSE},
    {"make a frame for explain and for the trial of an encoder", "videotestsrc", BASE, FOR_SOME,
     FALSE},
};

static const Use audio[] = {
    {"convert sound", "audioconvert", BASE, FOR_SOME, FALSE},
    {"decode AAC", "avdec_aac faad fdkaacdec", LIBAV, FOR_SOME, TRUE},
    {"encode AAC", "avenc_aac voaacenc fdkaacenc", LIBAV, FOR_SOME, FALSE},
    {"encode Opus", "opusenc", BASE, FOR_SOME, FALSE},
    {"encode Vorbis", "vorbisenc", BASE, FOR_SOME, FALSE},
};

static const Use sequence[] = {
    {"read PNG", "pngdec", GOOD, FOR_SOME, TRUE},
    {"read JPEG", "jpegdec", GOOD, FOR_SOME, TRUE},
    {"read WebP", "webpdec avdec_webp", BAD, FOR_SOME, TRUE},
    {"read TIFF", "avdec_tiff", LIBAV, FOR_SOME, TRUE},
    {"read numbered pictures", "imagesequencesrc", GOOD, FOR_SOME, FALSE},
    {"write PNG", "pngenc", GOOD, FOR_SOME, FALSE},
    {"write JPEG", "jpegenc", GOOD, FOR_SOME, FALSE},
    {"write WebP", "webpenc", BAD, FOR_SOME, FALSE},
    {"write TIFF", "avenc_tiff", LIBAV, FOR_SOME, FALSE},
    {"write numbered pictures", "multifilesink", GOOD, FOR_SOME, FALSE},
};

static const Use cameras[] = {{"read a camera", "v4l2src", GOOD, FOR_SOME, FALSE}};

static const Use windows[] = {
    {"a window with OpenGL", "glimagesink", "gstreamer1.0-gl", FOR_SOME, FALSE},
    {"a window of X11", "ximagesink", "gstreamer1.0-x", FOR_SOME, FALSE},
};

static const Use neighbours[] = {
    {"decode H.264 on the GPU", "nvh264dec", BAD, FOR_GPU, FALSE},
    {"encode H.264 on the GPU", "nvh264enc", BAD, FOR_GPU, FALSE},
    {"move frames to the GPU", "cudaupload", BAD, FOR_GPU, FALSE},
};

/* ---- elements ---- */

static void
check_use(Doctor *self, const Use *use) {
  g_autofree gchar *unchosen = NULL;
  g_auto(GStrv) names = g_strsplit(use->elements, " ", -1);
  for (gchar **name = names; *name; name++) {
    g_autoptr(GstElementFactory) factory = gst_element_factory_find(*name);
    if (!factory)
      continue;
    if (!use->is_chosen ||
        gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(factory)) >= GST_RANK_MARGINAL) {
      doctor_say(self, DOCTOR_OK, "%s: %s", use->purpose, *name);
      return;
    }
    if (!unchosen)
      unchosen = g_strdup(*name);
  }
  if (use->need == FOR_GPU && !self->on_gpu) {
    doctor_say(self, DOCTOR_NOTE, "%s: %s is not there, and nothing here needs it", use->purpose,
               names[0]);
    return;
  }
  const DoctorMark mark = use->need == FOR_ALL ? DOCTOR_BROKEN : DOCTOR_MISSING;
  if (unchosen) {
    doctor_say(self, mark, "%s: %s is there, but GStreamer does not choose it", use->purpose,
               unchosen);
    doctor_mend("take it out of GST_PLUGIN_FEATURE_RANK, which gives it the rank NONE");
    return;
  }
  doctor_say(self, mark, "%s: %s", use->purpose, names[0]);
  g_autoptr(GstPlugin) nvcodec = gst_registry_find_plugin(gst_registry_get(), "nvcodec");
  if (use->need == FOR_GPU && nvcodec) {
    g_autofree gchar *registry = doctor_find_registry();
    doctor_mend("install the Debian packages libnvcuvid1 and libnvidia-encode1, then let GStreamer "
                "look for it again: rm %s",
                registry);
  } else {
    doctor_mend_with_package(self, use->package);
  }
}

static void
check_uses(Doctor *self, const gchar *section, const Use *uses, gsize n_uses) {
  doctor_begin(section);
  for (gsize i = 0; i < n_uses; i++)
    check_use(self, &uses[i]);
}

/* ---- cameras ---- */

static void
check_cameras(Doctor *self) {
  guint n = 0;
  g_autoptr(GDir) dir = g_dir_open("/dev", 0, NULL);
  const gchar *name;
  while (dir && (name = g_dir_read_name(dir))) {
    if (!g_str_has_prefix(name, "video") || !g_ascii_isdigit(name[strlen("video")]))
      continue;
    n++;
    g_autofree gchar *path = g_build_filename("/dev", name, NULL);
    const int device = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device >= 0) {
      doctor_say(self, DOCTOR_OK, "%s opens", path);
      close(device);
      continue;
    }
    const int reason = errno;
    doctor_say(self, DOCTOR_MISSING, "%s: %s", path, g_strerror(reason));
    if (reason == EACCES || reason == EPERM)
      doctor_mend("put the user into the group video: usermod -aG video %s, then log in again",
                  g_get_user_name());
    else
      doctor_mend("end the program that uses it, or plug the camera in again");
  }
  if (n == 0)
    doctor_say(self, DOCTOR_NOTE,
               "no /dev/video*: no camera is connected, or a container does not "
               "have it (docker run --device /dev/video0)");
}

/* ---- the display ---- */

static void
check_display(Doctor *self) {
  static const gchar *const sinks[] = {"glimagesink", "xvimagesink", "ximagesink", "waylandsink"};
  const gchar *wayland = g_getenv("WAYLAND_DISPLAY"), *x11 = g_getenv("DISPLAY");
  if ((!wayland || !*wayland) && (!x11 || !*x11)) {
    doctor_say(self, DOCTOR_NOTE,
               "no display: neither DISPLAY nor WAYLAND_DISPLAY is set; "
               "`cudaconv apply` needs none");
    return;
  }
  g_autoptr(GString) reasons = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(sinks); i++) {
    g_autofree gchar *what = g_strconcat("sink:", sinks[i], NULL);
    g_autoptr(GstStructure) answer = doctor_ask(self, what);
    const gchar *error = gst_structure_get_string(answer, "error");
    if (!error) {
      doctor_say(self, DOCTOR_OK, "the display %s opens: %s", wayland && *wayland ? wayland : x11,
                 sinks[i]);
      return;
    }
    g_string_append_printf(reasons, "%s%s: %s", i ? "; " : "", sinks[i], error);
  }
  doctor_say(self, DOCTOR_MISSING, "the display %s does not open: %s",
             wayland && *wayland ? wayland : x11, reasons->str);
  doctor_mend("start it from a desktop session, or with ssh -X; as another user, xhost +local: "
              "lets it in");
}

void
doctor_check_elements(Doctor *self) {
  check_uses(self, "Films", films, G_N_ELEMENTS(films));
  check_uses(self, "Sound", audio, G_N_ELEMENTS(audio));
  check_uses(self, "Pictures", sequence, G_N_ELEMENTS(sequence));
  check_uses(self, "Cameras", cameras, G_N_ELEMENTS(cameras));
  check_cameras(self);
  check_uses(self, "Window", windows, G_N_ELEMENTS(windows));
  check_display(self);
  check_uses(self, "Neighbours on the GPU", neighbours, G_N_ELEMENTS(neighbours));
}
