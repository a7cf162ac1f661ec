// The bytes of model.bin, put into the library when it is built (embed.cmake).
#pragma once

#include <string_view>

namespace weir {

std::string_view embedded_model_data() noexcept;

}  // namespace weir
