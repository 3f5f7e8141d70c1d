# SPDX-License-Identifier: MIT

# Compiles the test sources of a target in groups of `batch` files: most of the time goes into
# headers that all of them include. Helpers of two tests may have the same name, so each source
# is in a namespace of its own. What it includes is included before, outside of the namespace.
# Sources that open a namespace, have preprocessor conditions
# or definitions of their own are compiled alone, and those with HEADER_FILE_ONLY not at all. Call it
# after the properties of sources are set.
function(clipmill_group_tests target batch)
  if(NOT CLIPMILL_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "_test\\.cc$")
  set(count 0)
  set(group 0)
  set(includes)
  set(text)
  foreach(source IN LISTS sources)
    file(READ ${source} content)
    get_source_file_property(is_left_out ${source} HEADER_FILE_ONLY)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(NOT is_left_out AND NOT definitions AND NOT content MATCHES "\n(namespace [a-z]|template <>|#if|#define)")
      get_filename_component(folder ${source} DIRECTORY)
      string(REGEX MATCHALL "#include [<\"][^>\"]+[>\"]" lines "${content}")
      foreach(line IN LISTS lines)
        string(REGEX REPLACE "#include \"([^/\"]+)\"" "${folder}/\\1" beside "${line}")
        if(EXISTS "${beside}")
          set(line "#include \"${beside}\"")
        endif()
        list(APPEND includes "${line}")
      endforeach()
      string(APPEND text "namespace test_${count} {\n#include \"${source}\"\n}\n")
      set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
      math(EXPR count "${count} + 1")
      math(EXPR rest "${count} % ${batch}")
      if(rest EQUAL 0)
        clipmill_write_test_group(${target} ${group} "${includes}" "${text}")
        math(EXPR group "${group} + 1")
        set(includes)
        set(text)
      endif()
    endif()
  endforeach()
  if(text)
    clipmill_write_test_group(${target} ${group} "${includes}" "${text}")
  endif()
endfunction()

# One group of clipmill_group_tests; written only where it changed, so that nothing is compiled
# again without need.
function(clipmill_write_test_group target group includes text)
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" lines)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/test_group_${group}.cc)
  file(CONFIGURE OUTPUT ${file} CONTENT "${lines}\n${text}" @ONLY)
  target_sources(${target} PRIVATE ${file})
endfunction()
