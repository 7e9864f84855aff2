# Rondo. `make help` lists what can be made.
#
# Knobs:  CC=clang  B=dir (where objects go)  SAN=1 (ASan + UBSan)  DEBUG=1  WERROR=1  URING=no  JEMALLOC=no  LUA=no  LTO=1
#         V=1 (whole command lines)
B ?= build
CC ?= cc
PKG_CONFIG ?= pkg-config
PREFIX ?= /usr/local
OS := $(shell uname -s)
# In front of a compiler's call: says what is made instead of how.
SAY = $(if $(V),,@echo '  $@';)

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

LUA_NAME := $(firstword $(foreach name,lua5.1 lua-5.1 lua51,$(shell $(PKG_CONFIG) --exists $(name) 2>/dev/null && echo $(name))))
LUA ?= $(if $(LUA_NAME),yes,no)

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
ifeq ($(LUA),yes)
  LUA_CPPFLAGS := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(LUA_NAME)))
  LUA_LIBS := $(shell $(PKG_CONFIG) --libs $(LUA_NAME))
  CPPFLAGS += $(LUA_CPPFLAGS)
  LDLIBS += $(LUA_LIBS)
endif

# ---- sources: every .c under src, less the backends and allocators of other platforms
ALLOC_OTHER := $(if $(filter yes,$(JEMALLOC)),src/base/alloc_libc.c,src/base/alloc_jemalloc.c)
PLATFORM := $(if $(filter Linux,$(OS)),linux,other)
URING_OTHER := $(if $(filter uring,$(NET_BACKENDS)),,$(wildcard src/net/uring_*.c))
LUA_OTHER := $(if $(filter yes,$(LUA)),src/script/none.c,$(filter-out src/script/none.c src/script/shebang.c,$(wildcard src/script/*.c)))
SRC := $(filter-out src/net/backend_%.c $(URING_OTHER) $(LUA_OTHER) src/server/platform_%.c $(ALLOC_OTHER),$(wildcard src/*/*.c)) \
       $(NET_BACKENDS:%=src/net/backend_%.c) src/server/platform_$(PLATFORM).c
LIB_SRC := $(filter-out src/server/main.c,$(SRC))
OBJ := $(SRC:src/%.c=$(B)/src/%.o)
LIB_OBJ := $(LIB_SRC:src/%.c=$(B)/src/%.o)
CFLAGS_ALL := $(CSTD) $(WARN) $(OPT) $(SANFLAGS) $(CFLAGS)

.DEFAULT_GOAL := all
.SUFFIXES:
all: $(B)/rondo-server
	@echo "built $(B)/rondo-server: $(CC), net: $(strip $(NET_BACKENDS)), liburing: $(if $(filter yes,$(URING)),$(shell $(PKG_CONFIG) --modversion liburing),none), allocator: $(if $(filter yes,$(JEMALLOC)),jemalloc $(firstword $(subst _, ,$(shell $(PKG_CONFIG) --modversion jemalloc))),libc), scripts: $(if $(filter yes,$(LUA)),Lua $(shell $(PKG_CONFIG) --modversion $(LUA_NAME)),none)"

# A change of flags rebuilds everything.
FLAGS_NOW := $(CC) $(CPPFLAGS) $(CFLAGS_ALL) $(LDFLAGS) $(LDLIBS)
$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' > $@
FORCE:

$(B)/rondo-server: $(OBJ)
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -rdynamic -o $@ $(OBJ) $(LDLIBS)

$(B)/src/%.o: src/%.c $(B)/flags
	@mkdir -p $(@D)
	$(SAY)$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(B)/tests/%.o: tests/%.c $(B)/flags
	@mkdir -p $(@D)
	$(SAY)$(CC) $(CPPFLAGS) -Itests $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

include tests/tests.mk
include utils/bench/bench.mk

# ---- what the build did not find is said once, before it fails in another way
ifeq ($(filter clean help deps deps-test format lint run test,$(MAKECMDGOALS)),)
  ifeq ($(shell command -v $(firstword $(CC)) 2>/dev/null),)
    $(error There is no C compiler named '$(CC)'. `make deps` installs what is needed, or set CC)
  endif
  ifeq ($(shell command -v $(PKG_CONFIG) 2>/dev/null),)
    $(warning pkg-config is missing: liburing, jemalloc and Lua cannot be found. `make deps` installs what is needed)
  else
    ifeq ($(OS)$(URING),Linuxno)
      $(warning without liburing 2.3 or later: no io_uring backend, only epoll. `make deps` installs it)
    endif
    ifeq ($(LUA),no)
      $(warning without Lua 5.1: EVAL and its like answer an error. `make deps` installs it)
    endif
    ifeq ($(JEMALLOC)$(SAN),no)
      $(warning without jemalloc: more memory per key. `make deps` installs it)
    endif
  endif
endif

# ---- the system's packages
deps: ## install what the build needs
	deps/install.sh
deps-test: ## install what the tests need, too
	deps/install.sh --test

# ---- running
CONF ?= server.conf
run: deps ## install, build and start with server.conf (CONF=other.conf ARGS="--port 7000")
	$(MAKE) all
	$(B)/rondo-server $(CONF) $(ARGS)

# ---- checking. The sanitized build lies beside the plain one.
JOBS ?= 2
test-programs: $(B)/rondo-server $(UNIT_BIN) $(TEST_BIN)

test: deps-test ## the whole truth: install, build twice (plain, sanitized), lint, every test
	$(MAKE) -j$(JOBS) test-programs
	$(MAKE) -j$(JOBS) test-programs SAN=1 B=$(B)/san
	tests/run -j$(JOBS) -b $(B) -b $(B)/san

check: ## what a commit must pass: lint and the quick tests under ASan and UBSan
	$(MAKE) -j$(JOBS) test-programs SAN=1 WERROR=1 B=$(B)/san
	tests/run -j$(JOBS) -b $(B)/san unit/ net/ server/ lint

lint: ## layers, banned functions, lengths, headers, format
	utils/lint.sh
format: ## clang-format over all C
	clang-format -i $$(find src tests utils -name '*.c' -not -path '*/corpus/*')
valgrind: ## the unit tests under valgrind, where sanitizers do not reach
	$(MAKE) $(UNIT_BIN:$(B)/%=$(B)/valgrind/%) JEMALLOC=no B=$(B)/valgrind
	for t in $(UNIT_BIN:$(B)/%=$(B)/valgrind/%); do valgrind -q --error-exitcode=9 --leak-check=full $$t || exit 1; done

# ---- installing
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
SYSCONFDIR ?= $(if $(filter /usr,$(PREFIX)),/etc,$(PREFIX)/etc)
UNITDIR ?= $(PREFIX)/lib/systemd/system
install: all ## into PREFIX (/usr/local): the server, server.conf (kept when there is one), the systemd unit
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(SYSCONFDIR)/rondo
	install -m 755 $(B)/rondo-server $(DESTDIR)$(BINDIR)/rondo-server
	test -e $(DESTDIR)$(SYSCONFDIR)/rondo/server.conf || \
	    install -m 600 server.conf $(DESTDIR)$(SYSCONFDIR)/rondo/server.conf
ifeq ($(OS),Linux)
	install -d $(DESTDIR)$(UNITDIR)
	sed -e 's|@BINDIR@|$(BINDIR)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|g' utils/rondo.service \
	    > $(DESTDIR)$(UNITDIR)/rondo.service
	chmod 644 $(DESTDIR)$(UNITDIR)/rondo.service
endif
uninstall: ## removes what install put there, less the configuration
	rm -f $(DESTDIR)$(BINDIR)/rondo-server $(DESTDIR)$(UNITDIR)/rondo.service

clean: ## removes the build folder
	rm -rf $(B)

help: ## this list
	@echo "make            build $(B)/rondo-server; installs nothing"
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/make \1\t\2/p' Makefile tests/tests.mk utils/bench/bench.mk | expand -t 16
	@echo
	@sed -n 's/^# Knobs:  /Knobs: /p; s/^#         /       /p' Makefile
	@echo "Lists of tests: tests/run WORD... runs those whose name contains a WORD."

.PHONY: all deps deps-test run test-programs test check lint format valgrind install uninstall clean help FORCE
-include $(shell find $(B) -name '*.d' 2>/dev/null)
