# Sets WEIR_HAVE_LLAMA, and makes the target `llama` available when it is true. `./dev setup --llm` installs llama.cpp
# with its CMake package into the Python environment build/llm, which is looked into besides the usual places.
include_guard(GLOBAL)
set(WEIR_HAVE_LLAMA FALSE)
if(NOT WEIR_LLAMA)
  return()
endif()

file(GLOB weir_llm_prefixes "${CMAKE_CURRENT_SOURCE_DIR}/build/llm/lib/python3*/site-packages"
     "${CMAKE_CURRENT_SOURCE_DIR}/build/llm/lib/python3*/site-packages/llama_cpp")
if(WEIR_LLAMA STREQUAL "AUTO")
  find_package(llama QUIET HINTS ${weir_llm_prefixes})
else()
  find_package(llama REQUIRED HINTS ${weir_llm_prefixes})
endif()
if(llama_FOUND)
  set(WEIR_HAVE_LLAMA TRUE)
endif()
message(STATUS "weir: llama.cpp ${llama_FOUND}")
