#include "weir/sampler/text_stream.hpp"

#include <algorithm>
#include <cstdint>

namespace weir {
namespace {

// The length of the longest end of `text` that begins a stop string without being all of it.
std::size_t begun(std::string_view text, std::string_view stop) {
  for (std::size_t size = std::min(text.size(), stop.size() - 1); size > 0; --size) {
    if (text.substr(text.size() - size) == stop.substr(0, size)) return size;
  }
  return 0;
}

// How many bytes at the end of `text` are a character that has begun and not ended.
std::size_t unfinished_character(std::string_view text) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(3, text.size()); ++size) {
    const auto byte = static_cast<std::uint8_t>(text[text.size() - size]);
    if ((byte & 0xC0U) == 0x80U) continue;  // inside a character
    const std::size_t needed = byte >= 0xF0U && byte < 0xF5U   ? 4
                               : byte >= 0xE0U && byte < 0xF0U ? 3
                               : byte >= 0xC2U && byte < 0xE0U ? 2
                                                               : 1;
    return needed > size ? size : 0;
  }
  return 0;
}

}  // namespace

TextStream::TextStream(std::vector<std::string> stops, bool include_stop)
    : stops_(std::move(stops)), include_stop_(include_stop) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

std::string TextStream::show(std::size_t size) {
  std::string text = pending_.substr(0, size);
  pending_.erase(0, size);
  shown_ += text;
  return text;
}

std::string TextStream::push(std::string_view bytes) {
  if (stopped_) return {};
  pending_ += bytes;
  std::size_t first_end = std::string::npos;
  std::size_t begin = 0;
  for (const std::string& stop : stops_) {
    const std::size_t at = pending_.find(stop);
    if (at == std::string::npos) continue;
    const std::size_t end = at + stop.size();
    if (end < first_end || (end == first_end && at < begin)) {
      first_end = end;
      begin = at;
    }
  }
  if (first_end != std::string::npos) {
    std::string text = show(include_stop_ ? first_end : begin);
    stopped_ = true;
    return text;
  }
  std::size_t held = unfinished_character(pending_);
  for (const std::string& stop : stops_) held = std::max(held, begun(pending_, stop));
  // Cutting before what may be a stop string must not cut a character, either.
  const std::size_t size = pending_.size() - held;
  return show(size - unfinished_character(std::string_view(pending_).substr(0, size)));
}

std::string TextStream::flush() { return stopped_ ? std::string() : show(pending_.size()); }

}  // namespace weir
