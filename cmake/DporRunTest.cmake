# One test of dpor_add_test: `cmake -DCOMMAND=… -DPROGRAM=… -DJSON=… -P DporRunTest.cmake`.
cmake_minimum_required(VERSION 3.19) # string(JSON)

file(REMOVE "${JSON}") # an old report must not pass for a new one
execute_process(
  COMMAND "${COMMAND}" check --json "${JSON}" ${OPTIONS} "${PROGRAM}" -- ${ARGS}
  RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "dpor check: exit code ${code}; see ${JSON}")
endif()
if(NOT "${EXECUTIONS}" STREQUAL "")
  file(READ "${JSON}" report)
  string(JSON complete GET "${report}" executions complete)
  if(NOT complete EQUAL EXECUTIONS)
    message(FATAL_ERROR "${complete} complete executions, expected ${EXECUTIONS}")
  endif()
endif()
