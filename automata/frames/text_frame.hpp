// The frame of quoted text with a pattern, at the root of the tokens' trie: group by group rather than token by token.
// Private to automata/.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "frames/character_steps.hpp"
#include "frames/frame_cache.hpp"
#include "frames/quoted.hpp"
#include "tokens/text_groups.hpp"

namespace weir {

class TextFrameBuilder {
 public:
  TextFrameBuilder(const VocabularyTables& tables, CharacterFacts& facts, Stepper& stepper);

  // Fills `out`: what stays inside and, for heads without a counter, what tells which of its tokens fit a number of
  // characters. `sharing`: only tokens of up to TextGroups::kLong characters.
  void build(const Head& head, bool sharing, Frame& out);
  // Fills `out` from the shared frame of an expression that such tokens cannot tell from the head's own: with the
  // longer tokens.
  void build_on(const Frame& shared, const Head& head, Frame& out);

 private:
  void start(const Head& head, Frame& out);
  // What is sure of the tokens of a group: those with up to `most` characters after the first stay inside, and what
  // may then follow has the lengths of a CharacterLoop; those with more than `longest` do not.
  struct Verdict {
    std::uint32_t most = kUnbounded;
    std::uint32_t longest = kUnbounded;
    bool known = true;
    std::uint32_t least = kUnbounded;
    std::uint32_t from = 0;
    std::uint32_t to = kUnbounded;
    bool sure = false;
  };
  Verdict judge(const TextGroups::Group& group, std::span<const ExprId> after,
                std::span<const CharacterLoops* const> loops) const;
  // After the first character of all tokens of the groups: the expressions it may have led to.
  void add_groups(std::span<const TextGroups::Group> groups, std::uint64_t covered, std::span<const ExprId> after,
                  std::span<const Trie::Node> nodes);
  void add_by_byte(ExprId e, const ByteSet& first);
  void add_parts(ExprId e);
  void walk_from(std::uint8_t b);
  bool add_endless(ExprId e);
  const CharacterReach& reach(ExprId e, std::uint64_t classes, std::uint32_t limit);
  void add_token(const TextGroups::Token& token, const Verdict& verdict);
  void walk_token(TokenId token, std::uint32_t characters);
  void walk_node(Trie::Node n, const Head& here, std::uint32_t characters);
  void be_exact_from(std::uint32_t characters, std::uint32_t from);
  void put_after(TokenId token, std::uint32_t characters, const Head& after);
  void walk_irregular();
  template <class Emit>
  void walk_trie(const Trie& trie, Emit&& emit);
  // A token that stays inside: its characters, and the lengths of what may follow.
  void put(TokenId token, std::uint32_t characters, std::uint32_t from, std::uint32_t to);

  const VocabularyTables& tables_;
  const TextGroups& groups_;
  CharacterFacts& facts_;
  Stepper& stepper_;
  ExprArena& arena_;

  Head head_;
  LengthCounter left_;
  bool counting_ = false;  // head_ has a counter
  bool sharing_ = false;
  Frame* out_ = nullptr;
  // By class of the first character: groups all of whose other characters are of these classes are there already.
  std::array<std::uint64_t, 64> covered_{};
  std::uint32_t short_ = 0;  // tokens that need more characters go to Frame::longer
  std::vector<std::pair<const TextGroups::Group*, Verdict>> verdicts_;  // scratch
  struct Reached {
    ExprId expr = kEmptyExpr;
    std::uint64_t classes = 0;
    std::uint32_t limit = 0;
    CharacterReach reach;
  };
  std::vector<Reached> reached_;  // scratch
  std::vector<std::uint32_t> bits_;
  std::size_t put_ = 0;  // at least as many tokens are in bits_
};

}  // namespace weir
