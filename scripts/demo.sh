#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds, bakes hair, skirt, tail and whip onto the sample character, and
# makes a page and a picture of it; says where to look.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh build
scripts/viewer.sh
cmake --preset release >/dev/null
cmake --build --preset release --target clipmill -- --quiet

clipmill=build/release/tools/clipmill/clipmill
sample=samples/dynamic-bones
out=build/demo
mkdir -p "$out"
"$clipmill" run "$sample/humanoid.glb" --recipe "$sample/recipe.toml" -o "$out/humanoid.glb" \
  --report "$out/report.json" --preview "$out/preview.html"
"$clipmill" diff "$sample/humanoid.glb" "$out/humanoid.glb"
"$clipmill" preview "$sample/humanoid.glb" "$out/humanoid.glb" --clip Run --sheet "$out/run.png"

cat <<TEXT

Preview:  $out/preview.html   before and after in sync, with plots: open it in any browser
Baked:    $out/humanoid.glb   open it in Blender or any glTF viewer, beside $sample/humanoid.glb
Picture:  $out/run.png        before and after
Report:   $out/report.json    what was done to each clip
TEXT
