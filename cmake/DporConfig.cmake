# find_package(Dpor) finds the commands beside this file's installation prefix.
#
# Configure with -DCMAKE_C_COMPILER=dpor-cc (and -DCMAKE_CXX_COMPILER=dpor-c++), then
#
#   dpor_add_test(target [EXECUTIONS n] [OPTIONS ...] [ARGS ...])
#
# adds a CTest test that checks `target`: it passes if the program is verified, and, with
# EXECUTIONS, if exactly n executions were complete. OPTIONS go to `dpor check`, ARGS to the program.

get_filename_component(DPOR_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(DPOR_COMMAND dpor HINTS "${DPOR_PREFIX}/bin" NO_DEFAULT_PATH)
find_program(DPOR_C_COMPILER dpor-cc HINTS "${DPOR_PREFIX}/bin" NO_DEFAULT_PATH)
find_program(DPOR_CXX_COMPILER dpor-c++ HINTS "${DPOR_PREFIX}/bin" NO_DEFAULT_PATH)
set(DPOR_INCLUDE_DIR "${DPOR_PREFIX}/include")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Dpor
  REQUIRED_VARS DPOR_COMMAND DPOR_C_COMPILER DPOR_CXX_COMPILER)

set(DPOR_RUN_TEST "${CMAKE_CURRENT_LIST_DIR}/DporRunTest.cmake")

function(dpor_add_test target)
  cmake_parse_arguments(DPOR "" "EXECUTIONS" "OPTIONS;ARGS" ${ARGN})
  add_test(NAME "dpor.${target}"
    COMMAND "${CMAKE_COMMAND}"
      "-DCOMMAND=${DPOR_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${target}>"
      "-DJSON=${CMAKE_CURRENT_BINARY_DIR}/${target}.dpor.json"
      "-DEXECUTIONS=${DPOR_EXECUTIONS}" "-DOPTIONS=${DPOR_OPTIONS}" "-DARGS=${DPOR_ARGS}"
      -P "${DPOR_RUN_TEST}")
endfunction()
