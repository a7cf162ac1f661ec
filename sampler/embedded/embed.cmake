# cmake -DINPUT=model.bin -DOUTPUT=model_data.cpp -P embed.cmake: a C++ source whose array holds the file's bytes.
# As string literals side by side, which compile far faster than a list of numbers; one for each 4 KiB of the file.
file(SIZE "${INPUT}" size)
set(content "")
set(at 0)
while(at LESS size)
  file(READ "${INPUT}" hex OFFSET ${at} LIMIT 4096 HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" line "${hex}")
  string(APPEND content "    \"${line}\"\n")
  math(EXPR at "${at} + 4096")
endwhile()
file(WRITE "${OUTPUT}" "// Made by embed.cmake.
#include \"embedded/model_data.hpp\"

namespace weir {
namespace {

constexpr char kData[] =
${content}    ;

}  // namespace

std::string_view embedded_model_data() noexcept { return {kData, sizeof(kData) - 1}; }

}  // namespace weir
")
