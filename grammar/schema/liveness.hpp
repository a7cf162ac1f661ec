// Decides what some text matches: values, and states of objects and arrays. The least solution, so that a value that
// needs itself has none. Nothing is looked at that no question needs: values expand, and states of objects step, as the
// search meets them. Private to grammar/schema.
//
// Source: X. Liu, S. Smolka, "Simple linear-time algorithms for minimal fixed points", ICALP 1998 (dependency graphs,
// local version).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "schema/expander.hpp"
#include "schema/residuals.hpp"

namespace weir::schema {

class Liveness {
 public:
  Liveness(Expander& expander, Residuals& residuals) : expander_(&expander), residuals_(&residuals) {}

  bool value(ValueId id) { return id != kNoValue && decide(node_of_value(id)); }
  bool record_shape(ShapeId id) { return decide(node_of_record(id)); }
  bool list_shape(ShapeId id) { return decide(node_of_list(id)); }
  // An object by formula in which keys of rank below `rank` and those of `used` (a bit for each rank, may be empty)
  // come no more.
  bool record(ShapeId shape, FormulaId formula, std::uint32_t rank, const std::vector<std::uint64_t>& used);
  bool list(FormulaId formula, std::uint32_t index);
  // Why the value, which is dead, matches nothing; in words.
  std::string explain_dead(ValueId id);

 private:
  using Node = std::uint32_t;
  static constexpr Node kNone = 0xFFFFFFFF;
  enum class Kind : std::uint8_t { kValue, kRecord, kList, kRecordState, kListState, kMembers };
  struct State {
    Kind kind = Kind::kValue;
    bool explored = false;
    bool alive = false;
    std::uint32_t a = 0;  // the value, shape or formula
    std::uint32_t b = 0;  // of states: shape, rank and used keys, or index; of kMembers: rank
    std::uint32_t c = 0;
    std::uint32_t d = 0;
    std::uint32_t first_waiting = kNone;
  };
  // The node is alive if all targets are.
  struct Edge {
    Node node;
    std::uint32_t first_target;
    std::uint32_t targets;
  };
  struct Waiting {
    std::uint32_t edge;
    std::uint32_t next;
  };

  Node node_of_value(ValueId id) { return node_at(value_nodes_, Kind::kValue, id); }
  Node node_of_record(ShapeId id) { return node_at(record_nodes_, Kind::kRecord, id); }
  Node node_of_list(ShapeId id) { return node_at(list_nodes_, Kind::kList, id); }
  Node node_at(std::vector<Node>& nodes, Kind kind, std::uint32_t id);
  Node node_of(Kind kind, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d);
  std::uint32_t number_of_used(const std::vector<std::uint64_t>& used);

  bool decide(Node node);
  void explore(Node node);
  void explore_value(Node node);
  void explore_record(Node node);
  void explore_members(Node node);
  void explore_list(Node node);
  void explore_record_state(Node node);
  void explore_list_state(Node node);
  void add_edge(Node node, std::initializer_list<Node> targets) { add_edge(node, std::vector<Node>(targets)); }
  void add_edge(Node node, const std::vector<Node>& targets);
  void enliven(Node node);

  Expander* expander_;
  Residuals* residuals_;
  std::vector<State> states_;
  std::vector<Node> value_nodes_;
  std::vector<Node> record_nodes_;
  std::vector<Node> list_nodes_;
  std::unordered_map<std::vector<std::uint32_t>, Node, WordsHash> nodes_;
  std::unordered_map<std::vector<std::uint64_t>, std::uint32_t, WordsHash> used_numbers_;
  std::vector<std::vector<std::uint64_t>> used_;  // by number
  std::vector<Edge> edges_;
  std::vector<Node> targets_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> pending_;  // edges
};

}  // namespace weir::schema
