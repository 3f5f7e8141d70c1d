# SPDX-License-Identifier: MIT
# Flags that every target of the project is built with.
add_library(clipmill_options INTERFACE)
if(NOT MSVC)
  target_compile_options(clipmill_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    $<$<BOOL:${CLIPMILL_WERROR}>:-Werror>
    # One rounding per operation, so that every machine computes the same bits.
    -ffp-contract=off
    # Nothing replaces functions of a shared library, so that they may be inlined.
    -fno-semantic-interposition)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Known false positives of g++ 12 at -O2/-O3 inside the standard library.
    target_compile_options(clipmill_options INTERFACE
      -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict)
  endif()
endif()

if(MSVC)  # from its documentation: not run yet
  target_compile_options(clipmill_options INTERFACE
    # One rounding per operation, sources in UTF-8, the language as the standard has it.
    /fp:precise /utf-8 /permissive- /Zc:preprocessor /Zc:__cplusplus /bigobj /EHsc
    /W3 $<$<BOOL:${CLIPMILL_WERROR}>:/WX>)
  target_compile_definitions(clipmill_options INTERFACE NOMINMAX _CRT_SECURE_NO_WARNINGS)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  # Vectors of SVE have no size at compile time, and those of the kernels are members of structs.
  target_compile_definitions(clipmill_options INTERFACE
    "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
endif()

if(MINGW)
  target_compile_options(clipmill_options INTERFACE
    "SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/windows/utf8_paths.h")
endif()
if(EMSCRIPTEN)
  # Where clang 14 makes vectors of plain code for WebAssembly, a few sums end in other bits: matrices
  # times points in mesh/skinning.cc. With both kinds of them off, results are those of Linux.
  target_compile_options(clipmill_options INTERFACE -fno-vectorize -fno-slp-vectorize
    "SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/wasm/libcxx13.h")
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

# Eigen gives the same bits on every machine: its vectors of ARM fuse multiply and add under any
# flags, and it cuts products to fit the caches that it finds, in another order of sums. The
# sizes are those of a common processor.
add_library(clipmill_eigen INTERFACE)
target_link_libraries(clipmill_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(clipmill_eigen INTERFACE
  EIGEN_MPL2_ONLY EIGEN_DONT_VECTORIZE EIGEN_DONT_PARALLELIZE EIGEN_NO_CPUID
  EIGEN_DEFAULT_L1_CACHE_SIZE=32768 EIGEN_DEFAULT_L2_CACHE_SIZE=262144
  EIGEN_DEFAULT_L3_CACHE_SIZE=2097152)

# Highway compiles its kernels for ARM with this feature, but GCC 12 compiles what it makes by itself,
# such as constructors of structs of vectors, without, and then cannot inline one in the other. No
# kernel has an instruction of it. In WebAssembly, vectors of Highway 1.0.3 have no doubles: its target
# of plain loops serves.
function(clipmill_simd_options target)
  if(EMSCRIPTEN)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "_simd\\.cc$")
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_DEFINITIONS HWY_DISABLED_TARGETS=HWY_WASM)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "_simd\\.cc$")
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -march=armv8-a+crypto)
  endif()
endfunction()

# Compiles the sources of a target in groups of `batch` files: a cold build takes a third of the
# time. Files named *_simd.cc compile themselves once for each instruction set and stay alone.
function(clipmill_unity target batch)
  if(NOT CLIPMILL_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "_simd\\.cc$")
  if(sources)
    set_source_files_properties(${sources} TARGET_DIRECTORY ${target}
      PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# For code around the stages: -O3 takes up to a third longer to compile than -O2, and no difference of
# runs was larger than the noise. Reading FBX and glTF is another matter: it takes longer.
function(clipmill_compile_sooner)
  if(MSVC)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  endforeach()
endfunction()
