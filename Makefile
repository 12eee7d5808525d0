# Targets for people who do not know Meson. Each target installs missing Debian packages that it needs, configures, builds,
# and then does its work.
#
# `make help` prints the lines that start with "#:".
#
#: make             builds everything
#: make demo        filters your video, or one that it renders, and shows the result
#: make test        runs the tests; takes a few minutes
#: make test-all    runs all tests; takes up to 100 minutes
#: make bench       measures the speed
#: make lint        checks the source; takes a few minutes
#: make gallery     makes docs/gallery.md and its images
#: make install     installs for all users, as root or with sudo
#: make uninstall   removes the last installation, or the one in PREFIX
#: make clean       removes the build and the results of the demo
#:
#: Variables, as in "make demo KERNEL=gaussian INPUT=holiday.mp4":
#:   KERNEL=sobel        demo: a kernel of docs/kernels.md
#:   PRESET=             demo: a preset of docs/gallery.md, instead of a kernel
#:   INPUT=              demo: a video, an image, a URI or /dev/videoN; empty: a rendered video
#:   BACKEND=auto        demo: auto, cuda or cpu
#:   OUTPUT=build/demo   demo: the folder for the result
#:   PREFIX=             install, uninstall: PREFIX=~/.local is only for you, without root
#:   DESTDIR=            install: puts everything below this folder, for packages
#:   BUILD=build         the build folder
#:   MESON_OPTIONS=      options for a new build folder: MESON_OPTIONS=-Dcuda=disabled
#:   PARTS=              test-all: only some parts, as in PARTS="compare fuzz"; scripts/tiers.py lists the parts
#:   V=1                 prints the output of all tools, instead of a line for each phase

BUILD ?= build
MESON_OPTIONS ?=
KERNEL ?= sobel
PRESET ?=
BACKEND ?= auto
INPUT ?=
OUTPUT ?= $(BUILD)/demo
PREFIX ?=
PARTS ?=
export DESTDIR V

# variables of this Makefile, and of Meson and make
own := KERNEL PRESET INPUT BACKEND OUTPUT PREFIX DESTDIR BUILD MESON_OPTIONS PARTS V
known := $(own) \
  CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH SHELL MAKEFLAGS
given := $(foreach name,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(name)))),$(name)))
ifneq ($(filter-out $(known),$(given)),)
$(error There is no variable $(filter-out $(known),$(given)); make help lists them)
endif

ifneq ($(filter $(CURDIR) /,$(abspath $(BUILD)))$(if $(BUILD),,empty),)
$(error BUILD=$(BUILD): name a folder that is only for the build)
endif

# values are taken literally, with each $, and passed to the shell as one word
$(foreach name,$(own),$(if $(filter command environment,$(firstword $(origin $(name)))),\
  $(eval override $(name) := $$(value $(name)))))
quote = '$(subst ','\'',$(1))'

display = $(if $(DISPLAY)$(WAYLAND_DISPLAY),display)
setup = @scripts/configure.sh $(call quote,$(BUILD)) $(MESON_OPTIONS) >/dev/null
compile = @scripts/phase.sh $(call quote,$(BUILD)) compiling ninja -C $(call quote,$(BUILD))

.PHONY: all demo build-of-tests test check-parts test-all bench lint gallery install uninstall clean help

all:
	@scripts/install-deps.sh build
	$(setup)
	$(compile)
	@echo Built: $(call quote,$(BUILD)/plugin/libgstcudaconv.so) and $(call quote,$(BUILD)/app/cudaconv)

help:
	@sed -n 's/^#: \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

demo:
	$(if $(filter $(BACKEND),auto cuda cpu),,$(error BACKEND=$(BACKEND): the backends are auto, cuda and cpu))
	@scripts/demo.sh check $(call quote,$(OUTPUT)) $(call quote,$(INPUT)) $(call quote,$(KERNEL)) $(call quote,$(PRESET))
	@scripts/install-deps.sh build run $(display)
	@build=$$(scripts/configure.sh --demo $(call quote,$(BUILD)) $(MESON_OPTIONS)) && \
	scripts/phase.sh "$$build" compiling ninja -C "$$build" plugin/libgstcudaconv.so app/cudaconv examples/cudaconv-scene && \
	scripts/demo.sh "$$build" $(call quote,$(OUTPUT)) $(call quote,$(INPUT)) $(call quote,$(if $(PRESET),$(PRESET),$(KERNEL))) \
	  $(if $(PRESET),--preset $(call quote,$(PRESET)),--kernel $(call quote,$(KERNEL))) --backend $(call quote,$(BACKEND))

build-of-tests:
	@scripts/install-deps.sh build test
	$(setup)
	$(compile)

test: build-of-tests
	@rm -f $(call quote,$(BUILD)/meson-logs/testlog.json)
	@status=0; scripts/phase.sh $(call quote,$(BUILD)) testing meson test -C $(call quote,$(BUILD)) --no-rebuild --print-errorlogs || \
	status=$$?; scripts/tiers.py summary $(call quote,$(BUILD)) $$status

# Each part prints its result at its end, because "make test-all" takes long.
test-all: check-parts $(if $(PARTS),build-of-tests,test)
	@scripts/tiers.py all $(call quote,$(BUILD)) $(PARTS)

# Runs before the build, which takes minutes. Without Python, the build installs Python or fails.
check-parts:
	@! command -v python3 >/dev/null || scripts/tiers.py parts $(PARTS)

bench:
	@scripts/install-deps.sh build bench
	$(setup)
	$(compile)
	@for command in cpu kernels coverage pipelines; do \
	  GST_PLUGIN_PATH=$(call quote,$(BUILD)/plugin) $(call quote,$(BUILD)/bench/cudaconv-bench) $$command || [ $$? = 77 ] || exit 1; \
	done

lint:
	@scripts/install-deps.sh build lint
	$(setup)
	@scripts/lint.sh $(call quote,$(BUILD))

gallery:
	@scripts/install-deps.sh build gallery
	$(setup)
	$(compile)
	@scripts/gallery.py $(call quote,$(BUILD))

# Packages that only users of the plugin need may be missing, because a user without root cannot install them. Rights are
# checked before packages and the build, if there is Python.
install:
	@! command -v python3 >/dev/null || scripts/install.py check $(call quote,$(BUILD)) $(call quote,$(PREFIX))
	@scripts/install-deps.sh build
	@$(if $(DESTDIR),,scripts/install-deps.sh run $(display) || echo 'Continuing without these packages.' >&2)
	@scripts/configure.sh --install $(call quote,$(BUILD)) $(MESON_OPTIONS) >/dev/null
	@scripts/install.py install $(call quote,$(BUILD)) $(call quote,$(PREFIX))

uninstall:
	@scripts/install.py uninstall $(call quote,$(BUILD)) $(call quote,$(PREFIX))

clean:
	rm -rf -- build-ci $(call quote,$(BUILD)) $(foreach name,demo coverage debian12 debian13 emulator fuzz migration tsan,\
	  $(call quote,$(BUILD)-$(name)))

.DEFAULT:
	@echo "There is no target '$@'; make help lists them." >&2; exit 2
