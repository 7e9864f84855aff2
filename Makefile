# Rondo. `make help` lists what can be made.
#
# Knobs:  CC=clang  B=dir (where objects go)  SAN=1 (ASan + UBSan)  DEBUG=1  WERROR=1  URING=no  JEMALLOC=no  LTO=1
B ?= build
CC ?= cc
PKG_CONFIG ?= pkg-config
PREFIX ?= /usr/local
OS := $(shell uname -s)

CSTD := -std=gnu11
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
        -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla -Wno-unused-parameter -Wformat=2
OPT := -O2 -g -fno-omit-frame-pointer -fno-strict-aliasing
CPPFLAGS += -Isrc -D_GNU_SOURCE
LDLIBS += -lm -lpthread
ifeq ($(SAN),1)
  OPT := -O1 -g -fno-omit-frame-pointer -fno-strict-aliasing
  SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
  JEMALLOC ?= no
  DEBUG ?= 1
endif
ifeq ($(DEBUG),1)
  CPPFLAGS += -DDEBUG
endif
ifeq ($(WERROR),1)
  WARN += -Werror
endif
ifeq ($(LTO),1)
  OPT += -flto=auto
endif

# ---- what the machine offers: each library is named in the build's last line, and the build says what it did without
URING ?= $(shell $(PKG_CONFIG) --atleast-version=2.3 liburing 2>/dev/null && echo yes || echo no)
JEMALLOC ?= $(shell $(PKG_CONFIG) --exists jemalloc 2>/dev/null && echo yes || echo no)

NET_BACKENDS :=
ifeq ($(OS),Linux)
  NET_BACKENDS += epoll
  ifeq ($(URING),yes)
    NET_BACKENDS := uring epoll
    CPPFLAGS += -DNET_HAVE_URING $(shell $(PKG_CONFIG) --cflags liburing)
    LDLIBS += $(shell $(PKG_CONFIG) --libs liburing)
  endif
  CPPFLAGS += -DNET_HAVE_EPOLL
else
  NET_BACKENDS += kqueue
  CPPFLAGS += -DNET_HAVE_KQUEUE
endif
ifeq ($(JEMALLOC),yes)
  CPPFLAGS += -DBASE_HAVE_JEMALLOC $(shell $(PKG_CONFIG) --cflags jemalloc)
  LDLIBS += $(shell $(PKG_CONFIG) --libs jemalloc)
endif

# ---- sources: every .c under src, less the backends and allocators of other platforms
ALLOC_OTHER := $(if $(filter yes,$(JEMALLOC)),src/base/alloc_libc.c,src/base/alloc_jemalloc.c)
PLATFORM := $(if $(filter Linux,$(OS)),linux,other)
SRC := $(filter-out src/net/backend_%.c src/server/platform_%.c $(ALLOC_OTHER),$(wildcard src/*/*.c)) \
       $(NET_BACKENDS:%=src/net/backend_%.c) src/server/platform_$(PLATFORM).c
LIB_SRC := $(filter-out src/server/main.c,$(SRC))
OBJ := $(SRC:src/%.c=$(B)/src/%.o)
LIB_OBJ := $(LIB_SRC:src/%.c=$(B)/src/%.o)
CFLAGS_ALL := $(CSTD) $(WARN) $(OPT) $(SANFLAGS) $(CFLAGS)

.DEFAULT_GOAL := all
.SUFFIXES:
all: $(B)/rondo-server
	@echo "built $(B)/rondo-server: $(CC), net: $(strip $(NET_BACKENDS)), liburing: $(if $(filter yes,$(URING)),$(shell $(PKG_CONFIG) --modversion liburing),none), allocator: $(if $(filter yes,$(JEMALLOC)),jemalloc $(firstword $(subst _, ,$(shell $(PKG_CONFIG) --modversion jemalloc))),libc)"

# A change of flags rebuilds everything.
FLAGS_NOW := $(CC) $(CPPFLAGS) $(CFLAGS_ALL) $(LDFLAGS) $(LDLIBS)
$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' > $@
FORCE:

$(B)/rondo-server: $(OBJ)
	$(CC) $(CFLAGS_ALL) $(LDFLAGS) -rdynamic -o $@ $(OBJ) $(LDLIBS)

$(B)/src/%.o: src/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(B)/tests/%.o: tests/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

include tests/tests.mk

clean:
	rm -rf $(B)

.PHONY: all clean FORCE
-include $(shell find $(B) -name '*.d' 2>/dev/null)
