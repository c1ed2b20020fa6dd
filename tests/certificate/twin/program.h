// HLO instructions as nodes: each array of a tuple is a node of its own, and calls are written out.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_PROGRAM_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_PROGRAM_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/certificate/twin/hlo_op.h"
#include "tests/certificate/twin/hlo_words.h"

namespace twin {

struct Node {
  bool is_given = true;
  HloOp op = {};
  std::vector<size_t> operands = {};
  Sizes sizes = {};
  bool is_constant = false;
  // Nothing is stated of what it reads.
  bool is_open = false;
};

// One line.
struct Instruction {
  std::string name;
  Type type;
  size_t first = 0;  // its first node
};

class Program {
 public:
  // `bodies` are the computations that may be called.
  using Bodies = std::map<std::string, Program, std::less<>>;

  void AddArray(std::string_view line);
  void AddInstruction(std::string_view line, const Bodies& bodies, bool in_body);

  const std::vector<Node>& nodes() const { return nodes_; }
  // The node of `p`, `t{1}` or `c/p`.
  size_t Find(std::string_view name) const;

 private:
  struct Call;
  // The arrays of which those of a body are made: of no array of its parameter, of one at the same
  // index, or of others.
  struct Reach {
    enum { kNothing, kOwn, kOther } kind = kNothing;
    size_t own = 0;
  };

  Instruction Start(HloWords& words, std::string_view line);
  const Instruction& At(std::string_view name) const;
  bool IsOpen(const Instruction& line) const;
  void AddNode(Node node, std::string name);
  void Add(Instruction line, std::vector<Node> nodes);
  void AddParameter(Instruction line, HloWords& words);

  static std::vector<Node> SameAs(size_t first, const Type& type);
  std::vector<Node> Meaning(const Call& call);
  std::vector<Node> Loop(const Call& call);
  std::vector<Node> CalledOnce(const Call& call);
  std::vector<Node> Conditional(const Call& call);
  std::vector<Node> TupleOf(const Call& call) const;
  std::vector<Node> PartOf(const Call& call) const;
  std::vector<Node> Computed(const Call& call) const;

  const Instruction& Root() const;
  std::vector<Reach> Reaches() const;
  // Adds the nodes of a computation; the first of its result.
  size_t Inline(const std::string& prefix, const Program& body,
                const std::vector<const Instruction*>& operands, const Type& type);

  std::vector<Node> nodes_;
  std::vector<std::string> names_;  // of the nodes
  std::map<std::string, Instruction, std::less<>> lines_;
  std::vector<std::string> roots_;
  std::vector<std::pair<Integer, std::string>> parameters_;  // of a body
};

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_PROGRAM_H_
