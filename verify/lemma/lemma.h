// Lemmas by exhaustion: a statement is compiled and run at all values of its variables.
//
//   std::optional<Statement> statement = MakeStatement(kernel, hlo, ...);
//   Lemma lemma = ProveLemma(*statement, kMostWork);
//   lemma.proved();  // 2^32 points in seconds
//   lemma.reason;    // else: "they differ where x0 = 0x3f9e3779: 0x3a and 0x3b"
//
// Believed: statement.h, ranges.h, compile.h, emit_floats.h, emit_operations.h, LLVM's optimizer
// and code generator. The statement needs no fact; who uses the lemma says that its terms are an
// instance of it.
#ifndef AFFIRM_VERIFY_LEMMA_LEMMA_H_
#define AFFIRM_VERIFY_LEMMA_LEMMA_H_

#include <cstdint>
#include <set>
#include <string>

#include "verify/lemma/statement.h"
#include "verify/verdict.h"

namespace affirm::lemma {

struct Lemma {
  // Refuted: at one point at least the sides differ, or one of them is unspecified. Unknown: it
  // costs too much, or compiled code does not have an operation. Never executed.
  Verdict verdict = Verdict::kUnknown;
  int bits = 0;        // of the variables
  std::string reason;  // where it is not proved

  bool proved() const { return verdict == Verdict::kProved; }
  // "exhaustion over 2^32 values"
  std::string Name() const;
};

// "exhaustion over 2^16 and 2^32 values", of lemmas over so many bits; empty of none.
std::string ExhaustionText(const std::set<int>& bits);

// Nodes times points that one lemma may cost, by default.
inline constexpr int64_t kMostWork = int64_t{1} << 40;

// The same for the same statement, on every machine and in every order. A statement that the
// process has seen, or that the folder of lemmas holds (store.h), is not run again.
Lemma ProveLemma(const Statement& statement, int64_t most_work);

}  // namespace affirm::lemma

#endif  // AFFIRM_VERIFY_LEMMA_LEMMA_H_
