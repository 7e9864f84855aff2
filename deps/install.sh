#!/bin/sh
# Installs what Rondo is built with, from the system's own packages:
#
#     deps/install.sh            a C compiler, make, pkg-config, liburing (Linux), jemalloc, Lua 5.1
#     deps/install.sh --test     and what the tests use: python3 with the redis client, redis-server and its tools, hiredis, clang with
#                                its sanitizers and fuzzer, clang-format, valgrind
#     deps/install.sh --dry-run  only says what it would do
#
# Knows apt, dnf, apk, pacman, zypper, brew and pkg. What is there already is left alone, and without anything to install no package
# manager is called. sudo is used only by who is not root. Nothing else is changed: no service is started, no source is fetched.
# README.md in this folder says what each is for.
set -eu

tests=no
dry=no
for word in "$@"; do
    case $word in
    --test | --tests) tests=yes ;;
    --dry-run) dry=yes ;;
    -h | --help)
        sed -n '2,/^set /p' "$0" | sed '/^set /d; s/^# \{0,1\}//'
        exit 0
        ;;
    *)
        echo "deps/install.sh: unknown word '$word', see --help" >&2
        exit 2
        ;;
    esac
done

have() { command -v "$1" >/dev/null 2>&1; }

say() { echo "deps: $*"; }

run() {
    say "$*"
    [ $dry = yes ] || "$@"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        run "$@"
    elif have sudo; then
        run sudo "$@"
    else
        say "must be root to run: $*" >&2
        exit 1
    fi
}

# Package names that are not installed yet, by the test that the package manager offers.
missing() { # TEST PACKAGE...
    test_one=$1
    shift
    for package in "$@"; do
        "$test_one" "$package" || printf '%s ' "$package"
    done
}

apt_has() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }
rpm_has() { rpm -q --whatprovides "$1" >/dev/null 2>&1; }
apk_has() { apk info -e "$1" >/dev/null 2>&1; }
pacman_has() { pacman -T "$1" >/dev/null 2>&1; }
brew_has() { brew list --versions "$1" >/dev/null 2>&1; }
pkg_has() { pkg info -e "$1" >/dev/null 2>&1; }

choose() { # BUILD-PACKAGES TEST-PACKAGES
    if [ $tests = yes ]; then echo "$1 $2"; else echo "$1"; fi
}

# Debian's packages start their daemons after installing. Ours is to install, not to start a server on the user's machine (or to fail
# in a container where there is no init): a policy that denies it, only while apt runs, and only where there is none yet.
apt_install() {
    policy=/usr/sbin/policy-rc.d
    own_policy=no
    if [ "$(id -u)" = 0 ] && [ $dry = no ] && [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' >$policy
        chmod +x $policy
        own_policy=yes
    fi
    [ $own_policy = no ] || trap 'rm -f "$policy"' EXIT
    [ -n "$(find /var/lib/apt/lists -name '*Packages*' -mtime -7 2>/dev/null | head -1)" ] || as_root apt-get update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" || {
        # The lists may be older than the archive.
        as_root apt-get update
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
    }
}

install_missing() { # TEST INSTALLER... -- PACKAGES...
    test_one=$1
    shift
    installer=
    while [ "$1" != -- ]; do
        installer="$installer $1"
        shift
    done
    shift
    wanted=$(missing "$test_one" "$@")
    if [ -z "$wanted" ]; then
        say "everything is there already: $*"
    else
        $installer $wanted
    fi
}

if have apt-get; then
    install_missing apt_has apt_install -- $(choose \
        "gcc libc6-dev make pkg-config liburing-dev libjemalloc-dev liblua5.1-0-dev" \
        "python3 python3-redis python3-rq redis-server redis-tools libhiredis-dev clang libclang-rt-dev clang-format valgrind")
elif have dnf; then
    install_missing rpm_has as_root dnf install -y -- $(choose \
        "gcc make pkgconf-pkg-config liburing-devel jemalloc-devel compat-lua-devel" \
        "python3 python3-redis redis hiredis-devel clang compiler-rt clang-tools-extra valgrind")
elif have apk; then
    install_missing apk_has as_root apk add -- $(choose \
        "gcc musl-dev linux-headers make pkgconf liburing-dev jemalloc-dev lua5.1-dev" \
        "python3 py3-redis redis hiredis-dev clang compiler-rt clang-extra-tools valgrind")
elif have pacman; then
    install_missing pacman_has as_root pacman -S --needed --noconfirm -- $(choose \
        "gcc make pkgconf liburing jemalloc lua51" \
        "python python-redis redis hiredis clang compiler-rt valgrind")
elif have zypper; then
    install_missing rpm_has as_root zypper --non-interactive install -- $(choose \
        "gcc make pkg-config liburing-devel jemalloc-devel lua51-devel" \
        "python3 python3-redis redis hiredis-devel clang valgrind")
elif have brew; then
    install_missing brew_has run brew install -- $(choose \
        "pkg-config jemalloc" \
        "python redis hiredis clang-format")
elif have pkg; then
    install_missing pkg_has as_root pkg install -y -- $(choose \
        "gmake pkgconf jemalloc lua51" \
        "python3 redis hiredis llvm")
    say "build with gmake here: the Makefile is GNU make's"
else
    say "no package manager that is known here. Needed: a C compiler, GNU make, pkg-config; on Linux liburing 2.3 or later" >&2
    say "(else: the epoll backend only); jemalloc 5 (else: libc's allocator); Lua 5.1 (else: no scripts). See deps/README.md." >&2
    exit 1
fi
