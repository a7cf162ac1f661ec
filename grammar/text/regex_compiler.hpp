// From the tree of a pattern to an expression: assertions without a back-tracking matcher. Private to grammar/text.
//
// A part of the pattern is compiled into a function on *continuations*: given the set of texts that may follow it up to
// the end of the whole text, it yields the set of texts that may stand from its own beginning to the end. Then
// (?=R) K is (R .*) & K, (?!R) K is ~(R .*) & K, and $ K is K & "".
//
// What stands to the left matters to ^, \b and (?<=c) only by its last code point, so the code points are divided into
// the classes that the pattern's left-looking assertions can tell apart, and a continuation holds one expression for
// each class that may stand in front of it. Class 0 is the start of the text. Parts without assertions ("plain") stay
// whole: where all classes continue alike, nothing is taken apart, and a pattern without assertions becomes the
// expression that one would write by hand.
//
// Two things do not fit and have a form of their own: unbounded repetitions of assertions (regex_star.cpp), and
// look-behinds of more than one code point, which restrict the text read so far (regex_prefix.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/regex_ast.hpp"
#include "weir/grammar/expr.hpp"

namespace weir {

class RegexCompiler {
 public:
  RegexCompiler(ExprArena& arena, RegexTree tree, std::string_view pattern)
      : arena_(arena), tree_(std::move(tree)), pattern_(pattern) {}

  Result<ExprId> compile(bool search);

 private:
  struct Facts {
    bool plain = true;         // no assertion within
    bool nullable = false;     // plain only
    bool right = false;        // asserts something of what follows: $ \b (?=
    bool left = false;         // asserts something of what precedes: ^ \b (?<=
    bool deep_ahead = false;   // holds a look-ahead that no single code point decides
    bool deep_behind = false;  // holds a look-behind that no single code point decides
    bool known = false;        // `expr` is
    ExprId expr = kEmptyExpr;
  };
  // What a look-around that one code point decides asks of it.
  struct Condition {
    CodePointSet set;
    bool at_edge = false;  // holds at the start or the end of the text
  };
  // By class of what stands to the left.
  using Continuation = std::vector<ExprId>;
  using Matrix = std::vector<std::vector<ExprId>>;

  // --- regex_facts.cpp
  void compute_facts();
  Facts facts_of(const RegexNode& node) const;
  RegexNodeId add_node(RegexNode node);
  RegexNodeId any_characters();  // a new node for [^]*
  std::optional<Condition> condition(RegexNodeId id, bool ahead) const;
  void find_classes();
  // Parts that make no difference beside [^]* go: x* to nothing, x{2,5} to x{2}.
  RegexNodeId without_leading_slack(RegexNodeId id);
  ExprId without_trailing_slack(RegexNodeId id);  // plain
  ExprId class_expr(const CodePointSet& set);
  std::optional<std::string> literal_of(RegexNodeId id) const;
  ExprId expr(RegexNodeId id);                                // plain
  ExprId ending_in(RegexNodeId id, const CodePointSet& set);  // plain: the non-empty matches that end so

  // --- regex_compile.cpp
  void fail(ErrorCode code, const RegexNode& node, std::string message);
  bool spend(const RegexNode& node);
  Continuation uniform(ExprId e) const { return Continuation(left_.size(), e); }
  static bool is_uniform(const Continuation& k) {
    return std::all_of(k.begin(), k.end(), [&](ExprId e) { return e == k.front(); });
  }
  bool is_open(ExprId e) { return e == arena_.any_text() || e == arena_.any_bytes(); }
  template <class F>
  static Continuation select(const Continuation& k, F&& f) {
    Continuation out(k.size());
    for (std::size_t left = 0; left < k.size(); ++left) out[left] = f(left, k[left]);
    return out;
  }
  Continuation either(const Continuation& a, const Continuation& b);
  // The continuation in front of `id` when `k` follows it.
  Continuation before(RegexNodeId id, const Continuation& k);
  Continuation before_plain(RegexNodeId id, const Continuation& k);
  Continuation before_word_boundary(const RegexNode& node, const Continuation& k);
  Continuation before_look_ahead(const RegexNode& node, const Continuation& k);
  Continuation before_look_behind(const RegexNode& node, const Continuation& k);
  ExprId satisfying(const Condition& ahead);

  // --- regex_star.cpp
  Continuation before_repeat(const RegexNode& node, const Continuation& k);
  Continuation before_star(const RegexNode& node, const Continuation& k);
  Continuation left_star(RegexNodeId body, const Continuation& k);
  Continuation two_sided_star(const RegexNode& node, const Continuation& k);
  std::optional<Continuation> guarded_star(RegexNodeId body, const Continuation& k);
  std::vector<ExprId> solve(Matrix matrix, std::vector<ExprId> z);

  // --- regex_prefix.cpp
  ExprId prefixed(ExprId prefix, std::vector<RegexNodeId> run, std::vector<RegexNodeId> todo, const Continuation& end);
  std::vector<RegexNodeId> unrolled(const RegexNode& node);
  ExprId after(ExprId prefix, const std::vector<RegexNodeId>& run, Continuation k);

  ExprArena& arena_;
  RegexTree tree_;
  std::string_view pattern_;
  std::vector<Facts> facts_;         // by node
  std::vector<CodePointSet> left_;   // classes of what stands to the left; [0], the start of the text, is empty
  std::vector<CodePointSet> right_;  // and to the right, for two_sided_star; [0] is the end of the text
  // While two_sided_star compiles the body of a repetition: the class in right_ of what follows the body. "" at the end
  // of a continuation then stands for a text of that class.
  std::optional<std::size_t> following_;
  std::size_t steps_ = 0;
  std::optional<Error> error_;
};

}  // namespace weir
