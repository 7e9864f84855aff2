# The benchmark's own rules, included by the Makefile. Linux only.
#   bench-load  the load generator; io_uring when the server has it, else epoll
ifeq ($(OS),Linux)
TEST_BIN += $(B)/bench-load $(B)/hitratio-player
endif
LOAD_SRC := $(filter-out $(if $(filter uring,$(NET_BACKENDS)),,%/link_uring.c),$(wildcard utils/bench/load/*.c))
LOAD_OBJ := $(LOAD_SRC:utils/%.c=$(B)/utils/%.o)
$(B)/utils/%.o: utils/%.c $(B)/flags
	@mkdir -p $(@D)
	$(SAY)$(CC) $(CPPFLAGS) $(if $(filter uring,$(NET_BACKENDS)),-DLOAD_HAVE_URING) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<
$(B)/bench-load: $(LOAD_OBJ)
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
# hitratio-player  plays traces against a cache
$(B)/hitratio-player: $(patsubst %,$(B)/utils/%.o,hitratio/player hitratio/trace bench/load/keys bench/load/cpu)
	$(SAY)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS)
hitratio: $(B)/rondo-server $(B)/hitratio-player ## hit ratios of Rondo and its peers, as tables
	utils/hitratio/hitratio.py --build $(B) $(ARGS)

bench-programs: $(B)/rondo-server $(B)/bench-load
bench: bench-programs ## Rondo beside the peers found: tables and plots (ARGS="--quick --rows get"; ARGS=--help)
	utils/bench/bench.py --build $(B) $(ARGS)
.PHONY: bench bench-programs hitratio
