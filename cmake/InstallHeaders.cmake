# SPDX-License-Identifier: MIT
# Installs `headers`, paths below `source_folder`, and all headers of that folder which they include
# into `header_folder`. A part of the install script.
cmake_policy(VERSION 3.25)
set(installed "")
while(headers)
  list(POP_FRONT headers header)
  if(header IN_LIST installed)
    continue()
  endif()
  list(APPEND installed ${header})
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL "${source_folder}/${header}"
    DESTINATION "${CMAKE_INSTALL_PREFIX}/${header_folder}/${folder}")
  file(STRINGS "${source_folder}/${header}" includes REGEX "^#include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${include}")
    list(APPEND headers ${included})
  endforeach()
endwhile()
