# SPDX-License-Identifier: MIT
# Windows x64 from Debian: its mingw-w64 compiler with POSIX threads, the libraries of
# scripts/cross_libraries.sh, and wine to run what was built. `scripts/setup.sh windows` installs it.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

get_filename_component(CLIPMILL_MINGW_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/windows-mingw" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${CLIPMILL_MINGW_ROOT}" /usr/x86_64-w64-mingw32)
set(CMAKE_PREFIX_PATH /usr /)  # below those folders
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${CLIPMILL_MINGW_ROOT}/usr/lib/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CLIPMILL_MINGW_ROOT}")

# GCC bug 54412: 32-byte vectors on the stack may be misaligned, which faults on Windows and not in
# wine. Moves that need no alignment cost the same where they are aligned.
set(CMAKE_CXX_FLAGS_INIT -Wa,-muse-unaligned-vector-move)
# Programs that need no DLL beside them (scripts/check_dlls.sh).
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(ZLIB_USE_STATIC_LIBS ON)

set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/../../scripts/wine.sh")
