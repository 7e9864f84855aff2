#!/bin/sh
# The Makefile's promises: help, what is said when something is missing, installing into a folder, the dependency script's dry run.
# builds: first
# time-limit: 180
cd "$RONDO_SOURCE" || exit 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$folder/out" 2>&1; then
        echo "ok $name"
    else
        sed 's/^/# /' "$folder/out" | tail -20
        echo "not ok $name"
        failed=1
    fi
}

says() { # PATTERN COMMAND...
    pattern=$1
    shift
    "$@" 2>&1 | tee "$folder/said" | grep -q "$pattern" || {
        tail -20 "$folder/said"
        return 1
    }
}

# No variables of a make that runs us.
plain_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make "$@"; }

installs() {
    plain_make install B="$RONDO_BUILD" DESTDIR="$folder/root" PREFIX=/usr &&
        [ -x "$folder/root/usr/bin/rondo-server" ] &&
        [ -f "$folder/root/etc/rondo/server.conf" ] &&
        echo mine >"$folder/root/etc/rondo/server.conf" &&
        plain_make install B="$RONDO_BUILD" DESTDIR="$folder/root" PREFIX=/usr &&
        [ "$(cat "$folder/root/etc/rondo/server.conf")" = mine ] || return 1
    [ "$(uname -s)" = Linux ] || return 0
    unit=$folder/root/usr/lib/systemd/system/rondo.service
    grep -q '^ExecStart=/usr/bin/rondo-server ' "$unit" && ! grep -q '@[A-Z]*@' "$unit"
}

check make_help says '^make test ' plain_make help
check make_without_compiler says "There is no C compiler named 'no-such-cc'" plain_make -n all CC=no-such-cc B="$folder/b"
check make_without_pkg_config says 'pkg-config is missing' plain_make -n all PKG_CONFIG=no-such-program B="$folder/b"
check make_names_what_it_builds_without says 'allocator: libc' plain_make -n all JEMALLOC=no B="$folder/b"
check deps_dry_run deps/install.sh --test --dry-run
check deps_help says 'deps/install.sh --test' deps/install.sh --help
# Installing builds first: with other flags than the build has, that would replace what the other tests use.
flags=$(printf 'include Makefile\nprint-flags:\n\t@echo "$(FLAGS_NOW)"\n' | plain_make -s -f - print-flags B="$RONDO_BUILD")
if [ "$flags" = "$(cat "$RONDO_BUILD/flags")" ]; then
    check make_install installs
else
    echo "skip make_install: $RONDO_BUILD was built with other flags"
fi
exit $failed
