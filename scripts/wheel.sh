#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a wheel of the Python module for the Python of this system: build/python/wheel/*.whl. It
# needs the shared libraries that scripts/setup.sh installs; it is not published.
#   scripts/wheel.sh
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh build python

cmake --preset python -DCLIPMILL_WERROR="${CLIPMILL_WERROR:-OFF}" >/dev/null
cmake --build --preset python --target clipmill_python -- --quiet
version=$(sed -n 's/^project(clipmill VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
# Files of a wheel have the time of the version, so that two builds give the same bytes.
export SOURCE_DATE_EPOCH
released=$(sed -n 's/^set(CLIPMILL_RELEASE_DATE \([0-9-]*\)).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(date -ud "$released" +%s)
tag=$(/usr/bin/python3 -c 'import sysconfig as s, sys
v = "cp%d%d" % sys.version_info[:2]
print(v, v, s.get_platform().replace("-", "_").replace(".", "_"), sep="-")')

folder=build/python/wheel
rm -rf "$folder"
mkdir -p "$folder/tree/clipmill" "$folder/tree/clipmill-$version.dist-info"
cp build/python/python/clipmill/{*.py,*.pyi,py.typed,_clipmill*.so} "$folder/tree/clipmill/"
strip --strip-unneeded "$folder"/tree/clipmill/*.so
cp LICENSE "$folder/tree/clipmill-$version.dist-info/"
cat >"$folder/tree/clipmill-$version.dist-info/METADATA" <<METADATA
Metadata-Version: 2.1
Name: clipmill
Version: $version
Summary: Offline processor for skeletal animation clips
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy
METADATA
cat >"$folder/tree/clipmill-$version.dist-info/WHEEL" <<WHEEL
Wheel-Version: 1.0
Generator: clipmill
Root-Is-Purelib: false
Tag: $tag
WHEEL
/usr/bin/python3 -m wheel pack "$folder/tree" --dest-dir "$folder" >/dev/null
rm -r "$folder/tree"
ls "$folder"/*.whl
