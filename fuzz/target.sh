# Sourced by run-all and keep, at the root of the project: a target as .clusterfuzzlite/build.sh has built it.
export OUT="$PWD/fuzz/out"

# options SECTION FILE PREFIX: the lines of that section as arguments.
options() { sed -n "/^\[$1\]/,/^\[/s/^\([a-z_]*\) = \(.*\)/$3\1=\2/p" "$2"; }

# target NAME ARGUMENT...: runs it with its options, its dictionary, its seeds and these arguments.
target() {
    local name="$1" flags seeds=()
    shift
    [ ! -d "fuzz/seeds/$name" ] || seeds=("fuzz/seeds/$name")
    mapfile -t flags < <(options libfuzzer "$OUT/$name.options" -)
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:$(options asan "$OUT/$name.options" '' | paste -sd:)" \
        "$OUT/$name" "$@" "${seeds[@]}" -dict="$OUT/$name.dict" "${flags[@]}"
}
export -f options target
