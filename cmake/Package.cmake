# SPDX-License-Identifier: MIT
# Debian packages: clipmill, the program, and libclipmill-dev, the library. scripts/package.sh makes
# them from the preset `package`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME clipmill)
set(CPACK_PACKAGE_VENDOR "clipmill developers")
set(CPACK_PACKAGE_CONTACT "clipmill developers <developers@clipmill.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # or it would be put before those of both packages
set(CPACK_COMPONENTS_ALL runtime devel)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME clipmill)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON CACHE BOOL "Find what the program depends on")
# The first line of each is its synopsis.
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Offline processor for skeletal animation clips
Reads FBX, glTF, GLB and VRM files, runs a recipe of stages over their clips
(hair, tails and skirts that swing, leaps that end elsewhere, limbs that stay
out of the body, elbows that keep their volume, fades and edits), and writes
the result back as keyframes into the same file, leaving everything it did
not have to change as it was.")

set(CPACK_DEBIAN_DEVEL_PACKAGE_NAME libclipmill-dev)
set(CPACK_DEBIAN_DEVEL_PACKAGE_SECTION libdevel)
string(CONCAT CPACK_DEBIAN_DEVEL_PACKAGE_DEPENDS
  "clipmill (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), libglm-dev, libhwy-dev, "
  "libmeshoptimizer-dev, libpng-dev, libspdlog-dev, libtomlplusplus-dev, libwebp-dev, "
  "libxxhash-dev, pkg-config, zlib1g-dev")
set(CPACK_COMPONENT_DEVEL_DESCRIPTION "Library for skeletal animation clips, development files
The static library behind the program clipmill, with its headers and a CMake
package: find_package(clipmill).")

# What packages of Debian hold besides, and not what they call by another name.
if(CLIPMILL_DEBIAN)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
            date --utc --date=${CLIPMILL_RELEASE_DATE} "+%a, %d %b %Y %H:%M:%S +0000"
    OUTPUT_VARIABLE release_time OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(debian ${PROJECT_BINARY_DIR}/debian)
  configure_file(cmake/debian/changelog.in ${debian}/changelog.Debian @ONLY)
  configure_file(CHANGELOG.md ${debian}/changelog COPYONLY)
  execute_process(COMMAND gzip --best --no-name --force --keep changelog.Debian changelog
    WORKING_DIRECTORY ${debian} COMMAND_ERROR_IS_FATAL ANY)
  foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    install(FILES cmake/debian/copyright ${debian}/changelog.Debian.gz ${debian}/changelog.gz
      DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
  endforeach()
endif()

include(CPack)
