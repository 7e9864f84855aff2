#!/bin/sh
# What a compiler does not check, one "ok NAME" or "not ok NAME" a rule with what breaks it above:
#   layers     a file includes only its own folder and lower ranks
#   banned     functions that style forbids
#   ifdef      no preprocessor condition inside a function
#   length     functions and files stay short; utils/lint.limits holds the exceptions, which may only shrink
#   headers    every header compiles alone
#   format     clang-format would change nothing (skipped without clang-format)
#   text       no tabs in C, no blanks at line ends, a line end at the end of the file
# Usage: utils/lint.sh [RULE ...]
set -u
cd "$(dirname "$0")/.." || exit 2
CC=${CC:-cc}
found=$(mktemp)
trap 'rm -f "$found"' EXIT
failed=0

sources() { # every C file that is the project's, less what does not exist yet
    find src tests utils -name '*.[ch]' -not -path '*/corpus/*' | sort
}

rule() { # NAME: the rule's function prints what breaks it
    "rule_$1" >"$found" 2>&1
    if [ -s "$found" ]; then
        sed 's/^/# /' "$found"
        echo "not ok lint_$1"
        failed=1
    else
        echo "ok lint_$1"
    fi
}

rule_layers() {
    grep -Hn '^#include "' $(find src -name '*.[ch]') | awk -F: '
        BEGIN {
            split("base 0 net 1 resp 1 types 2 db 3 acl 3 session 4 persist 4 script 4 commands 5 server 6", list, " ")
            for (i = 1; i in list; i += 2) rank[list[i]] = list[i + 1]
        }
        {
            split($1, path, "/"); own = path[2]
            split($3, quoted, "\""); split(quoted[2], target, "/"); other = target[1]
            if (other == own) next
            if (!(other in rank)) print $1 ":" $2 ": include by folder: " quoted[2]
            else if (rank[other] >= rank[own]) print $1 ":" $2 ": " own " must not include " quoted[2]
        }'
}

# Comments and strings are blanked, so that words in them do not count. Line numbers stay.
code() {
    awk '
        {
            line = $0; out = ""
            while (line != "") {
                if (comment) {
                    at = index(line, "*/")
                    if (!at) { line = ""; break }
                    line = substr(line, at + 2); comment = 0; continue
                }
                first = substr(line, 1, 1); two = substr(line, 1, 2)
                if (two == "/*") { comment = 1; line = substr(line, 3); continue }
                if (two == "//") break
                if (first == "\"" || first == "\047") {
                    for (i = 2; i <= length(line); i++) {
                        c = substr(line, i, 1)
                        if (c == "\\") { i++; continue }
                        if (c == first) break
                    }
                    out = out first first; line = substr(line, i + 1); continue
                }
                out = out first; line = substr(line, 2)
            }
            print out
        }' "$1"
}

rule_banned() {
    for file in $(sources); do
        code "$file" | grep -nE '(^|[^A-Za-z0-9_])(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|gets|localtime|rand|srand|alloca)[[:space:]]*\(' |
            sed "s|^|$file:|"
    done
}

rule_ifdef() {
    for file in $(sources); do
        code "$file" | awk -v file="$file" '
            /^[[:space:]]*#[[:space:]]*if/ && depth > 0 && inside { print file ":" NR ": condition inside a function" }
            /^[[:space:]]*#/ { next }
            {
                if (depth == 0 && $0 ~ /\)[[:space:]]*\{[[:space:]]*$/) inside = 1
                depth += gsub(/\{/, "{") - gsub(/\}/, "}")
                if (depth <= 0) { depth = 0; inside = 0 }
            }'
    done
}

# Functions longer than 60 lines, files longer than 600 (headers 250), twice that for tests, unless utils/lint.limits allows more.
rule_length() {
    for file in $(sources); do
        awk -v file="$file" '
            /^[A-Za-z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
            /\) \{$/ && start == 0 && name != "" { start = NR }
            /^\}/ && start { print file, name, NR - start + 1; start = 0; name = "" }
            END { print file, "-", NR }' "$file"
    done | awk '
        FILENAME == "utils/lint.limits" { if ($1 != "#" && NF == 3) allowed[$1 " " $2] = $3; next }
        {
            limit = $2 != "-" ? 60 : $1 ~ /\.h$/ ? 250 : 600
            if ($1 ~ /^tests\//) limit *= 2
            key = $1 " " $2
            if (key in allowed) limit = allowed[key]
            if ($3 > limit) print $1 ": " ($2 == "-" ? "the file" : $2) " has " $3 " lines, " limit " at most"
            else if (key in allowed && $3 < limit) print "utils/lint.limits: " key " can go down to " $3
        }' utils/lint.limits -
}

rule_headers() {
    lua_flags=$(pkg-config --cflags lua5.1 2>/dev/null || pkg-config --cflags lua-5.1 2>/dev/null) || lua_flags=
    for header in $(find src -name '*.h' | sort); do
        case $header in
        src/base/alloc_jemalloc.h) continue ;; # needs the library
        esac
        printf '#include "%s"\n' "${header#src/}" |
            $CC -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wno-unused-function -Isrc $lua_flags -D_GNU_SOURCE -fsyntax-only -x c - ||
            echo "$header does not compile alone"
    done
}

rule_format() {
    command -v clang-format >/dev/null || return 0
    for file in $(find src tests utils -name '*.c' -not -path '*/corpus/*' | sort); do
        clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || echo "$file: run make format"
    done
}

rule_text() {
    for file in $(sources); do
        grep -nE "$(printf '\t')|[[:space:]]+\$" "$file" | sed "s|^|$file:|; s|\$| <- tab, or blank at the end|"
        [ -z "$(tail -c 1 "$file")" ] || echo "$file: no line end at the end"
    done
}

[ $# -gt 0 ] || set -- layers banned ifdef length headers format text
for name in "$@"; do rule "$name"; done
exit $failed
