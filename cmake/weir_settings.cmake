# Settings of the whole build: language level, build type, warnings, sanitizers, where programs go. A project that adds
# weir as a subdirectory keeps its own settings; it only gets the language level that weir's headers need.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the static rooms also go into the Python module

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")

find_program(WEIR_CCACHE ccache)
mark_as_advanced(WEIR_CCACHE)
if(WEIR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${WEIR_CCACHE}")
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # wrong about "text" + std::string (GCC bug 105329)
endif()
if(WEIR_WERROR)
  # The exceptions need the optimiser to guess well, and are wrong at times.
  add_compile_options(-Werror -Wno-error=maybe-uninitialized -Wno-error=stringop-overflow -Wno-error=array-bounds)
endif()

if(WEIR_SANITIZE)
  # No recovery: the first finding ends the program with a failure, so no test can pass over one.
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
