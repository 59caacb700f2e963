# One test of dpor_add_test or dpor_add_scenario: `cmake "-DCOMMAND=dpor;check" -DPROGRAM=… -DJSON=… -P dpor-run-test.cmake`.
cmake_minimum_required(VERSION 3.19) # string(JSON)

file(REMOVE "${JSON}") # an old report must not pass for a new one
execute_process(
  COMMAND ${COMMAND} --json "${JSON}" ${OPTIONS} "${PROGRAM}" -- ${ARGS}
  RESULT_VARIABLE code)

# 0 and 42 are verdicts about the program; so are 3 and 4, where there may be findings nevertheless.
if(NOT code MATCHES "^(0|3|4|42)$")
  message(FATAL_ERROR "dpor: ${code}; nothing is known about ${PROGRAM}")
endif()
if(EXPECT STREQUAL "" AND NOT code EQUAL 0)
  message(FATAL_ERROR "dpor: exit code ${code}; see ${JSON}")
endif()
if(EXPECT STREQUAL "" AND EXECUTIONS STREQUAL "")
  return()
endif()

if(NOT EXISTS "${JSON}")
  message(FATAL_ERROR "no report ${JSON}: EXECUTIONS and EXPECT are for one check, not for --test-filter")
endif()
file(READ "${JSON}" report)
if(NOT EXECUTIONS STREQUAL "")
  string(JSON complete GET "${report}" executions complete)
  if(NOT complete EQUAL EXECUTIONS)
    message(FATAL_ERROR "${complete} complete executions, expected ${EXECUTIONS}")
  endif()
endif()
if(NOT EXPECT STREQUAL "")
  set(kinds)
  string(JSON count LENGTH "${report}" findings)
  if(count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(number RANGE ${last})
      string(JSON kind GET "${report}" findings ${number} kind)
      list(APPEND kinds "${kind}")
    endforeach()
  endif()
  if(NOT EXPECT IN_LIST kinds)
    message(FATAL_ERROR "expected a finding ${EXPECT}, found: ${kinds} (exit code ${code}). "
      "The check ends with the first bug unless OPTIONS has --keep-going")
  endif()
endif()
