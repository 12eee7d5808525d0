# Front door for people who do not know Meson: every target installs the Debian packages that it
# needs (only those that are missing), configures and builds, then does its work.
#
#   make demo [KERNEL=sobel] [INPUT=file, URI or /dev/videoN] [BACKEND=auto|cuda|cpu]
#   make test | bench | lint | install | clean
#
# MESON_OPTIONS goes to `meson setup` when the build folder is made: MESON_OPTIONS=-Dcuda=disabled

BUILD ?= build
MESON_OPTIONS ?=
KERNEL ?= sobel
BACKEND ?= auto
INPUT ?=
OUTPUT ?= $(BUILD)/demo
SUDO := $(if $(DESTDIR),,$(shell [ "$$(id -u)" = 0 ] || echo sudo))

setup = @test -f $(BUILD)/build.ninja || meson setup $(BUILD) $(MESON_OPTIONS)

.PHONY: all demo test bench lint install clean

all:
	@scripts/install-deps.sh build
	$(setup)
	@ninja -C $(BUILD)

demo:
	@scripts/install-deps.sh build demo $(if $(INPUT),decode) \
	  $(if $(DISPLAY)$(WAYLAND_DISPLAY),display)
	@scripts/missing-here.sh demo
	$(setup)
	@ninja -C $(BUILD) plugin/libgstcudaconv.so examples/cudaconv-demo
	@GST_PLUGIN_PATH=$(BUILD)/plugin $(BUILD)/examples/cudaconv-demo \
	  --kernel='$(KERNEL)' --backend='$(BACKEND)' --output='$(OUTPUT)' $(if $(INPUT),'$(INPUT)')

test:
	@scripts/install-deps.sh build test
	@scripts/missing-here.sh test
	$(setup)
	@ninja -C $(BUILD)
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs

bench:
	@scripts/install-deps.sh build bench
	@scripts/missing-here.sh bench
	$(setup)
	@ninja -C $(BUILD)
	@for what in cpu kernels reach pipelines; do \
	  GST_PLUGIN_PATH=$(BUILD)/plugin $(BUILD)/bench/cudaconv-bench $$what || [ $$? = 77 ] || exit 1; \
	done

lint:
	@scripts/install-deps.sh build lint
	$(setup)
	@scripts/lint.sh $(BUILD)

install: all
	@$(SUDO) meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD)
