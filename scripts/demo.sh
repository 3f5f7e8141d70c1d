#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds, bakes hair, skirt, tail and whip onto the sample character, and
# makes a preview page and a contact sheet; prints their paths.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh build
# The page is made with packages from npm; all else can be shown without them.
page=(--preview build/demo/preview.html)
if ! scripts/viewer.sh; then
  page=()
  echo "demo.sh: npm could not be reached, so there will be no preview page" >&2
fi
cmake --preset release -DCLIPMILL_WERROR="${CLIPMILL_WERROR:-OFF}" \
  -DCLIPMILL_UNITY="${CLIPMILL_UNITY:-ON}" >/dev/null
cmake --build --preset release --target clipmill -- --quiet

clipmill=build/release/tools/clipmill/clipmill
sample=samples/dynamic-bones
out=build/demo
mkdir -p "$out"
"$clipmill" run "$sample/humanoid.glb" --recipe "$sample/recipe.toml" -o "$out/humanoid.glb" \
  --report "$out/report.json" "${page[@]}"
"$clipmill" diff "$sample/humanoid.glb" "$out/humanoid.glb"
"$clipmill" preview "$sample/humanoid.glb" "$out/humanoid.glb" --clip Run --sheet "$out/run.png"

echo
[ ${#page[@]} -eq 0 ] ||
  echo "Preview:  $out/preview.html   before and after in sync, with plots: open it in any browser"
cat <<TEXT
Baked:    $out/humanoid.glb   open it in Blender or any glTF viewer, beside $sample/humanoid.glb
Sheet:    $out/run.png        before and after
Report:   $out/report.json    what was done to each clip
TEXT
