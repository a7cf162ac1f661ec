// A slow, obvious judge: does a complete JSON text belong to a value of a structure source? It parses the text by
// recursive descent and then follows what the source says of values, records and lists, one member and one item after
// the other, keeping every state that is possible. Only for tests.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/grammar/expr.hpp"
#include "weir/grammar/grammar.hpp"
#include "weir/grammar/structure.hpp"

namespace weir::reference {

// A parsed JSON value that remembers how its numbers were spelt and in which order its keys came.
struct JsonTree {
  enum class Kind { kScalar, kString, kArray, kObject };
  Kind kind = Kind::kScalar;
  std::string text;               // scalar: as written; string: decoded
  std::vector<std::string> keys;  // of an object, decoded, one for each child
  std::vector<JsonTree> children;
  std::string written;  // all of it
};

class JsonTreeParser {
 public:
  static std::optional<JsonTree> parse(std::string_view text) {
    // nlohmann decides whether this is JSON at all; numbers beyond doubles are out of its reach.
    if (!nlohmann::json::accept(text)) return std::nullopt;
    JsonTreeParser parser(text);
    return parser.value();
  }

 private:
  explicit JsonTreeParser(std::string_view text) : text_(text) {}

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  std::string string() {
    const std::size_t start = at_++;
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
    return nlohmann::json::parse(text_.substr(start, at_ - start)).get<std::string>();
  }

  JsonTree value() {
    JsonTree tree;
    skip_space();
    const std::size_t start = at_;
    const char first = text_[at_];
    if (first == '"') {
      tree.kind = JsonTree::Kind::kString;
      tree.text = string();
    } else if (first == '[' || first == '{') {
      tree.kind = first == '[' ? JsonTree::Kind::kArray : JsonTree::Kind::kObject;
      const char close = first == '[' ? ']' : '}';
      ++at_;
      skip_space();
      while (text_[at_] != close) {
        if (first == '{') {
          skip_space();
          tree.keys.push_back(string());
          skip_space();
          ++at_;  // the colon
        }
        tree.children.push_back(value());
        skip_space();
        if (text_[at_] == ',') ++at_;
      }
      ++at_;
    } else {
      const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
      tree.text = std::string(text_.substr(at_, end - at_));
      at_ = end;
    }
    tree.written = text_.substr(start, at_ - start);
    return tree;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class StructureWalker {
 public:
  explicit StructureWalker(const Grammar& grammar)
      : source_(grammar.structures()), arena_(&grammar.expressions()), start_(grammar.start().id) {}

  bool accepts(std::string_view text) {
    const auto tree = JsonTreeParser::parse(text);
    verdicts_.clear();
    return tree && value(start_, *tree);
  }

 private:
  bool value(ValueId id, const JsonTree& tree) {
    const auto key = std::pair(id, &tree);
    if (const auto it = verdicts_.find(key); it != verdicts_.end()) return it->second;
    const ValueInfo& info = source_->value(id);
    bool verdict = false;
    switch (tree.kind) {
      case JsonTree::Kind::kScalar: verdict = arena_->matches(info.scalar, tree.text); break;
      case JsonTree::Kind::kString:
        for (const TextInfo& text : info.texts) verdict = verdict || matches_text(text, tree.text);
        break;
      case JsonTree::Kind::kObject: verdict = record(info.records, tree); break;
      case JsonTree::Kind::kArray:
        for (const ListId list : info.lists) verdict = verdict || matches_list(source_->list(list), tree);
        break;
    }
    verdicts_[key] = verdict;
    return verdict;
  }

  bool matches_text(const TextInfo& info, const std::string& text) {
    std::size_t length = 0;
    for (const char c : text) length += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    const LengthCounter counter = source_->counter(info.counter);
    return length >= counter.min_left && (counter.max_left == kUnbounded || length <= counter.max_left) &&
           arena_->matches(info.content, text);
  }

  bool record(const std::vector<RecordId>& start, const JsonTree& tree) {
    std::set<RecordId> states(start.begin(), start.end());
    for (std::size_t i = 0; i < tree.children.size(); ++i) {
      std::set<RecordId> next;
      for (const RecordId state : states) {
        for (const std::uint32_t label : labels(source_->record(state), tree.keys[i])) {
          for (const Member& member : source_->members(state, label)) {
            if (value(member.value, tree.children[i])) next.insert(member.next);
          }
        }
      }
      states = std::move(next);
    }
    return std::any_of(states.begin(), states.end(), [&](RecordId state) { return source_->record(state).may_close; });
  }

  // As what the key may come next.
  std::vector<std::uint32_t> labels(const RecordInfo& info, const std::string& key) {
    const std::uint32_t listed = info.keys->find(key);
    if (listed != KeySet::kNone) {
      return info.allows(listed) ? std::vector{listed} : std::vector<std::uint32_t>{};
    }
    std::vector<std::uint32_t> labels;
    if (info.others) labels.push_back(kOtherKey);
    for (std::uint32_t i = 0; i < info.classes.size(); ++i) {
      if (matches_text(info.classes[i], key)) labels.push_back(kFirstKeyClass + i);
    }
    return labels;
  }

  bool matches_list(const ListInfo& info, const JsonTree& tree) {
    if (info.stepwise) return matches_steps(info, tree);
    const std::size_t count = tree.children.size();
    if (count < info.min_items || (info.max_items != kUnbounded && count > info.max_items)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const ValueId item = info.item(static_cast<std::uint32_t>(i));
      if (item == kNoValue || !value(item, tree.children[i])) return false;
    }
    return true;
  }

  bool matches_steps(const ListInfo& start, const JsonTree& tree) {
    std::set<const ListInfo*> states{&start};
    for (const JsonTree& item : tree.children) {
      std::set<const ListInfo*> next;
      for (const ListInfo* state : states) {
        for (const ListStep& step : state->steps) {
          if (!value(step.value, item)) continue;
          next.insert(&source_->list(step.captured ? source_->list_after(step.next, item.written) : step.next));
        }
      }
      states = std::move(next);
    }
    return std::any_of(states.begin(), states.end(), [](const ListInfo* state) { return state->may_close; });
  }

  StructureSource* source_;
  ExprArena* arena_;
  ValueId start_;
  std::map<std::pair<ValueId, const JsonTree*>, bool> verdicts_;
};

}  // namespace weir::reference
