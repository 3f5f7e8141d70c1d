#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Hashes of what every stage writes for the samples, in GLB and FBX: the outputs that a change of
# names or of layout must not change.
#   scripts/golden.sh [--check PROGRAM]  check against tests/golden.sha256 (default: release build)
#   scripts/golden.sh --update           write that file anew
#   scripts/golden.sh --print PROGRAM    print the hashes of another build
# CLIPMILL_RUN, where it is set, is a command that runs the program: an emulator, wine.
# As many outputs are made at a time as there are processors.
set -euo pipefail
cd "$(dirname "$0")/.."
expected=tests/golden.sha256
program=build/release/tools/clipmill/clipmill
mode=check
case "${1:-}" in
  "") ;;
  --update) mode=update ;;
  --print) mode=print; program="$(realpath "$2")" ;;
  --check) program="$(realpath "$2")" ;;
  *) echo "usage: scripts/golden.sh [--check PROGRAM | --update | --print PROGRAM]" >&2; exit 2 ;;
esac

read -r -a command <<<"${CLIPMILL_RUN:-}"
command+=("$program")

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# output FOLDER NAME INPUT OUTPUT ARGUMENT..: writes the hash of the output and NAME into FOLDER.
output() {
  local folder="$1" name="$2" input="$3" output="$1/$4" stage="$5"
  shift 5
  mkdir "$folder"
  if "${command[@]}" "$stage" "$input" -o "$output" -q "$@" 2>"$folder/errors"; then
    echo "$(sha256sum <"$output" | cut -d' ' -f1)  $name" >"$folder/hash"
  else
    echo "exit $?  $name" >"$folder/hash"
    cat "$folder/errors" >&2
  fi
  rm -f "$output"
}

# golden NAME INPUT OUTPUT ARGUMENT..: the same in the background, in a folder of its own.
count=0
golden() {
  count=$((count + 1))
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  output "$work/$(printf %03d $count)" "$@" &
}

# The hashes of all outputs, in their order.
hashes() {
  local extension humanoid fat limb
  for sample in self-collision/humanoid_fat tet-bake/humanoid; do
    "${command[@]}" convert "samples/$sample.glb" -o "$work/$(dirname $sample).fbx" -q
  done
  for extension in glb fbx; do
    humanoid="samples/dynamic-bones/humanoid.$extension"
    fat="samples/self-collision/humanoid_fat.glb" limb="samples/tet-bake/humanoid.glb"
    [ $extension = glb ] || { fat="$work/self-collision.fbx" limb="$work/tet-bake.fbx"; }
    golden "convert from $extension" "$humanoid" \
      "converted.$([ $extension = glb ] && echo fbx || echo glb)" convert
    golden "dynamic-bones rod $extension" "$humanoid" "out.$extension" \
      run --recipe samples/dynamic-bones/recipe.toml
    golden "dynamic-bones spring $extension" "$humanoid" "out.$extension" \
      dynamic-bones --method spring --chain Tail1 --chain 'Skirt*_1' --cross ring
    golden "dynamic-bones reference $extension" "$humanoid" "out.$extension" \
      dynamic-bones --chain Tail1 --method reference
    golden "dynamic-bones auto $extension" "$humanoid" "out.$extension" dynamic-bones --auto
    golden "stretch $extension" "samples/stretch/humanoid.$extension" "out.$extension" \
      stretch --clip Leap --distance-m 5
    for method in exact reference; do
      golden "self-collision $method $extension" "$fat" "out.$extension" \
        self-collision --method $method
    done
    for target in morph bones; do
      golden "tet-bake $target $extension" "$limb" "out.$extension" tet-bake --bake-to $target
    done
    golden "blend $extension" "$humanoid" "out.$extension" blend --clip WalkForward --with Run
    golden "concat $extension" "$humanoid" "out.$extension" concat --clip WalkForward --with Run
    golden "trim $extension" "$humanoid" "out.$extension" trim --clip Run --end-s 0.5
    golden "retime $extension" "$humanoid" "out.$extension" retime --clip Run --time-scale 2
    golden "root $extension" "$humanoid" "out.$extension" root --clip Run --root-motion in_place
    for stage in loop mirror; do
      golden "$stage $extension" "$humanoid" "out.$extension" $stage --clip WalkForward
    done
  done
  wait
  cat "$work"/*/hash
}

case "$mode" in
  print) hashes ;;
  update) hashes >"$expected" ;;
  check)
    hashes | diff -u "$expected" - || {
      echo "golden.sh: outputs changed; if intended, raise the algorithm version, note it in" \
        "CHANGELOG.md and run scripts/golden.sh --update" >&2
      exit 1
    }
    echo "golden.sh: $(wc -l <"$expected") outputs as expected"
    ;;
esac
