#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what clipmill needs from Debian 12. Quick when nothing is missing.
#   scripts/setup.sh [GROUP..]      default: build
# Groups: build, test, package, interop, python, arm64, windows, wasm, linux-static.
set -euo pipefail

build_packages=(g++ cmake ninja-build ccache git ca-certificates
  libglm-dev libcli11-dev libspdlog-dev libtomlplusplus-dev nlohmann-json3-dev
  libxxhash-dev libmeshoptimizer-dev libeigen3-dev zlib1g-dev libpng-dev libwebp-dev
  libassimp-dev doctest-dev libbenchmark-dev libhwy-dev pkg-config
  nodejs npm) # for the page of the preview (scripts/viewer.sh); clipmill itself runs without
test_packages=(make python3 python3-numpy libfcl-dev fish zsh mandoc groff-base
  clang-format-14 clang-14 libclang-rt-14-dev llvm-14)
package_packages=(dpkg-dev gzip)
interop_packages=(lintian debootstrap blender chromium slurmctld slurmd slurm-client munge parallel
  xvfb xauth mono-mcs)
python_packages=(python3 python3-dev python3-numpy python3-matplotlib python3-pip python3-venv
  python3-wheel pybind11-dev mypy)
# Compilers of other targets; libraries: scripts/sysroot.sh, scripts/cross_libraries.sh.
arm64_packages=(g++-aarch64-linux-gnu qemu-user-static pkg-config)
windows_packages=(g++-mingw-w64-x86-64-posix libz-mingw-w64-dev wine wine64 dpkg-dev pkg-config)
wasm_packages=(emscripten dpkg-dev pkg-config)
linux_static_packages=(dpkg-dev pkg-config)

wanted=()
for group in "${@:-build}"; do
  case "$group" in
    build) wanted+=("${build_packages[@]}") ;;
    test) wanted+=("${test_packages[@]}") ;;
    package) wanted+=("${package_packages[@]}") ;;
    interop) wanted+=("${interop_packages[@]}") ;;
    python) wanted+=("${python_packages[@]}") ;;
    arm64) wanted+=("${build_packages[@]}" "${arm64_packages[@]}") ;;
    windows) wanted+=("${build_packages[@]}" "${windows_packages[@]}") ;;
    wasm) wanted+=("${build_packages[@]}" "${wasm_packages[@]}") ;;
    linux-static) wanted+=("${build_packages[@]}" "${linux_static_packages[@]}") ;;
    *)
      echo "setup.sh: unknown group '$group'" \
        "(build, test, package, interop, python, arm64, windows, wasm, linux-static)" >&2
      exit 2
      ;;
  esac
done

isInstalled() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# A program already on the path serves as well as its package (for example another node).
isThere() {
  isInstalled "$1" && return 0
  case "$1" in
    nodejs) command -v node >/dev/null ;;
    npm | git | cmake) command -v "$1" >/dev/null ;;
    *) return 1 ;;
  esac
}

missing=()
for package in "${wanted[@]}"; do isThere "$package" || missing+=("$package"); done
# Libraries that are not installed on this machine.
unpackLibraries() {
  for group in "$@"; do
    case "$group" in
      arm64) "$(dirname "$0")/sysroot.sh" ;;
      windows) "$(dirname "$0")/cross_libraries.sh" windows-mingw ;;
      wasm | linux-static) "$(dirname "$0")/cross_libraries.sh" "$group" ;;
    esac
  done
}
[ ${#missing[@]} -eq 0 ] && {
  unpackLibraries "$@"
  exit 0
}

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "setup.sh: run as root, or install: ${missing[*]}" >&2
    exit 3
  }
  as_root=(sudo)
fi
echo "setup.sh: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
unpackLibraries "$@"
