# The tests' own rules, included by the Makefile.
#   tests/unit/FOLDER/NAME.c  one program each, linked with the server's objects but main: unit tests, mirroring src
UNIT_SRC := $(wildcard tests/unit/*/*.c)
UNIT_BIN := $(UNIT_SRC:tests/%.c=$(B)/tests/%)

# LINK: the extra objects of a test program; `base` programs can be built before the other layers stand.
$(B)/tests/unit/base/%: $(B)/tests/unit/base/%.o $(B)/tests/test.o $(filter $(B)/src/base/%,$(LIB_OBJ))
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/tests/unit/resp/%: $(B)/tests/unit/resp/%.o $(B)/tests/test.o $(filter $(B)/src/base/% $(B)/src/resp/%,$(LIB_OBJ))
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/tests/unit/types/%: $(B)/tests/unit/types/%.o $(B)/tests/test.o $(filter $(B)/src/base/% $(B)/src/types/%,$(LIB_OBJ))
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/tests/unit/db/%: $(B)/tests/unit/db/%.o $(B)/tests/test.o $(filter $(B)/src/base/% $(B)/src/types/% $(B)/src/db/%,$(LIB_OBJ))
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/tests/test.o $(LIB_OBJ)
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)

unit: $(UNIT_BIN)
	@for t in $(UNIT_BIN); do $$t || exit 1; done
.PHONY: unit
.SECONDARY:

# The keyspace alone, without network or commands: what a put, a find and a key cost.
$(B)/tests/perf/store_bench: $(B)/tests/perf/store_bench.o $(filter $(B)/src/base/% $(B)/src/types/% $(B)/src/db/%,$(LIB_OBJ))
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
bench-store: $(B)/tests/perf/store_bench
	$<
.PHONY: bench-store

# ---- fuzzing: libFuzzer's programs, with objects of their own: clang, libc's allocator, debug checks, no kernel's backend.
#   make fuzz FUZZ_SECONDS=600     each target for so long; the kept corpus first; what is found new stays in $(B)/fuzz/NAME.corpus
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := reader session restore
FUZZ_FLAGS := $(CSTD) $(WARN) -O1 -g -fno-omit-frame-pointer -fno-strict-aliasing -Isrc -Itests -D_GNU_SOURCE -DDEBUG \
              -fno-sanitize-recover=undefined $(LUA_CPPFLAGS)
FUZZ_LIB := $(filter-out src/server/main.c src/base/alloc_jemalloc.c src/net/backend_% src/net/uring% $(LUA_OTHER),$(wildcard src/*/*.c)) \
            src/base/alloc_libc.c
FUZZ_LIB := $(sort $(filter-out src/server/platform_%,$(FUZZ_LIB)) src/server/platform_$(PLATFORM).c)
FUZZ_SRC := $(FUZZ_LIB) $(FUZZ_TARGETS:%=tests/fuzz/%.c) tests/net/backend_sim.c
fuzz_objects = $(patsubst %.c,$(B)/fuzz/%.o,$(filter $(1),$(FUZZ_SRC)))
FUZZ_READER_OBJ := $(call fuzz_objects,src/base/% src/resp/% tests/fuzz/reader.c)
FUZZ_RESTORE_OBJ := $(call fuzz_objects,src/base/% src/types/% src/db/% src/persist/% tests/fuzz/restore.c)
FUZZ_SESSION_OBJ := $(call fuzz_objects,src/% tests/fuzz/session.c tests/net/backend_sim.c)
$(B)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(SAY)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c -o $@ $<
$(B)/fuzz/reader: $(FUZZ_READER_OBJ)
	$(SAY)clang $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ -lm
$(B)/fuzz/restore: $(FUZZ_RESTORE_OBJ)
	$(SAY)clang $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ -lm
$(B)/fuzz/session: $(FUZZ_SESSION_OBJ)
	$(SAY)clang $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ $(LUA_LIBS) -lm -lpthread
fuzz-programs: $(FUZZ_TARGETS:%=$(B)/fuzz/%)
fuzz: $(FUZZ_TARGETS:%=fuzz-%) ## all fuzzers, FUZZ_SECONDS=60 each
fuzz-%: $(B)/fuzz/%
	tests/fuzz/run $* $(B)/fuzz $(FUZZ_SECONDS)
.PHONY: fuzz fuzz-programs

# ---- real clients and tools
compat: test-programs ## client libraries, redis-cli and redis-benchmark against the server
	tests/run -b $(B) compat/
.PHONY: compat

# ---- the net layer
$(B)/tests/unit/net/%: $(B)/tests/unit/net/%.o $(B)/tests/test.o $(filter $(B)/src/base/% $(B)/src/net/%,$(LIB_OBJ))
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/tests/perf/net_ping: $(B)/tests/perf/net_ping.o $(filter $(B)/src/base/% $(B)/src/net/%,$(LIB_OBJ))
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
NET_OBJ := $(filter $(B)/src/base/% $(B)/src/net/%,$(LIB_OBJ))
NET_SUITE_OBJ := $(B)/tests/net/conformance.o $(B)/tests/net/harness.o $(B)/tests/test.o
TEST_BIN += $(NET_BACKENDS:%=$(B)/tests/net/conformance_%)
$(B)/tests/net/conformance_%: $(B)/tests/net/conformance_%.o $(NET_SUITE_OBJ) $(NET_OBJ)
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/tests/net/refused: $(B)/tests/net/refused.o $(B)/tests/net/harness.o $(B)/tests/test.o $(NET_OBJ)
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
TEST_BIN += $(if $(filter uring,$(NET_BACKENDS)),$(B)/tests/net/refused)
# The backend without a kernel: tests of higher layers link $(NET_SIM_OBJ), and include "net/backend_sim.h" (-Itests).
NET_SIM_OBJ := $(B)/tests/net/backend_sim.o
$(B)/tests/net/sim: $(B)/tests/net/sim.o $(NET_SIM_OBJ) $(B)/tests/test.o $(NET_OBJ)
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
TEST_BIN += $(B)/tests/net/sim

ifeq ($(OS),Linux)
# The kqueue backend on Linux, over an emulation: a library of three objects that registers itself, and a whole server with it.
KQUEUE_OBJ := $(B)/tests/net/kqueue_emu/backend_kqueue.o $(B)/tests/net/kqueue_emu/kqueue_emu.o \
              $(B)/tests/net/kqueue_emu/register.o
$(KQUEUE_OBJ) $(B)/tests/net/conformance_kqueue.o: CPPFLAGS += -Itests/net/kqueue_emu
TEST_BIN += $(B)/tests/net/conformance_kqueue $(B)/rondo-server-kqueue
$(B)/tests/net/conformance_kqueue: $(KQUEUE_OBJ)
$(B)/tests/net/kqueue_emu/backend_kqueue.o: src/net/backend_kqueue.c $(B)/flags
	@mkdir -p $(@D)
	$(SAY)$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<
$(B)/rondo-server-kqueue: $(OBJ) $(KQUEUE_OBJ)
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -rdynamic -o $@ $^ $(LDLIBS)
endif
