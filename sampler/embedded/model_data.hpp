// The model in this folder, put into the library when it is built (weir_embed.cmake).
#pragma once

#include <string_view>

namespace weir {

// "model.bin".
std::string_view embedded_model_file(std::string_view file) noexcept;

}  // namespace weir
