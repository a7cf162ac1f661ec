// Text on its way to a reader: stop strings found across token boundaries, and nothing shown too early.
//
//   weir::TextStream stream({"\n\n", "END"});
//   for (std::string_view bytes : tokens) {
//     std::cout << stream.push(bytes);          // what can be shown by now
//     if (stream.stopped()) break;              // a stop string stood in the text; it is not shown
//   }
//   if (!stream.stopped()) std::cout << stream.flush();
//
// Held back are: the beginning of what may become a stop string, and the bytes of a character that has not ended yet
// (UTF-8; bytes that no character begins with go through as they are).
// The first stop string to end stops the text; of several that end together, the one that begins first.
// Cost: O(bytes * (number and length of the stop strings)). Thread safety: plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

class TextStream {
 public:
  // Empty stop strings are left out. include_stop: the stop string is shown, too.
  explicit TextStream(std::vector<std::string> stops = {}, bool include_stop = false);

  // More of the text; returns what can be shown now and was not before. Nothing more after stopped().
  std::string push(std::string_view bytes);
  // The text has ended: what was held back. Nothing after stopped().
  std::string flush();

  bool stopped() const noexcept { return stopped_; }
  // All that was shown.
  const std::string& shown() const noexcept { return shown_; }

 private:
  std::string show(std::size_t size);

  std::vector<std::string> stops_;
  bool include_stop_;
  bool stopped_ = false;
  std::string pending_;
  std::string shown_;
};

}  // namespace weir
