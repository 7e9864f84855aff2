#!/bin/sh
# time-limit: 400
# builds: first
# Each fuzzer for a few seconds over its kept corpus: `make fuzz` does the same for longer.
set -u
seconds=${RONDO_FUZZ_SECONDS:-10}
unset MAKEFLAGS MFLAGS MAKELEVEL
if ! command -v clang >/dev/null 2>&1; then
    echo "skip fuzz: there is no clang"
    exit 0
fi
log=$RONDO_BUILD/fuzz/build.log
mkdir -p "$RONDO_BUILD/fuzz"
if ! make -C "$RONDO_SOURCE" B="$RONDO_BUILD" fuzz-programs >"$log" 2>&1; then
    tail -30 "$log" | sed 's/^/# /'
    echo "not ok fuzz/build"
    exit 1
fi
status=0
for name in reader session restore; do
    if "$RONDO_SOURCE/tests/fuzz/run" "$name" "$RONDO_BUILD/fuzz" "$seconds" >"$RONDO_BUILD/fuzz/$name.log" 2>&1; then
        echo "ok fuzz/$name ($(sed -n 's/^stat::number_of_executed_units: //p' "$RONDO_BUILD/fuzz/$name.log") inputs)"
    else
        tail -60 "$RONDO_BUILD/fuzz/$name.log" | sed 's/^/# /'
        echo "not ok fuzz/$name"
        status=1
    fi
done
exit $status
