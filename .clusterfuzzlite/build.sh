#!/bin/bash -eu
# Every fuzz target with its options, dictionary and seeds in $OUT, as OSS-Fuzz and ClusterFuzzLite run them, and as fuzz/run-all does. Runs in the root of
# the project. SANITIZER is address (by default), none, or coverage, which the images have flags for.
# All targets are one program, which links once; its name says which of them it is (fuzz/fuzz_targets/check.rs).
shopt -s nullglob
sanitizer="${SANITIZER:-address}"
[ "$sanitizer" != coverage ] || sanitizer=none
cargo fuzz build --release --debug-assertions --sanitizer "$sanitizer" check
program=$(find "${CARGO_TARGET_DIR:-fuzz/target}" -path '*/release/check' -type f | head -n 1)

mkdir -p "$OUT"
[ -d fuzz/corpus ] || [ ! -f fuzz/corpus.tar.xz ] || tar -xJf fuzz/corpus.tar.xz -C fuzz
# One input reaches tens of thousands of features here: weighing inputs by the rarity of theirs takes most of the time.
# Allocations of 2 GiB of zeros are what `full_store` is made of that stay untouched.
# Structs measure the stack by addresses of locals, which that detection moves to the heap.
for target in $(sed -n 's/^ *"\([a-z_]*\)" => .*/\1/p' fuzz/fuzz_targets/check.rs); do
    ln -f "$program" "$OUT/$target" 2>/dev/null || cp "$program" "$OUT/$target"
    cp fuzz/dictionary "$OUT/$target.dict"
    cat >"$OUT/$target.options" <<-END
	[libfuzzer]
	max_len = 4096
	len_control = 0
	entropic = 0
	timeout = 120
	rss_limit_mb = 6000
	malloc_limit_mb = 0
	[asan]
	quarantine_size_mb = 16
	detect_stack_use_after_return = 0
	END
    seeds=()
    for directory in "fuzz/seeds/$target" "fuzz/corpus/$target"; do
        [ ! -d "$directory" ] || seeds+=("$directory"/*)
    done
    [ "${#seeds[@]}" = 0 ] || python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "${seeds[@]}"
done
