# SPDX-License-Identifier: MIT
# WebAssembly for node and browsers: Debian's emscripten, the libraries of scripts/cross_libraries.sh,
# and node to run what was built. `scripts/setup.sh wasm` installs it.
set(emscripten_platform /usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
include(${emscripten_platform})

get_filename_component(CLIPMILL_WASM_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/wasm" ABSOLUTE)
list(PREPEND CMAKE_FIND_ROOT_PATH "${CLIPMILL_WASM_ROOT}")
set(CMAKE_PREFIX_PATH /usr /)  # below those folders
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${CLIPMILL_WASM_ROOT}/usr/lib/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CLIPMILL_WASM_ROOT}")

# Exceptions of WebAssembly itself, and vectors of 128 bits: node 17, Chromium 95, Firefox 100,
# Safari 16.4 have both.
set(CMAKE_C_FLAGS_INIT "-fwasm-exceptions -msimd128")
set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -msimd128")
