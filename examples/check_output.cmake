# Runs PROGRAM, which must succeed and print what the file EXPECTED holds: one regular expression of CMake's for it all.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} failed (${status}): ${errors}")
endif()
file(READ "${EXPECTED}" expected)
if(NOT output MATCHES "^${expected}$")
  message(FATAL_ERROR "wrong output:\n${output}\nwanted, as a regular expression:\n${expected}")
endif()
