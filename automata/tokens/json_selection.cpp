#include "tokens/json_selection.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "weir/grammar/detail/json_pointer.hpp"

namespace weir {

using nlohmann::json;

namespace {
constexpr std::size_t kLongestMessage = 200;
}

// Implements nlohmann's SAX interface. Its parser keeps its own stack, so the depth of the text is no danger to ours;
// the limit is for the tree that is built here.
class JsonSelectionEvents {
 public:
  JsonSelectionEvents(const JsonSelection& selection, std::string_view text) : selection_(selection), text_(text) {}

  bool null() {
    return scalar([] { return json(nullptr); }, [](auto& s) { return s.other(); });
  }
  bool boolean(bool value) {
    return scalar([&] { return json(value); }, [](auto& s) { return s.other(); });
  }
  bool number_integer(std::int64_t value) {
    return scalar([&] { return json(value); }, [](auto& s) { return s.number(std::nullopt); });
  }
  bool number_unsigned(std::uint64_t value) {
    return scalar([&] { return json(value); }, [&](auto& s) { return s.number(value); });
  }
  bool number_float(double value, const std::string&) {
    return scalar([&] { return json(value); }, [](auto& s) { return s.number(std::nullopt); });
  }
  bool string(std::string& value) {
    return scalar([&] { return json(std::move(value)); }, [&](auto& s) { return s.string(value); });
  }
  bool binary(json::binary_t&) { return false; }  // JSON has none

  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (part_depth_ != 0) return part_ == nullptr || check(part_->key(name));
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& exception) {
    // nlohmann says "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...; last
    // read: '...'", or "[json.exception.out_of_range.406] number overflow ...". What was last read may be megabytes
    // long, or not text at all.
    std::string_view what = exception.what();
    if (const std::size_t at = what.find("syntax error"); at != std::string_view::npos) {
      what.remove_prefix(at);
    } else if (const std::size_t bracket = what.find("] "); bracket != std::string_view::npos) {
      what.remove_prefix(bracket + 2);
    }
    what = what.substr(0, std::min(what.find("; last read:"), kLongestMessage));
    error_ = error_at_offset(ErrorCode::kSyntax, text_, position == 0 ? 0 : position - 1,
                             fmt::format("this is not well-formed JSON: {}", what));
    return false;
  }

  std::optional<Error>& error() { return error_; }
  json& tree() { return tree_; }

 private:
  bool check(const Status& status) {
    if (status) return true;
    error_ = status.error();
    return false;
  }

  // Is the value that starts now one that is streamed or skipped? Only members of the root and of its members are.
  const std::pair<std::string, JsonSelection::Stream*>* selected() const {
    if (open_.empty() || open_.size() > 2 || !open_.back()->is_object()) return nullptr;
    const std::string pointer = pointer_to(open_.size() == 2 ? first_pointer_ : std::string(), key_);
    for (const auto& entry : selection_.streams_) {
      if (entry.first == pointer) return &entry;
    }
    return nullptr;
  }

  json* place(json value) {
    if (open_.empty()) return &(tree_ = std::move(value));
    json& parent = *open_.back();
    if (parent.is_array()) return &parent.emplace_back(std::move(value));
    return &(parent[key_] = std::move(value));
  }

  template <class Make, class Send>
  bool scalar(Make make, Send send) {
    if (part_depth_ != 0) return part_ == nullptr || check(send(*part_));
    if (const auto* entry = selected()) return entry->second == nullptr || check(send(*entry->second));
    place(make());
    return true;
  }

  bool open(bool object) {
    if (part_depth_ == 0) {
      if (const auto* entry = selected()) {
        part_ = entry->second;
        if (part_ == nullptr) place(object ? json::object() : json::array());
      } else {
        return open_in_tree(object);
      }
    }
    if (!deeper(open_.size() + part_depth_)) return false;
    ++part_depth_;
    return part_ == nullptr || check(part_->open(object));
  }

  bool open_in_tree(bool object) {
    if (!deeper(open_.size())) return false;
    if (open_.size() == 1) first_pointer_ = pointer_to("", key_);
    open_.push_back(place(object ? json::object() : json::array()));
    return true;
  }

  bool close() {
    if (part_depth_ == 0) {
      open_.pop_back();
      return true;
    }
    --part_depth_;
    return part_ == nullptr || check(part_->close());
  }

  bool deeper(std::size_t depth) {
    if (depth < selection_.limits_.max_depth) return true;
    error_ = make_error(ErrorCode::kLimit, fmt::format("the JSON is nested deeper than Limits::max_depth = {}",
                                                       selection_.limits_.max_depth));
    return false;
  }

  const JsonSelection& selection_;
  std::string_view text_;
  json tree_;
  // The containers that are open in the tree, outermost first. Growing an array moves its elements, but never while
  // one of them is open.
  std::vector<json*> open_;
  std::string key_;
  std::string first_pointer_;
  JsonSelection::Stream* part_ = nullptr;
  std::size_t part_depth_ = 0;  // containers open in the streamed or skipped part
  std::optional<Error> error_;
};

std::string pointer_to(std::string_view parent, std::string_view key) {
  std::string out(parent);
  detail::append_pointer_token(out, key);
  return out;
}

std::string pointer_to(std::string_view parent, std::size_t index) { return fmt::format("{}/{}", parent, index); }

Result<json> JsonSelection::read(std::string_view text) {
  if (text.size() > limits_.max_file_bytes) {
    return make_error(ErrorCode::kLimit, fmt::format("{} bytes are more than Limits::max_file_bytes = {}", text.size(),
                                                     limits_.max_file_bytes));
  }
  JsonSelectionEvents events(*this, text);
  if (!json::sax_parse(text.begin(), text.end(), &events)) return *events.error();
  return std::move(events.tree());
}

const json& member(const json& value, const char* key) {
  static const json kNull;
  if (!value.is_object()) return kNull;
  const auto at = value.find(key);
  return at == value.end() ? kNull : *at;
}

std::string_view text_of(const json& value) {
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>()) : std::string_view();
}

std::optional<std::uint32_t> id_of(const json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<std::uint64_t>();
  if (number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

}  // namespace weir
