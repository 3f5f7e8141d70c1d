#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes packages for Debian 12 in build/package: clipmill and libclipmill-dev. The same sources give
# the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh build package
scripts/viewer.sh
cmake --preset package -DCLIPMILL_WERROR="${CLIPMILL_WERROR:-OFF}" \
  -DCLIPMILL_UNITY="${CLIPMILL_UNITY:-ON}" >/dev/null
cmake --build --preset package -- --quiet

# Times of files in a package are those of the release.
release_date="$(sed -n 's/^set(CLIPMILL_RELEASE_DATE \([0-9-]*\)).*/\1/p' CMakeLists.txt)"
SOURCE_DATE_EPOCH="$(date --utc --date="$release_date" +%s)"
export SOURCE_DATE_EPOCH
umask 022
rm -f build/package/*.deb
cpack --config build/package/CPackConfig.cmake -B build/package >build/package/cpack.log 2>&1 || {
  cat build/package/cpack.log >&2
  exit 1
}
ls build/package/*.deb
