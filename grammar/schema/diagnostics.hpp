// What a compile has to tell: the first error, which ends it, and warnings. Private to grammar/schema.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "schema/json_document.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/result.hpp"

namespace weir::schema {

// What a lenient compile does without.
struct PassedOver {
  std::unordered_set<JsonId> keywords;
  std::unordered_set<JsonId> one_of;  // keywords that are read as anyOf
};

class Diagnostics {
 public:
  explicit Diagnostics(const JsonDocument& document, const PassedOver* passed_over = nullptr)
      : document_(&document), passed_over_(passed_over) {}

  bool passes_over(JsonId keyword) const {
    return passed_over_ != nullptr && passed_over_->keywords.contains(document_->origin(keyword));
  }
  bool reads_as_any_of(JsonId one_of) const {
    return passed_over_ != nullptr && passed_over_->one_of.contains(document_->origin(one_of));
  }

  // Keeps the first error; every caller then winds up with whatever it has. Returns false, for `return fail(...)`.
  bool fail(ErrorCode code, JsonId place, std::string message) {
    if (error_) return false;
    error_ = error_at_pointer(code, document_->pointer(place), std::move(message));
    error_->document = document_->uri(place);
    place_ = place;
    return false;
  }
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  JsonId error_place() const { return place_; }

  // `subject` (a keyword, a format) is warned of once for each kind of warning.
  void warn(std::string_view subject, std::string_view text, JsonId place) {
    if (warnings_.size() > kMaxWarnings) return;
    const auto says_so = [&](std::string_view message) {
      return message.size() == subject.size() + text.size() + 3 && message.ends_with(text) &&
             message.substr(1, subject.size()) == subject;
    };
    if (std::any_of(warnings_.begin(), warnings_.end(), [&](const Warning& w) { return says_so(w.message); })) return;
    const std::string& uri = document_->uri(place);
    std::string pointer = uri.empty() ? document_->pointer(place) : uri + "#" + document_->pointer(place);
    if (warnings_.size() == kMaxWarnings) {
      warnings_.push_back({"this and further warnings are left out", std::move(pointer)});
      return;
    }
    warnings_.push_back({"\"" + std::string(subject) + "\" " + std::string(text), std::move(pointer)});
  }
  std::vector<Warning> take_warnings() { return std::move(warnings_); }

 private:
  static constexpr std::size_t kMaxWarnings = 32;
  const JsonDocument* document_;
  const PassedOver* passed_over_;
  std::optional<Error> error_;
  JsonId place_ = kNoJson;
  std::vector<Warning> warnings_;
};

}  // namespace weir::schema
