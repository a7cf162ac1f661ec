# cmake -DFOLDER=embedded "-DFILES=a.bin|b/c.json" -DHEADER=embedded/data.hpp -DFUNCTION=embedded_data -DOUTPUT=data.cpp
#       -P embed.cmake: a C++ source that defines the function of the header, from the name of a file to its bytes.
# As string literals side by side, which compile far faster than a list of numbers; one for each 4 KiB of a file.
string(REPLACE "|" ";" files "${FILES}")
set(arrays "")
set(lines "")
set(number 0)
foreach(name IN LISTS files)
  file(SIZE "${FOLDER}/${name}" size)
  string(APPEND arrays "constexpr char kData${number}[] =\n")
  set(at 0)
  while(at LESS size)
    file(READ "${FOLDER}/${name}" hex OFFSET ${at} LIMIT 4096 HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" line "${hex}")
    string(APPEND arrays "    \"${line}\"\n")
    math(EXPR at "${at} + 4096")
  endwhile()
  string(APPEND arrays "    ;\n")
  string(APPEND lines "  if (file == \"${name}\") return {kData${number}, sizeof(kData${number}) - 1};\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by embed.cmake.
#include \"${HEADER}\"

namespace weir {
namespace {

${arrays}
}  // namespace

std::string_view ${FUNCTION}(std::string_view file) noexcept {
${lines}  return {};
}

}  // namespace weir
")
