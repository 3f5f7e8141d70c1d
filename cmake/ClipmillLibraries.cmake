# SPDX-License-Identifier: MIT
# Libraries that have a CMake package on some systems, and are known to pkg-config alone on others:
# the targets clipmill_library::NAME. A part of the build and of find_package(clipmill).

# clipmill_find_library(NAME PACKAGE TARGET MODULE): MODULE of pkg-config, or where that does not
# have it, as on Windows, TARGET of find_package(PACKAGE). Sets clipmill_missing_library to what
# was not found.
function(clipmill_find_library name package target module)
  if(TARGET clipmill_library::${name})
    return()
  endif()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    string(TOUPPER ${name} prefix)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()
  if(TARGET PkgConfig::${prefix})
    set(target PkgConfig::${prefix})
  else()
    find_package(${package} CONFIG QUIET)
  endif()
  if(NOT TARGET ${target})
    set(clipmill_missing_library "${package} (${module} of pkg-config)" PARENT_SCOPE)
    return()
  endif()
  add_library(clipmill_library::${name} INTERFACE IMPORTED GLOBAL)
  set_target_properties(clipmill_library::${name} PROPERTIES INTERFACE_LINK_LIBRARIES ${target})
endfunction()

clipmill_find_library(hwy hwy hwy::hwy libhwy)
clipmill_find_library(xxhash xxHash xxHash::xxhash libxxhash)
clipmill_find_library(webp WebP WebP::webp libwebp)
clipmill_find_library(webpmux WebP WebP::libwebpmux libwebpmux)
