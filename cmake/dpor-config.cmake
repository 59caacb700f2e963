# find_package(dpor) or find_package(Dpor): the commands beside this file's installation prefix.
#
# Configure with -DCMAKE_TOOLCHAIN_FILE=PREFIX/lib/cmake/dpor/dpor-toolchain.cmake (or with
# -DCMAKE_C_COMPILER=dpor-cc -DCMAKE_CXX_COMPILER=dpor-c++); in a tree of another compiler, build what is to be checked
# with dpor_add_executable (dpor-add-executable.cmake). Then
#
#   dpor_add_test(target [NAME name] [EXECUTIONS n] [BOUND n] [EXPECT kind] [OPTIONS ...] [ARGS ...])
#
# adds a CTest test that checks `target`. It passes if no bug is found and the check is not cut short;
# with BOUND, the executions that need at most n preemptions are checked (a bug that is seen beyond them
# fails the test, too);
# with EXECUTIONS, if also exactly n executions were complete;
# with EXPECT, if and only if there is a finding of that kind (data-race, deadlock, ...).
# NAME is the test's, dpor.TARGET unless given: for several tests of one target, with other ARGS.
# OPTIONS go to `dpor check`, ARGS to the program. The test has the label dpor: `ctest -L dpor`.
#
#   dpor_add_scenario(target [NAME name] [SIZES size...] [CHECK question] [TIME seconds] [EXPECT kind] [OPTIONS ...] [ARGS ...])
#
# adds one that runs `dpor scenario` on `target`, a program of dpor/scenario.hpp or dpor/scenario.h. It passes if no bug is
# found; with SIZES (2x1 3x1 2x2), if all of them are proved. CHECK, TIME and OPTIONS are those of `dpor scenario`.

# The place itself, not a link to it (/lib may be one to /usr/lib).
get_filename_component(DPOR_PREFIX "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(DPOR_PREFIX "${DPOR_PREFIX}/../../.." ABSOLUTE)
find_program(DPOR_COMMAND dpor HINTS "${DPOR_PREFIX}/bin" NO_DEFAULT_PATH)
find_program(DPOR_C_COMPILER dpor-cc HINTS "${DPOR_PREFIX}/bin" NO_DEFAULT_PATH)
find_program(DPOR_CXX_COMPILER dpor-c++ HINTS "${DPOR_PREFIX}/bin" NO_DEFAULT_PATH)
set(DPOR_INCLUDE_DIR "${DPOR_PREFIX}/include")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(${CMAKE_FIND_PACKAGE_NAME}
  REQUIRED_VARS DPOR_COMMAND DPOR_C_COMPILER DPOR_CXX_COMPILER
  VERSION_VAR ${CMAKE_FIND_PACKAGE_NAME}_VERSION)

include("${CMAKE_CURRENT_LIST_DIR}/dpor-add-executable.cmake")

# Whether the tree's compiler of a language instruments; it is asked by its name, which links may have.
function(_dpor_is_instrumenting language result)
  get_filename_component(name "${CMAKE_${language}_COMPILER}" NAME)
  if(name MATCHES "^dpor-(cc|c\\+\\+)$")
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

if(${CMAKE_FIND_PACKAGE_NAME}_FOUND AND NOT ${CMAKE_FIND_PACKAGE_NAME}_FIND_QUIETLY)
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER)
      _dpor_is_instrumenting(${language} instruments)
      if(NOT instruments)
        message(WARNING "dpor: ${CMAKE_${language}_COMPILER} does not compile for dpor, so that targets of this tree cannot "
          "be checked. Configure with -DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_LIST_DIR}/dpor-toolchain.cmake, or build what "
          "is to be checked with dpor_add_executable(NAME SOURCE...); find_package(dpor QUIET) does not say this.")
        break()
      endif()
    endif()
  endforeach()
endif()

set(DPOR_RUN_TEST "${CMAKE_CURRENT_LIST_DIR}/dpor-run-test.cmake")

# Ends the configuration if arguments of a call were not understood.
macro(_dpor_refuse call)
  if(DPOR_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: unknown arguments: ${DPOR_UNPARSED_ARGUMENTS}")
  endif()
  if(DPOR_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${call}: no value for ${DPOR_KEYWORDS_MISSING_VALUES}")
  endif()
endmacro()

function(dpor_add_test target)
  cmake_parse_arguments(PARSE_ARGV 1 DPOR "" "NAME;EXECUTIONS;BOUND;EXPECT" "OPTIONS;ARGS")
  _dpor_refuse("dpor_add_test(${target})")
  foreach(number EXECUTIONS BOUND)
    if(DEFINED DPOR_${number} AND NOT DPOR_${number} MATCHES "^[0-9]+$")
      message(FATAL_ERROR "dpor_add_test(${target}): ${number} ${DPOR_${number}} is no number")
    endif()
  endforeach()
  if(DEFINED DPOR_BOUND)
    list(PREPEND DPOR_OPTIONS --bound ${DPOR_BOUND})
  endif()
  _dpor_add_test(check "${target}")
endfunction()

function(dpor_add_scenario target)
  cmake_parse_arguments(PARSE_ARGV 1 DPOR "" "NAME;CHECK;TIME;EXPECT" "SIZES;OPTIONS;ARGS")
  _dpor_refuse("dpor_add_scenario(${target})")
  if(DEFINED DPOR_CHECK)
    list(PREPEND DPOR_OPTIONS --check ${DPOR_CHECK})
  endif()
  if(DEFINED DPOR_TIME)
    list(PREPEND DPOR_OPTIONS --time ${DPOR_TIME})
  endif()
  if(DEFINED DPOR_SIZES)
    string(REPLACE ";" "," sizes "${DPOR_SIZES}")
    list(PREPEND DPOR_OPTIONS --sizes ${sizes})
  endif()
  _dpor_add_test(scenario "${target}")
endfunction()

# Adds the test, by a command of dpor and the caller's DPOR_ variables.
macro(_dpor_add_test command target)
  if(NOT DEFINED DPOR_NAME)
    set(DPOR_NAME "dpor.${target}")
    set(report "${target}.dpor.json")
  else()
    string(REGEX REPLACE "[^A-Za-z0-9._-]" "_" report "${DPOR_NAME}.dpor.json")
  endif()
  set(program "")
  if(TARGET "${target}")
    get_target_property(program "${target}" DPOR_PROGRAM)
  endif()
  if(NOT program)
    set(program "$<TARGET_FILE:${target}>")
  endif()
  add_test(NAME "${DPOR_NAME}"
    COMMAND "${CMAKE_COMMAND}"
      "-DCOMMAND=${DPOR_COMMAND};${command}" "-DPROGRAM=${program}"
      "-DJSON=${CMAKE_CURRENT_BINARY_DIR}/${report}"
      "-DEXECUTIONS=${DPOR_EXECUTIONS}" "-DEXPECT=${DPOR_EXPECT}"
      "-DOPTIONS=${DPOR_OPTIONS}" "-DARGS=${DPOR_ARGS}"
      -P "${DPOR_RUN_TEST}")
  set_property(TEST "${DPOR_NAME}" PROPERTY LABELS dpor)
endmacro()
