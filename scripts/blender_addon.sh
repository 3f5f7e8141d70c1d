#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Packs the add-on for Blender: build/blender/clipmill_addon-VERSION.zip, to install from Blender's
# preferences. The program clipmill is installed apart.
#   scripts/blender_addon.sh
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^project(clipmill VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
folder=integrations/blender/clipmill_addon
grep -qF "'version': (${version//./, })," "$folder/__init__.py" || {
  echo "blender_addon.sh: bl_info in $folder/__init__.py has another version than $version" >&2
  exit 1
}
released=$(sed -n 's/^set(CLIPMILL_RELEASE_DATE \([0-9-]*\)).*/\1/p' CMakeLists.txt)
target=build/blender/clipmill_addon-$version.zip
mkdir -p build/blender
# Sorted, and with the time of the version, so that two runs write the same bytes.
/usr/bin/python3 - "$target" "$folder" LICENSE "$released" <<'PYTHON'
import pathlib
import sys
import zipfile

target, folder, licence, released = sys.argv[1:]
folder = pathlib.Path(folder)
time = (*map(int, released.split('-')), 0, 0, 0)
files = {f'{folder.name}/{p.name}': p for p in sorted(folder.glob('*')) if p.is_file()}
files[f'{folder.name}/LICENSE'] = pathlib.Path(licence)
with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as packed:
    for name, path in sorted(files.items()):
        packed.writestr(zipfile.ZipInfo(name, time), path.read_bytes(), zipfile.ZIP_DEFLATED)
PYTHON
echo "$target"
