# SPDX-License-Identifier: MIT
# Flags that every target of the house is built with.
add_library(clipmill_options INTERFACE)
if(NOT MSVC)
  target_compile_options(clipmill_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror
    # One rounding per operation, so that every machine computes the same bits.
    -ffp-contract=off)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Known false positives of g++ 12 at -O2/-O3 inside the standard library.
    target_compile_options(clipmill_options INTERFACE
      -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict)
  endif()
endif()

if(CLIPMILL_SANITIZE)
  target_compile_options(clipmill_options INTERFACE
    -fsanitize=${CLIPMILL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(clipmill_options INTERFACE -fsanitize=${CLIPMILL_SANITIZE})
  # Where faults are looked for, assertions look too.
  target_compile_options(clipmill_options INTERFACE -UNDEBUG)
endif()
if(CLIPMILL_FUZZ)
  target_compile_options(clipmill_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
