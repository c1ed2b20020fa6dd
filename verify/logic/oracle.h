// Oracles: code whose word a theorem rests on, because no inference rule covers the step yet.
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

// One per strategy that states equalities of its own.
enum class Oracle : uint8_t {
  kRanges,           // terms::Scope: ranges, decided conditions, simplification
  kDeciders,         // terms::TermDecider: intervals, enumeration, isl, Z3
  kEnumeration,      // both sides evaluated at all values of at most 16 bits of elements
  kExhaustion,       // compiled code, at all values of the elements; counted by bits
  kDefinitions,      // value rules that HLO's specification or a library states
  kCorrespondences,  // a form that a kernel may have in the place of an operation; by operation
  kIntegers,         // integers in another form: maxima, bits, folds that are written out
  kExtrema,          // maxima and minima of floats as sets
  kFolds,            // a fold is a multiset of values
  kReindexing,       // a fold over other variables
  kConstants,        // operations on constants, computed
  kChosenElements,   // a combination of masked elements is the element
  kLicences,         // rules that change values, which a user allows
  kElements,         // equal but for the signs of zeros: for claims about elements, not values
  kNumOracles,
};

// "ranges", "folds".
llvm::StringRef Name(Oracle oracle);

class Oracles {
 public:
  Oracles() = default;
  static Oracles One(Oracle oracle);
  // Compiled code at all 2^bits values; bits in [0, 63].
  static Oracles Exhaustion(int bits);
  // The form of an operation.
  static Oracles Correspondence(terms::Op op);

  bool empty() const { return kinds_ == 0; }
  bool Has(Oracle oracle) const { return (kinds_ & Bit(oracle)) != 0; }
  // The bits of the exhaustions, ascending.
  std::vector<int> exhausted() const;
  // The operations whose forms were used, in the order of op.def.
  std::vector<terms::Op> correspondences() const;
  // Afterwards this names all of both.
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
