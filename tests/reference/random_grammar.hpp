// Grammars as they are written, for tests: made by hand or at random over {a, b}, printed, and handed to a builder.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "reference/rule_recognizer.hpp"
#include "weir/grammar/grammar.hpp"

namespace weir::reference {

inline Node literal(std::string text) { return {Node::Kind::kLiteral, std::move(text), 0, 0, 0, {}}; }
inline Node one_of(std::string members) { return {Node::Kind::kClass, std::move(members), 0, 0, 0, {}}; }
inline Node call(std::uint32_t rule) { return {Node::Kind::kRule, "", rule, 0, 0, {}}; }
inline Node sequence(std::vector<Node> parts) { return {Node::Kind::kSequence, "", 0, 0, 0, std::move(parts)}; }
inline Node choice(std::vector<Node> parts) { return {Node::Kind::kChoice, "", 0, 0, 0, std::move(parts)}; }
inline Node repeat(Node part, std::uint32_t min, std::uint32_t max) {
  return {Node::Kind::kRepeat, "", 0, min, max, {std::move(part)}};
}

inline BodyId to_body(GrammarBuilder& builder, const Node& node) {
  ExprArena& arena = builder.expressions();
  std::vector<BodyId> parts;
  for (const Node& part : node.parts) parts.push_back(to_body(builder, part));
  switch (node.kind) {
    case Node::Kind::kLiteral: return builder.expression(arena.literal(node.text));
    case Node::Kind::kClass: {
      ByteSet set;
      for (const char c : node.text) set.insert(static_cast<std::uint8_t>(c));
      return builder.expression(arena.bytes(set));
    }
    case Node::Kind::kRule: return builder.reference(node.rule);
    case Node::Kind::kSequence: return builder.sequence(parts);
    case Node::Kind::kChoice: return builder.choice(parts);
    case Node::Kind::kRepeat: return builder.repeat(parts[0], node.min, node.max);
  }
  return 0;
}

inline std::string print(const Node& node) {
  std::string out;
  const auto join = [&](const char* separator) {
    for (const Node& part : node.parts) out += (out.empty() ? "(" : separator) + print(part);
    return out.empty() ? std::string("()") : out + ")";
  };
  switch (node.kind) {
    case Node::Kind::kLiteral: return '"' + node.text + '"';
    case Node::Kind::kClass: return '[' + node.text + ']';
    case Node::Kind::kRule: return 'r' + std::to_string(node.rule);
    case Node::Kind::kSequence: return join(" ");
    case Node::Kind::kChoice: return join(" | ");
    case Node::Kind::kRepeat:
      return print(node.parts[0]) + '{' + std::to_string(node.min) + ',' +
             (node.max == kUnbounded ? "" : std::to_string(node.max)) + '}';
  }
  return out;
}

inline std::string print(const std::vector<Node>& rules) {
  std::string out;
  for (std::size_t r = 0; r < rules.size(); ++r) out += 'r' + std::to_string(r) + " ::= " + print(rules[r]) + '\n';
  return out;
}

inline Node random_node(std::mt19937& random, std::uint32_t rules, int depth) {
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto parts = [&](std::uint32_t least, std::uint32_t most) {
    std::vector<Node> out;
    for (std::uint32_t n = least + pick(most - least + 1); n > 0; --n)
      out.push_back(random_node(random, rules, depth - 1));
    return out;
  };
  if (depth == 0 || pick(5) == 0) {
    if (pick(2) == 0) return call(pick(rules));
    static const std::vector<Node> kLeaves{literal("a"), literal("b"), literal("ab"), literal(""),
                                           one_of("ab"), literal("a"), literal("b"),  one_of("")};
    return kLeaves[pick(8)];
  }
  switch (pick(5)) {
    case 0:
    case 1: return sequence(parts(1, 3));
    case 2:
    case 3: return choice(parts(1, 3));
    default: {
      static constexpr std::uint32_t kBounds[][2] = {{0, 1}, {0, kUnbounded}, {1, kUnbounded},
                                                     {2, 3}, {0, 2},          {2, kUnbounded}};
      const auto& bounds = kBounds[pick(6)];
      return repeat(random_node(random, rules, depth - 1), bounds[0], bounds[1]);
    }
  }
}

// One to four rules of every shape: recursive on any side, nullable, cyclic, ambiguous.
inline std::vector<Node> random_rules(std::mt19937& random) {
  const std::uint32_t count = 1 + static_cast<std::uint32_t>(random() % 4);
  std::vector<Node> rules;
  for (std::uint32_t r = 0; r < count; ++r) {
    // A base alternative now and then, or most grammars would match nothing.
    Node body = random_node(random, count, 3);
    if (random() % 3 != 0) body = choice({std::move(body), literal(random() % 2 == 0 ? "a" : "b")});
    rules.push_back(std::move(body));
  }
  return rules;
}

}  // namespace weir::reference
