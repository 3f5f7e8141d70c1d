# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
#
# Clips as a step of a build:
#
#   find_package(clipmill REQUIRED)
#   clipmill_add_clips(
#     TARGET name            # a target, part of "all", that makes the outputs
#     RECIPE recipe.toml
#     INPUTS file...         # one output each
#     OUT_DIR dir            # outputs lie in it as the inputs lie below BASE_DIR
#     [BASE_DIR dir]         # default: the source folder; an input outside of it gives its name
#     [ARGS argument...])    # further arguments of clipmill run, e.g. --clip Walk
#
# One command a clip: a clip is made again when its file, a file that this one or the recipe refers
# to, the recipe or the program changes. Paths that are not absolute are those of the source folder,
# and of the binary folder for OUT_DIR. Rules of the recipe see the path below BASE_DIR. The outputs
# are the property CLIPMILL_OUTPUTS of the target. A recipe that asks for several outputs of one
# clip (distance_m = [3, 4]) does not fit in: use one call for each.
#
# The program is the target clipmill of the same build if there is one, else CLIPMILL_PROGRAM, which
# find_package(clipmill) sets. Where clipmill is not installed, include() this file instead.
# Projects need cmake_minimum_required(VERSION 3.20) or later, and Ninja or Makefiles.

if(NOT TARGET clipmill AND NOT CLIPMILL_PROGRAM)
  find_program(CLIPMILL_PROGRAM clipmill DOC "The program clipmill" REQUIRED)
endif()

function(clipmill_add_clips)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "TARGET;RECIPE;OUT_DIR;BASE_DIR" "INPUTS;ARGS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "clipmill_add_clips: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  foreach(needed TARGET RECIPE OUT_DIR INPUTS)
    if(NOT ARG_${needed})
      message(FATAL_ERROR "clipmill_add_clips: ${needed} is missing")
    endif()
  endforeach()
  # Older policies leave the paths of dependency files as they are, which no generator then finds.
  cmake_policy(GET CMP0116 relative_depfiles)
  if(NOT relative_depfiles STREQUAL "NEW")
    message(FATAL_ERROR "clipmill_add_clips needs cmake_minimum_required(VERSION 3.20) or later")
  endif()

  set(program "${CLIPMILL_PROGRAM}")
  if(TARGET clipmill)
    set(program "$<TARGET_FILE:clipmill>")
  endif()
  if(NOT ARG_BASE_DIR)
    set(ARG_BASE_DIR .)
  endif()
  get_filename_component(base "${ARG_BASE_DIR}" ABSOLUTE)
  get_filename_component(recipe "${ARG_RECIPE}" ABSOLUTE)
  get_filename_component(out_dir "${ARG_OUT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set(depfiles "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${ARG_TARGET}.clips")

  set(outputs "")
  foreach(given IN LISTS ARG_INPUTS)
    get_filename_component(input "${given}" ABSOLUTE)
    file(RELATIVE_PATH relative "${base}" "${input}")
    if(relative MATCHES "^\\.\\./")
      get_filename_component(relative "${input}" NAME)
    endif()
    set(output "${out_dir}/${relative}")
    if(output IN_LIST outputs)
      message(FATAL_ERROR "clipmill_add_clips: two inputs would be written to ${output}")
    endif()
    get_filename_component(output_folder "${output}" DIRECTORY)
    get_filename_component(depfile_folder "${depfiles}/${relative}" DIRECTORY)
    add_custom_command(
      OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${output_folder}" "${depfile_folder}"
      COMMAND "${program}" run "${input}" --recipe "${recipe}" --relative-name "${relative}"
              -o "${output}" --depfile "${depfiles}/${relative}.d" -q ${ARG_ARGS}
      DEPENDS "${input}" "${recipe}" "${program}"
      DEPFILE "${depfiles}/${relative}.d"
      COMMENT "clipmill ${relative}"
      VERBATIM)
    list(APPEND outputs "${output}")
  endforeach()
  add_custom_target("${ARG_TARGET}" ALL DEPENDS ${outputs})
  set_property(TARGET "${ARG_TARGET}" PROPERTY CLIPMILL_OUTPUTS "${outputs}")
endfunction()
