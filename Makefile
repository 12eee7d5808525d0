# Front door for people who do not know Meson: every target installs the Debian packages that it
# needs (only those that are missing), configures and builds, then does its work.
#
# `make help` prints the lines that start with "#:".
#
#: make             builds everything
#: make demo        filters a film, yours or one of its own, and shows the result
#: make test        runs the tests that take some minutes
#: make test-all    runs all tests, in parts that take up to 100 minutes
#: make bench       measures the speed
#: make lint        checks the source, in some minutes
#: make gallery     makes docs/gallery.md and its pictures
#: make install     installs for all users, as root or through sudo
#: make uninstall   removes what make install installed last; with PREFIX, what is there
#: make clean       removes what was built, with what the demo put into its folder
#:
#: Variables, as in "make demo KERNEL=gaussian INPUT=holiday.mp4":
#:   KERNEL=sobel        demo: a kernel of docs/kernels.md
#:   PRESET=             demo: a preset of docs/gallery.md, in place of a kernel
#:   INPUT=              demo: a film, a picture, a URI or /dev/videoN; empty: a film that it renders
#:   BACKEND=auto        demo: auto, cuda or cpu
#:   OUTPUT=build/demo   demo: the folder for the result
#:   PREFIX=             install, uninstall: PREFIX=~/.local is for you alone, without root
#:   DESTDIR=            install: everything goes below this folder, for packages
#:   BUILD=build         the folder to build in
#:   MESON_OPTIONS=      options for a new build folder: MESON_OPTIONS=-Dcuda=disabled
#:   PARTS=              test-all: some of its parts, as in PARTS="compare fuzz"; scripts/tiers.py lists them
#:   V=1                 prints all that the tools print, in place of a line for each phase

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

# what follows `make`, and those that Meson and make know
own := KERNEL PRESET INPUT BACKEND OUTPUT PREFIX DESTDIR BUILD MESON_OPTIONS PARTS V
known := $(own) \
  CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH SHELL MAKEFLAGS
given := $(foreach name,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(name)))),$(name)))
ifneq ($(filter-out $(known),$(given)),)
$(error There is no variable $(filter-out $(known),$(given)); make help lists them)
endif

ifneq ($(filter $(CURDIR) /,$(abspath $(BUILD)))$(if $(BUILD),,empty),)
$(error BUILD=$(BUILD): a folder for the build alone is needed)
endif

# what is given is taken as it is, with each $ in it, and handed to the shell as one word
$(foreach name,$(own),$(if $(filter command environment,$(firstword $(origin $(name)))),\
  $(eval override $(name) := $$(value $(name)))))
quote = '$(subst ','\'',$(1))'

display = $(if $(DISPLAY)$(WAYLAND_DISPLAY),display)
setup = @scripts/configure.sh $(call quote,$(BUILD)) $(MESON_OPTIONS) >/dev/null
compile = @scripts/phase.sh $(call quote,$(BUILD)) compiling ninja -C $(call quote,$(BUILD))

.PHONY: all demo build-of-tests test known-parts test-all bench lint gallery install uninstall clean help

all:
	@scripts/install-deps.sh build
	$(setup)
	$(compile)
	@echo Built: $(call quote,$(BUILD)/plugin/libgstcudaconv.so) and $(call quote,$(BUILD)/app/cudaconv)

help:
	@sed -n 's/^#: \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

demo:
	$(if $(filter $(BACKEND),auto cuda cpu),,$(error BACKEND=$(BACKEND): auto, cuda or cpu is needed))
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

# "make test-all" is long, so each part says how it went as it ends.
test-all: known-parts $(if $(PARTS),build-of-tests,test)
	@scripts/tiers.py all $(call quote,$(BUILD)) $(PARTS)

# before a build that takes minutes; without Python the build fails or brings it
known-parts:
	@! command -v python3 >/dev/null || scripts/tiers.py parts $(PARTS)

bench:
	@scripts/install-deps.sh build bench
	$(setup)
	$(compile)
	@for what in cpu kernels reach pipelines; do \
	  GST_PLUGIN_PATH=$(call quote,$(BUILD)/plugin) $(call quote,$(BUILD)/bench/cudaconv-bench) $$what || [ $$? = 77 ] || exit 1; \
	done

lint:
	@scripts/install-deps.sh build lint
	$(setup)
	@scripts/lint.sh $(call quote,$(BUILD))

# docs/gallery.md and its pictures, from the element itself
gallery:
	@scripts/install-deps.sh build gallery
	$(setup)
	$(compile)
	@scripts/gallery.py $(call quote,$(BUILD))

# What is for users only may be missing: a user without root has no other choice. Whether this user may install comes
# before packages and the build; without Python the packages come first.
install:
	@! command -v python3 >/dev/null || scripts/install.py check $(call quote,$(BUILD)) $(call quote,$(PREFIX))
	@scripts/install-deps.sh build
	@$(if $(DESTDIR),,scripts/install-deps.sh run $(display) || echo 'Going on without these.' >&2)
	@scripts/configure.sh --install $(call quote,$(BUILD)) $(MESON_OPTIONS) >/dev/null
	@scripts/install.py install $(call quote,$(BUILD)) $(call quote,$(PREFIX))

uninstall:
	@scripts/install.py uninstall $(call quote,$(BUILD)) $(call quote,$(PREFIX))

clean:
	rm -rf -- build-ci $(call quote,$(BUILD)) $(foreach name,demo coverage debian12 debian13 emulator fuzz migration tsan,\
	  $(call quote,$(BUILD)-$(name)))

.DEFAULT:
	@echo "There is no target '$@'; make help lists them." >&2; exit 2
