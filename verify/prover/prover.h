// Writes proofs that verify/coq/certificate checks: goals about polynomials from facts about them.
#ifndef AFFIRM_VERIFY_PROVER_PROVER_H_
#define AFFIRM_VERIFY_PROVER_PROVER_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/prover/polynomial.h"
#include "verify/prover/simplex.h"

namespace affirm::prover {

// A goal of a certificate: p >= 0, p = 0, or p is not 0.
struct Goal {
  enum class Kind { kAtLeast0, kIs0, kIsNot0 };
  Kind kind;
  Polynomial form;
};

// One proof. First the facts that are given, then Learn, then goals. Facts have the numbers of the
// checker: 1, 2, ... in the order in which they come.
class Prover {
 public:
  explicit Prover(AtomTable& table) : table_(table) {}

  void Given(Polynomial form, bool is_equation) { Append(std::move(form), is_equation); }
  // Derives equations and bounds of all atoms.
  void Learn();
  // The fact that shows a goal; nullopt when no proof was found.
  std::optional<int> Show(const Goal& goal);
  // Do the facts contradict each other? Ends the proof if they do.
  bool Refute();

  // The lines of the proof, with `last` ("done 0 3 7") as its end. Empty after Refute.
  std::string Text(const std::string& last) const;

 private:
  struct Fact {
    Polynomial form;
    bool is_equation = false;
  };
  // Multiples of facts.
  using Sum = std::vector<std::pair<BigInt, int>>;
  struct Reduced {
    Polynomial form;
    Sum less;  // what was taken away: multiples of equations
  };
  struct Bounded {
    BigInt end;
    Sum by;  // form - end, or end - form
  };

  int Append(Polynomial form, bool is_equation);
  int Combine(const Sum& sum, const BigInt& divisor);
  Reduced Reduce(const Polynomial& form) const;
  std::optional<Bounded> Lower(const Polynomial& form) const;
  std::optional<Bounded> Upper(const Polynomial& form) const;
  void LearnBounds(int from);
  void Learn(int atom);
  void LearnQuotient(int atom, const Reduced& left, const BigInt& c, int bounds);
  bool WithinOneBlock(int atom, const Reduced& left, const Polynomial& rest, const BigInt& c,
                      int bounds);
  bool DropRemainder(int atom, const Reduced& left, const Polynomial& rest, const BigInt& c,
                     int bounds);
  bool Flatten(int atom, const Reduced& left, const BigInt& c, int bounds);
  Polynomial WithoutProducts(Polynomial form, Sum& less);
  void LearnSmallQuotient(int atom, int sign);
  void Define(int atom, int at_most, int at_least);
  void DefineBetween(int atom, const Reduced& left, Sum most, Sum least, const Bounded& low,
                     const Bounded& high, const BigInt& c);
  void LearnExtremum(int atom);

  // Refutations, in refutation.cc. Each appends the lines of a proof by contradiction from all
  // facts to `text`, in at most `budget` splits; where it answers false the text is of no use.
  struct Relaxation;
  static constexpr int kMostBranches = 40;
  bool RefuteAll(std::string& text, int& budget);
  bool SplitOnFraction(const Relaxation& relaxation, std::string& text, int& budget);
  bool SplitOnExtremum(const Relaxation& relaxation, std::string& text, int& budget);
  std::optional<int> ShowAtLeast0(const Polynomial& form);

  AtomTable& table_;
  std::vector<Fact> facts_ = {{}};  // [0] is none
  std::vector<std::string> lines_;
  std::vector<std::string> refutations_;             // of the second branches of splits
  std::map<int, std::pair<int, Polynomial>> equal_;  // atom: equation, value
  std::map<int, int> lower_, upper_, quotient_bounds_;
  std::map<std::pair<BigInt, std::string>, int> by_rest_;
  size_t learned_ = 0;
  bool closed_ = false;
};

}  // namespace affirm::prover

#endif  // AFFIRM_VERIFY_PROVER_PROVER_H_
