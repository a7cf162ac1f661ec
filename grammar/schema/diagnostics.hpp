// What a compile has to tell: the first error, which ends it, and warnings. Private to grammar/schema.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/json_document.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/result.hpp"

namespace weir::schema {

class Diagnostics {
 public:
  explicit Diagnostics(const JsonDocument& document) : document_(&document) {}

  // Keeps the first error; every caller then winds up with whatever it has. Returns false, for `return fail(...)`.
  bool fail(ErrorCode code, JsonId place, std::string message) {
    if (!error_) {
      error_ = error_at_pointer(code, document_->pointer(place), std::move(message));
      error_->document = document_->uri(place);
    }
    return false;
  }
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }

  // `subject` (a keyword, a format) is warned of once for each kind of warning.
  void warn(std::string_view subject, std::string_view text, JsonId place) {
    if (warnings_.size() >= kMaxWarnings) return;
    const auto says_so = [&](std::string_view message) {
      return message.size() == subject.size() + text.size() + 3 && message.ends_with(text) &&
             message.substr(1, subject.size()) == subject;
    };
    if (std::any_of(warnings_.begin(), warnings_.end(), [&](const Warning& w) { return says_so(w.message); })) return;
    const std::string& uri = document_->uri(place);
    warnings_.push_back({"\"" + std::string(subject) + "\" " + std::string(text),
                         uri.empty() ? document_->pointer(place) : uri + "#" + document_->pointer(place)});
  }
  std::vector<Warning> take_warnings() { return std::move(warnings_); }

 private:
  static constexpr std::size_t kMaxWarnings = 32;
  const JsonDocument* document_;
  std::optional<Error> error_;
  std::vector<Warning> warnings_;
};

}  // namespace weir::schema
