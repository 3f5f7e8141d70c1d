# SPDX-License-Identifier: MIT
# Included after project() of the preset `linux-static`: programs for Linux x86-64 without any
# library of the system, made of Debian's static libraries, and of those of
# scripts/cross_libraries.sh where Debian has shared ones alone.
get_filename_component(CLIPMILL_STATIC_ROOT
  "${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/linux-static" ABSOLUTE)
list(PREPEND CMAKE_PREFIX_PATH "${CLIPMILL_STATIC_ROOT}/usr")
set(ENV{PKG_CONFIG_PATH} "${CLIPMILL_STATIC_ROOT}/usr/lib/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "")
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_DISABLE_FIND_PACKAGE_tomlplusplus ON)  # a shared library; its headers alone serve
set(ZLIB_USE_STATIC_LIBS ON)
string(APPEND CMAKE_EXE_LINKER_FLAGS " -static")
