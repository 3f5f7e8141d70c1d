# SPDX-License-Identifier: MIT
# Makes the samples anew and fails where a file differs from the committed one, or exists in only
# one of the two folders.
file(REMOVE_RECURSE ${OUT_DIR})
execute_process(COMMAND ${MAKE_SAMPLES} ${OUT_DIR} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "make_samples failed: ${status}")
endif()
file(GLOB_RECURSE made RELATIVE ${OUT_DIR} ${OUT_DIR}/*.glb ${OUT_DIR}/*.fbx)
file(GLOB_RECURSE committed RELATIVE ${COMMITTED_DIR} ${COMMITTED_DIR}/*.glb
  ${COMMITTED_DIR}/*.fbx)
if(NOT "${made}" STREQUAL "${committed}")
  message(FATAL_ERROR "made: ${made}\ncommitted: ${committed}")
endif()
foreach(path IN LISTS made)
  file(SHA256 ${OUT_DIR}/${path} made_hash)
  file(SHA256 ${COMMITTED_DIR}/${path} committed_hash)
  if(NOT made_hash STREQUAL committed_hash)
    message(FATAL_ERROR "samples/${path} is not what make_samples makes; run: make_samples samples")
  endif()
endforeach()
