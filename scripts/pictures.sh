#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Draws the pictures of the README anew from the samples.
#   scripts/pictures.sh [CLIPMILL] [OUT_DIR]      default: the release build, docs
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
clipmill="$(realpath "${1:-$root/build/release/tools/clipmill/clipmill}")"
mkdir -p "${2:-$root/docs}"
out="$(realpath "${2:-$root/docs}")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

sample="$root/samples/dynamic-bones"
"$clipmill" run "$sample/humanoid.glb" --recipe "$sample/recipe.toml" -o "$work/baked.glb" -q
"$clipmill" preview "$sample/humanoid.glb" "$work/baked.glb" --clip Run --frames 4 \
  --sheet "$out/run.png"
"$clipmill" preview "$root/samples/stretch/humanoid.glb" --clip Leap --frames 5 \
  --sheet "$out/leap.png"

leap="$root/samples/stretch/humanoid.glb"
for method in rhythm uniform; do
  "$clipmill" stretch "$leap" --clip Leap --distance-m 5 --method "$method" \
    -o "$work/$method.glb" -q
done
"$clipmill" preview "$work/rhythm.glb" "$work/uniform.glb" --clip Leap --frames 5 \
  --sheet "$out/leap-uniform.png"

fat="$root/samples/self-collision/humanoid_fat.glb"
"$clipmill" self-collision "$fat" --clip ArmsThroughBelly -o "$work/free.glb" -q
"$clipmill" preview "$fat" "$work/free.glb" --clip ArmsThroughBelly --frames 4 \
  --sheet "$out/belly.png"
