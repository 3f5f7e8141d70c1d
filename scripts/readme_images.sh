#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Draws the contact sheets and movies of the README and of docs anew from the samples.
#   scripts/readme_images.sh [CLIPMILL] [OUT_DIR]      default: the release build, docs
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
clipmill="$(realpath "${1:-$root/build/release/tools/clipmill/clipmill}")"
mkdir -p "${2:-$root/docs}/media"
out="$(realpath "${2:-$root/docs}")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

sample="$root/samples/dynamic-bones"
"$clipmill" run "$sample/humanoid.glb" --recipe "$sample/recipe.toml" -o "$work/baked.glb" -q
"$clipmill" preview "$sample/humanoid.glb" "$work/baked.glb" --clip Run --frames 3 \
  --sheet "$out/run.png"
"$clipmill" preview "$sample/humanoid.glb" "$work/baked.glb" --clip Run \
  --movie-fps 30 --movie-quality 85 --movie-width 318 --movie-height 360 \
  --movie "$out/media/dynamic-bones.webp"
"$clipmill" dynamic-bones "$sample/humanoid.glb" --auto --colliders skin --clip Run \
  -o "$work/skin.glb" -q
"$clipmill" preview "$sample/humanoid.glb" "$work/skin.glb" --clip Run --view three-quarter \
  --focus Hips --movie-fps 30 --movie-quality 80 --movie-width 218 --movie-height 236 \
  --movie "$out/media/skirt-skin.webp"
"$clipmill" preview "$root/samples/stretch/humanoid.glb" --clip Leap --frames 5 \
  --sheet "$out/leap.png"

leap="$root/samples/stretch/humanoid.glb"
for method in proportional uniform; do
  "$clipmill" stretch "$leap" --clip Leap --distance-m 5 --method "$method" \
    -o "$work/$method.glb" -q
done
"$clipmill" preview "$work/proportional.glb" "$work/uniform.glb" --clip Leap --frames 5 \
  --sheet "$out/leap-uniform.png"

fat="$root/samples/self-collision/humanoid_fat.glb"
"$clipmill" self-collision "$fat" --clip ArmsThroughBelly -o "$work/free.glb" -q
"$clipmill" preview "$fat" "$work/free.glb" --clip ArmsThroughBelly --frames 4 \
  --sheet "$out/belly.png"
"$clipmill" preview "$fat" "$work/free.glb" --clip ArmsThroughBelly \
  --focus Spine --movie-fps 20 --movie-quality 80 --movie-width 218 --movie-height 200 \
  --movie "$out/media/self-collision.webp"

taken=(--clip-from "$fat" --clip-from-clip HandsOnHips -q)
"$clipmill" run "$sample/humanoid.glb" "${taken[@]}" -o "$work/retargeted.glb"
"$clipmill" self-collision "$sample/humanoid.glb" "${taken[@]}" --contacts-from source \
  -o "$work/contacts.glb"
"$clipmill" preview "$work/retargeted.glb" "$work/contacts.glb" --clip HandsOnHips --frames 4 \
  --view front --sheet "$out/source-contacts.png"
"$clipmill" preview "$work/retargeted.glb" "$work/contacts.glb" --clip HandsOnHips \
  --view three-quarter --focus Spine --movie-fps 20 --movie-quality 75 --movie-width 218 \
  --movie-height 200 \
  --movie "$out/media/source-contacts.webp"

"$clipmill" preview "$leap" "$work/proportional.glb" --clip Leap \
  --movie-fps 20 --movie-quality 75 --movie-width 218 --movie-height 170 \
  --movie "$out/media/stretch.webp"

"$clipmill" stretch "$sample/humanoid.glb" --clip WalkForward --distance-m 1.8 \
  -o "$work/walk.glb" -q
"$clipmill" preview "$sample/humanoid.glb" "$work/walk.glb" --clip WalkForward \
  --movie-fps 20 --movie-quality 75 --movie-width 218 --movie-height 200 \
  --movie "$out/media/stretch-walk.webp"

arm="$root/samples/tet-bake/humanoid.glb"
"$clipmill" tet-bake "$arm" --clip ForearmTwist -o "$work/full.glb" -q
"$clipmill" preview "$arm" "$work/full.glb" --clip ForearmTwist --focus LeftArm \
  --view three-quarter --movie-fps 20 --movie-quality 80 --movie-width 218 --movie-height 150 \
  --movie "$out/media/tet-bake.webp"

"$clipmill" tet-bake "$arm" --drive pose -o "$work/driven.glb" -q
"$clipmill" preview "$arm" "$work/driven.glb" --clip ForearmTwist --focus LeftArm --frames 4 \
  --view three-quarter --sheet "$out/pose-drivers.png"
