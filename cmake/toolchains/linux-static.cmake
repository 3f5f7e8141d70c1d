# SPDX-License-Identifier: MIT
# Linux x86-64 without any library of the system: the compiler of this machine, its static libraries,
# and those of scripts/cross_libraries.sh that Debian has as shared libraries alone.
get_filename_component(CLIPMILL_STATIC_ROOT
  "${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/linux-static" ABSOLUTE)
list(PREPEND CMAKE_PREFIX_PATH "${CLIPMILL_STATIC_ROOT}/usr")
set(ENV{PKG_CONFIG_LIBDIR} "${CLIPMILL_STATIC_ROOT}/usr/lib/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CLIPMILL_STATIC_ROOT}")
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(ZLIB_USE_STATIC_LIBS ON)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
