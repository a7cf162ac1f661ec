// Two slow recognisers for context-free grammars: one over grammars as they were written, one over the automata that
// GrammarBuilder::finish makes of them. Both compute, by iteration to a fixpoint, where each rule can end when it
// begins at each place of one short text; neither cares about recursion, ambiguity or empty matches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/grammar/grammar.hpp"

namespace weir::reference {

using Ends = std::uint64_t;  // bit j: may end before byte j; texts are shorter than 64 bytes

// A grammar as written. Kept apart from GrammarBuilder's own bodies on purpose.
struct Node {
  enum class Kind : std::uint8_t { kLiteral, kClass, kRule, kSequence, kChoice, kRepeat };
  Kind kind = Kind::kLiteral;
  std::string text;  // kLiteral: the text; kClass: its members
  std::uint32_t rule = 0;
  std::uint32_t min = 0;
  std::uint32_t max = 0;  // kUnbounded: any number
  std::vector<Node> parts;
};

class WrittenRecognizer {
 public:
  explicit WrittenRecognizer(const std::vector<Node>& rules) : rules_(rules) {}

  // ends[rule][i]: where `rule` can end when it begins at byte i of `text`.
  std::vector<std::vector<Ends>> solve(std::string_view text) {
    text_ = text;
    ends_.assign(rules_.size(), std::vector<Ends>(text.size() + 1, 0));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t r = 0; r < rules_.size(); ++r) {
        for (std::size_t i = 0; i <= text.size(); ++i) {
          const Ends now = ends_of(rules_[r], i);
          changed = changed || now != ends_[r][i];
          ends_[r][i] = now;
        }
      }
    }
    return ends_;
  }

  // Can the text last given to solve() be continued to a member of rule 0?
  bool viable() {
    runs_.assign(rules_.size(), std::vector<bool>(text_.size() + 1, false));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t r = 0; r < rules_.size(); ++r) {
        for (std::size_t i = 0; i <= text_.size(); ++i) {
          if (runs_[r][i] || !runs_through(rules_[r], i)) continue;
          runs_[r][i] = changed = true;
        }
      }
    }
    return !runs_.empty() && runs_[0][0];
  }

 private:
  // Does some member of `node` start with all that is left of the text from byte i on? With nothing left: is there a
  // member at all?
  bool runs_through(const Node& node, std::size_t i) const {
    const std::string_view left = text_.substr(i);
    const auto productive = [&](const Node& part) { return runs_through(part, text_.size()); };
    switch (node.kind) {
      case Node::Kind::kLiteral: return std::string_view(node.text).starts_with(left);
      case Node::Kind::kClass:
        return left.empty() ? !node.text.empty()
                            : left.size() == 1 && node.text.find(left.front()) != std::string::npos;
      case Node::Kind::kRule: return runs_[node.rule][i];
      case Node::Kind::kChoice:
        return std::any_of(node.parts.begin(), node.parts.end(),
                           [&](const Node& part) { return runs_through(part, i); });
      case Node::Kind::kSequence: {
        Ends now = Ends{1} << i;
        for (std::size_t k = 0; k < node.parts.size(); ++k) {
          if (std::all_of(node.parts.begin() + static_cast<std::ptrdiff_t>(k) + 1, node.parts.end(), productive) &&
              runs_from_any(node.parts[k], now)) {
            return true;
          }
          now = from_all(node.parts[k], now);
        }
        return ((now >> text_.size()) & 1U) != 0;
      }
      case Node::Kind::kRepeat: {
        Ends now = Ends{1} << i;
        const std::size_t rounds = node.max == kUnbounded ? node.min + text_.size() + 1 : node.max;
        for (std::size_t k = 0; k <= rounds; ++k) {
          if (k >= node.min && ((now >> text_.size()) & 1U) != 0) return true;
          if (k < rounds && runs_from_any(node.parts[0], now)) return true;
          now = from_all(node.parts[0], now);
        }
        return false;
      }
    }
    return false;
  }

  bool runs_from_any(const Node& node, Ends starts) const {
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      if (((starts >> i) & 1U) != 0 && runs_through(node, i)) return true;
    }
    return false;
  }

  Ends from_all(const Node& node, Ends starts) const {
    Ends out = 0;
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      if (((starts >> i) & 1U) != 0) out |= ends_of(node, i);
    }
    return out;
  }

  Ends ends_of(const Node& node, std::size_t i) const {
    Ends out = 0;
    switch (node.kind) {
      case Node::Kind::kLiteral: return text_.substr(i).starts_with(node.text) ? Ends{1} << (i + node.text.size()) : 0;
      case Node::Kind::kClass:
        return i < text_.size() && node.text.find(text_[i]) != std::string::npos ? Ends{1} << (i + 1) : 0;
      case Node::Kind::kRule: return ends_[node.rule][i];
      case Node::Kind::kSequence:
        out = Ends{1} << i;
        for (const Node& part : node.parts) out = from_all(part, out);
        return out;
      case Node::Kind::kChoice:
        for (const Node& part : node.parts) out |= ends_of(part, i);
        return out;
      case Node::Kind::kRepeat: {
        // After min + length + 1 rounds, further rounds reach nothing new.
        Ends now = Ends{1} << i;
        const std::size_t rounds = node.max == kUnbounded ? node.min + text_.size() + 1 : node.max;
        for (std::size_t k = 0; k <= rounds; ++k) {
          if (k >= node.min) out |= now;
          now = from_all(node.parts[0], now);
        }
        return out;
      }
    }
    return 0;
  }

  const std::vector<Node>& rules_;
  std::string_view text_;
  std::vector<std::vector<Ends>> ends_;
  std::vector<std::vector<bool>> runs_;  // [rule][i]: the rule runs from byte i through the end of the text
};

class AutomatonRecognizer {
 public:
  explicit AutomatonRecognizer(const Grammar& grammar) : grammar_(grammar) {}

  bool matches(std::string_view text) { return ((solve(text)[0] >> text.size()) & 1U) != 0; }

  // [i]: where the grammar's start can end when it begins at byte i of `text`.
  std::vector<Ends> solve(std::string_view text) {
    std::vector<Ends> out(text.size() + 1);
    const Symbol start = grammar_.start();
    if (start.kind == Symbol::Kind::kRule) solve_rules(text);
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (start.kind == Symbol::Kind::kExpression) out[i] = ends_of_expression(start.id, text, i);
      if (start.kind == Symbol::Kind::kRule) out[i] = ends_[start.id][i];
      if (grammar_.matches_empty()) out[i] |= Ends{1} << i;
    }
    return out;
  }

 private:
  void solve_rules(std::string_view text) {
    const std::size_t places = text.size() + 1;
    ends_.assign(grammar_.rules().size(), std::vector<Ends>(places, 0));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t r = 0; r < ends_.size(); ++r) {
        for (std::size_t i = 0; i < places; ++i) {
          const Ends now = ends_of_rule(grammar_.rules()[r], text, i);
          changed = changed || now != ends_[r][i];
          ends_[r][i] = now;
        }
      }
    }
  }

  Ends ends_of_rule(const Rule& rule, std::string_view text, std::size_t begin) {
    std::vector<std::pair<RuleStateId, std::size_t>> work{{rule.start, begin}};
    std::vector<std::pair<RuleStateId, std::size_t>> seen = work;
    Ends out = 0;
    while (!work.empty()) {
      const auto [s, i] = work.back();
      work.pop_back();
      const RuleState& state = grammar_.rule_states()[s];
      if (state.accepting) out |= Ends{1} << i;
      for (const RuleEdge& edge : state.edges) {
        const Ends ends = edge.symbol.kind == Symbol::Kind::kRule ? ends_[edge.symbol.id][i]
                                                                  : ends_of_expression(edge.symbol.id, text, i);
        for (std::size_t j = i; j <= text.size(); ++j) {
          const std::pair<RuleStateId, std::size_t> next{edge.target, j};
          if (((ends >> j) & 1U) == 0 || std::find(seen.begin(), seen.end(), next) != seen.end()) continue;
          seen.push_back(next);
          work.push_back(next);
        }
      }
    }
    return out;
  }

  Ends ends_of_expression(ExprId e, std::string_view text, std::size_t i) {
    Ends out = 0;
    for (std::size_t j = i;; ++j) {
      if (grammar_.expressions().nullable(e)) out |= Ends{1} << j;
      if (j == text.size() || e == kEmptyExpr) return out;
      e = grammar_.expressions().step(e, static_cast<std::uint8_t>(text[j]));
    }
  }

  const Grammar& grammar_;
  std::vector<std::vector<Ends>> ends_;
};

}  // namespace weir::reference
