# SPDX-License-Identifier: MIT
# What `cmake --install` puts where. Component `runtime` is the program, with all that it needs and
# the CMake function that runs it in builds; component `devel` is the library.
include(CMakePackageConfigHelpers)

install(FILES README.md DESTINATION share/doc/clipmill COMPONENT runtime)
if(NOT CLIPMILL_DEBIAN)
  install(FILES CHANGELOG.md LICENSE DESTINATION share/doc/clipmill COMPONENT runtime)
endif()
install(DIRECTORY docs samples DESTINATION share/doc/clipmill COMPONENT runtime)

# Projects without a language look into share alone. What the library is made of is beside it.
set(CLIPMILL_CMAKE_DIR share/cmake/clipmill)
set(CLIPMILL_LIBRARY_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/clipmill)
configure_package_config_file(cmake/clipmillConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/clipmillConfig.cmake
  INSTALL_DESTINATION ${CLIPMILL_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_BINDIR CLIPMILL_LIBRARY_CMAKE_DIR)
# Before 1.0 a new minor version may change names and signatures.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/clipmillConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/clipmillConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/clipmillConfigVersion.cmake
  cmake/ClipmillAddClips.cmake
  cmake/ClipmillLibraries.cmake
  DESTINATION ${CLIPMILL_CMAKE_DIR} COMPONENT runtime)

install(EXPORT clipmill_library FILE clipmillLibrary.cmake NAMESPACE clipmill::
  DESTINATION ${CLIPMILL_LIBRARY_CMAKE_DIR} COMPONENT devel)

# The headers by which the library is used; those that they include are installed with them.
set(CLIPMILL_PUBLIC_HEADERS
  core/hash.h core/log.h core/parallel.h core/portable_math.h core/settings.h core/text.h
  anim/euler.h anim/key_reduction.h anim/motion.h
  mesh/skinning.h
  scene/find_clip.h scene/pose_diff.h scene/resample.h scene/scene.h
  humanoid/humanoid.h humanoid/joint_layout.h
  locomotion/foot_contacts.h locomotion/root_motion.h
  retarget/clip_transfer.h
  measure/clip_check.h measure/limb_penetration.h measure/limb_volumes.h
  render/movie.h render/png.h render/sheet.h render/webp.h
  io/conversion.h io/document.h io/io.h
  stages/registry.h
  pipeline/check_report.h pipeline/info.h pipeline/poses.h pipeline/recipe.h
  pipeline/report.h pipeline/run.h pipeline/split.h pipeline/springs.h
  batch/batch.h batch/inputs.h batch/jobs.h
  pages/batch_page.h pages/preview.h)
install(CODE "
  set(headers ${CLIPMILL_PUBLIC_HEADERS})
  set(source_folder \"${PROJECT_SOURCE_DIR}/src\")
  set(header_folder \"${CMAKE_INSTALL_INCLUDEDIR}/clipmill\")" COMPONENT devel)
install(SCRIPT cmake/InstallHeaders.cmake COMPONENT devel)
