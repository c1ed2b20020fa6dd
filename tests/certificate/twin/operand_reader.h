// The elements of one operand that an op reads, as hlo_reads.v states it: terms are made in the
// same form, so that those of runtime variables can be compared. Its parts are in hlo_reads.cc and
// hlo_indexed_reads.cc.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_OPERAND_READER_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_OPERAND_READER_H_

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tests/certificate/twin/hlo_dims.h"
#include "tests/certificate/twin/hlo_op.h"

namespace twin {

using TermAt = std::function<Term(size_t)>;
using Domain = std::vector<Constraint>;

// How many dimensions before d are not among these.
inline size_t Kept(const Dims& dims, size_t d) {
  size_t kept = 0;
  for (size_t k = 0; k < d; ++k) kept += !Contains(dims, k);
  return kept;
}
// The dimensions below a rank that are, or are not, among these.
inline Dims Among(const Dims& dims, size_t rank, bool wanted) {
  Dims chosen;
  for (size_t d = 0; d < rank; ++d)
    if (Contains(dims, d) == wanted) chosen.push_back(d);
  return chosen;
}
inline size_t DimAt(const Dims& dims, size_t k) { return k < dims.size() ? dims[k] : 0; }
inline Integer SizeAt(const Sizes& sizes, size_t k, int otherwise = 0) {
  return k < sizes.size() ? sizes[k] : Integer(otherwise);
}
inline Integer AtLeast1(const Integer& n) { return n < 1 ? Integer(1) : n; }

inline Term Add(const Term& a, const Term& b) { return Join(Op::kAdd, a, b); }
inline Term Subtract(const Term& a, const Term& b) { return Join(Op::kSubtract, a, b); }
inline Term Multiply(const Term& a, const Integer& b) { return Join(Op::kMultiply, a, Number(b)); }
inline Term Floor(const Term& a, const Integer& b) { return Join(Op::kFloor, a, Number(b)); }
inline Term Modulo(const Term& a, const Integer& b) { return Join(Op::kModulo, a, Number(b)); }
inline Constraint Is0(const Term& term) { return {term, Integer(0), Integer(0)}; }
inline Constraint AtMost(const Term& term, const Integer& n) { return {term, std::nullopt, n}; }
inline Constraint AtLeast(const Term& term, const Integer& n) { return {term, n, std::nullopt}; }
inline void Append(Domain& domain, const Domain& more) {
  domain.insert(domain.end(), more.begin(), more.end());
}

inline std::vector<Term> ForEach(size_t count, const TermAt& at) {
  std::vector<Term> terms;
  for (size_t k = 0; k < count; ++k) terms.push_back(at(k));
  return terms;
}

// A map from an index of `out`.
inline Access Reading(std::vector<Producer> producers, const Sizes& out, const Sizes& ranges,
                      const Domain& facts, std::vector<Term> results) {
  Access access;
  Map& map = access.map;
  map.runtime = producers.size(), map.dims = out.size(), map.ranges = ranges.size();
  map.domain = Indices(map.runtime, out);
  Append(map.domain, Indices(map.runtime + map.dims, ranges));
  Append(map.domain, facts);
  map.results = std::move(results);
  access.producers = std::move(producers);
  return access;
}

// Says which elements of one operand are read.
class OperandReader {
 public:
  OperandReader(const HloOp& op, const std::vector<Sizes>& operands, const Sizes& out,
                const std::vector<size_t>& nodes, size_t k)
      : op_(op), operands_(operands), out_(out), nodes_(nodes), k_(k), operand_(Of(k)) {}

  std::vector<Access> Read() const;

 private:
  Sizes Of(size_t k) const { return k < operands_.size() ? operands_[k] : Sizes(); }
  size_t Node(size_t k) const { return DimAt(nodes_, k); }
  size_t rank() const { return out_.size(); }
  Access One(const Sizes& ranges, const Domain& facts, const TermAt& at) const {
    return Reading({}, out_, ranges, facts, ForEach(operand_.size(), at));
  }
  // The element with the index of the result.
  Access Own() const { return One({}, {}, Variable); }
  Access All() const {
    return One(operand_, {}, [&](size_t j) { return Variable(rank() + j); });
  }
  const Window& WindowAt(size_t d) const {
    static const Window none{1, 1, 1, 0, 1, 0, false};
    return d < op_.windows.size() ? op_.windows[d] : none;
  }
  Sizes Taps() const {
    Sizes taps;
    for (const Window& w : op_.windows) taps.push_back(w.taps);
    return taps;
  }
  // Where a tap of a window at a position lies, from the first element of the operand.
  static Term Tap(const Window& w, const Term& position, const Term& tap) {
    return Subtract(Add(Multiply(position, w.stride), Multiply(tap, w.dilation)), Number(w.low));
  }

  Access Moved() const;
  Access Reshaped() const;
  std::vector<Access> Padded() const;
  Access Concatenated() const;
  Access Reduced() const;
  Access ReducedByWindows() const;
  Access Multiplied() const;
  Access ConvolvedInput() const;
  Access ConvolvedKernel() const;
  std::vector<Producer> Starts(size_t first, const Sizes& array, const Sizes& slice) const;
  Access Sliced() const;
  std::vector<Access> Updated() const;
  std::vector<Term> IndexVector(const Sizes& indices, const TermAt& batch, const Term& c) const;
  Term Indexed(const TermAt& batch, const TermAt& window, size_t j) const;
  Access Gathered() const;
  Access Scattered() const;
  Access Selected() const;
  std::vector<Access> Chosen() const;

  const HloOp& op_;
  const std::vector<Sizes>& operands_;
  const Sizes& out_;
  const std::vector<size_t>& nodes_;
  size_t k_;
  Sizes operand_;
};

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_OPERAND_READER_H_
