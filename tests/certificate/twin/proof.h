// Evidence: a table of atoms, and steps from known facts to a contradiction or to goals.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_PROOF_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_PROOF_H_

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "tests/certificate/twin/certificate_text.h"
#include "tests/certificate/twin/map_text.h"
#include "tests/certificate/twin/polynomial.h"

namespace twin {

enum class Operation { kQuotient, kMinimum, kMaximum };
// An atom that is the quotient, minimum or maximum of two forms.
struct Entry {
  Operation operation;
  Polynomial left, right;
};

class Table {
 public:
  // Atoms 1 to `variables` are variables, those of the table follow.
  explicit Table(size_t variables) : variables_(variables) {}

  // The operands of an atom use only earlier atoms.
  void Add(Entry entry);
  const Entry& At(Atom atom) const;
  Polynomial Find(Operation operation, const Polynomial& left, const Polynomial& right) const;

 private:
  using Key = std::pair<Operation, std::pair<Polynomial, Polynomial>>;

  size_t variables_;
  std::vector<Entry> entries_;
  std::map<Key, Atom> atoms_;
};

// `form = 0` or `form >= 0`.
struct Fact {
  bool is_equation;
  Polynomial form;
};

struct Goal {
  enum Kind { kAtLeast0, kIs0, kIsNot0 } kind;
  Polynomial form;
};

// The goals for map `position` of a union for these values of its range variables.
using GoalsOf = std::function<std::vector<Goal>(size_t position, const std::vector<Term>& values)>;

Table ReadTable(Lines& lines, size_t variables);
// Reads and checks a proof; throws at a step that does not hold. `names` are the variables of the
// terms at its ends.
void FollowProof(Lines& lines, const Table& table, std::vector<Fact> facts, const GoalsOf& goals,
                 const Names& names);

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_PROOF_H_
