// Oracles: code that a theorem trusts, because no inference rule covers the step yet.
//
//   Oracles oracles = Oracles::One(Oracle::kRanges);
//   oracles.Add(Oracles::Exhaustion(32));
//   ToString(oracles);   // "ranges, exhaustion over 2^32 values"
//
// A set: a theorem that uses an oracle twice names it once.
#ifndef AFFIRM_VERIFY_LOGIC_ORACLE_H_
#define AFFIRM_VERIFY_LOGIC_ORACLE_H_

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "verify/terms/op.h"

namespace affirm::logic {

// One for each strategy that states equalities without an inference rule.
enum class Oracle : uint8_t {
  kRanges,           // terms::Scope: ranges, decided conditions, simplification
  kDeciders,         // terms::TermDecider: intervals, enumeration, isl, Z3
  kEnumeration,      // both sides interpreted at all values of at most 16 bits of data
  kExhaustion,       // both sides compiled, and run at all values of the elements; counted by bits
  kDefinitions,      // value rules that HLO's specification or a library states
  kCorrespondences,  // another form that a kernel may have for an operation; by operation
  kIntegers,         // integers in another form: maxima, bits, unrolled folds
  kExtrema,          // maxima and minima of floats as sets
  kFolds,            // a fold is a multiset of values
  kReindexing,       // a fold over other variables
  kConstants,        // constant folding
  kChosenElements,   // a one-hot combination of elements is the selected element
  kLicences,         // rules that change values, with the user's licence
  kElements,         // equal up to signs of zeros: for claims about elements, not values
  kNumOracles,
};

// "ranges", "folds".
llvm::StringRef Name(Oracle oracle);

class Oracles {
 public:
  Oracles() = default;
  static Oracles One(Oracle oracle);
  // kExhaustion over 2^bits values; bits in [0, 63].
  static Oracles Exhaustion(int bits);
  // kCorrespondences, for one operation.
  static Oracles Correspondence(terms::Op op);

  bool empty() const { return kinds_ == 0; }
  bool Has(Oracle oracle) const { return (kinds_ & Bit(oracle)) != 0; }
  // The numbers of bits of the exhaustions, ascending.
  std::vector<int> exhausted() const;
  // The operations of the correspondences, in the order of op.def.
  std::vector<terms::Op> correspondences() const;
  // Set union.
  void Add(const Oracles& other);

  friend bool operator==(const Oracles&, const Oracles&) = default;

 private:
  static uint32_t Bit(Oracle oracle) { return uint32_t{1} << static_cast<int>(oracle); }

  uint32_t kinds_ = 0;
  uint64_t exhausted_ = 0;
  std::bitset<256> operations_;
};

// "ranges, correspondences of rsqrt and convert, exhaustion over 2^32 values"; "" of none.
std::string ToString(const Oracles& oracles);

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_ORACLE_H_
