// The frame of quoted text with a pattern, at the root of the tokens' trie: group by group rather than token by token.
// Private to automata/.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
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
  // Tokens of which up to `most` characters after the first are of these classes are there already.
  struct Covered {
    std::uint64_t classes = 0;
    std::uint32_t most = 0;
  };
  void start(const Head& head, Frame& out);
  // What is sure of the tokens of a group: those with up to `most` characters after the first stay inside, and what
  // may then follow has the lengths of a CharacterLoop; those with more than `longest` do not.
  struct Verdict {
    std::uint32_t most = kUnbounded;
    std::uint32_t longest = kUnbounded;
    LengthBounds after;
    bool sure = false;
  };
  Verdict judge(const TextGroups::Group& group, std::span<const ExprId> after,
                std::span<const CharacterLoops* const> loops) const;
  // After the first character of all tokens of the groups: the expressions it may have led to.
  void add_groups(std::span<const TextGroups::Group> groups, const Covered& covered, std::span<const ExprId> after,
                  std::span<const Trie::Node> nodes);
  void add_by_byte(ExprId e, const ByteSet& first);
  void add_parts(ExprId e);
  bool is_narrow(ExprId e, const ByteSet& first);
  void walk_from(std::uint8_t b);
  bool add_endless(ExprId e);
  void add_token(const TextGroups::Token& token, const Verdict& verdict);
  void walk_token(TokenId token, std::uint32_t characters);  // precondition: no more than are left
  void walk_token_by_heads(TokenId token, std::uint32_t characters);
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
  std::array<Covered, 64> covered_{};  // by class of the first character
  ExprId reached_from_ = kEmptyExpr;
  ByteSet alphabet_;         // of the head's expression
  bool few_wide_ = false;    // few bytes of it start a character beyond ASCII
  std::uint32_t short_ = 0;  // tokens that need more characters go to Frame::longer
  std::vector<std::pair<std::span<const TextGroups::Token>, Verdict>> verdicts_;  // scratch
  std::unordered_map<std::uint64_t, CharacterReach> reached_;  // by classes; scratch of one call of add_groups
  TokenCollector collector_;
};

}  // namespace weir
