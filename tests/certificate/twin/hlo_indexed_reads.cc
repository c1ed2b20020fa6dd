// Ops whose indices are elements of other arrays, and those that choose.
#include <optional>
#include <utility>

#include "tests/certificate/twin/operand_reader.h"

namespace twin {

// The starts of a slice of these sizes: scalars, or one vector.
std::vector<Producer> OperandReader::Starts(size_t first, const Sizes& array,
                                            const Sizes& slice) const {
  const bool is_vector = operands_.size() == first + 1 && Of(first).size() == 1;
  std::vector<Producer> starts;
  for (size_t d = 0; d < array.size(); ++d) {
    Producer start = {Node(is_vector ? first : first + d), {}, SizeAt(array, d) - SizeAt(slice, d)};
    if (is_vector) start.at.push_back(Number(d));
    starts.push_back(std::move(start));
  }
  return starts;
}

Access OperandReader::Sliced() const {
  if (k_ != 0) return All();
  const std::vector<Producer> starts = Starts(1, operand_, out_);
  return Reading(starts, out_, {}, Clamped(starts), ForEach(operand_.size(), [&](size_t j) {
                   return Add(Variable(operand_.size() + j), Variable(j));
                 }));
}

std::vector<Access> OperandReader::Updated() const {
  if (k_ > 1) return {All()};
  const std::vector<Producer> starts = Starts(2, out_, Of(1));
  const auto offset = [&](size_t j) { return Subtract(Variable(rank() + j), Variable(j)); };
  if (k_ == 1)
    return {Reading(starts, out_, {}, Clamped(starts), ForEach(operand_.size(), offset))};
  // The array is read where the update does not lie.
  std::vector<Access> all;
  for (size_t d = 0; d < rank(); ++d)
    for (const Constraint& outside :
         {AtMost(offset(d), -1), AtLeast(offset(d), SizeAt(Of(1), d))}) {
      Domain facts = {outside};
      Append(facts, Clamped(starts));
      all.push_back(Reading(starts, out_, {}, facts,
                            ForEach(rank(), [&](size_t j) { return Variable(rank() + j); })));
    }
  return all;
}

// The index of component c of an index vector.
std::vector<Term> OperandReader::IndexVector(const Sizes& indices, const TermAt& batch,
                                             const Term& c) const {
  const size_t vector = op_.indexing.vector;
  return ForEach(indices.size(),
                 [&](size_t j) { return j == vector ? c : batch(Kept({vector}, j)); });
}

// The start, the batch coordinate and the offset within a slice, along dimension j of the array.
Term OperandReader::Indexed(const TermAt& batch, const TermAt& window, size_t j) const {
  const Indexing& i = op_.indexing;
  const Dims missing = Joined(i.missing, i.batching);
  const Term start = Contains(i.indexed, j) ? Variable(Place(j, i.indexed)) : Number(0);
  const Term paired = Contains(i.batching, j)
                          ? batch(Kept({i.vector}, DimAt(i.indices_batching, Place(j, i.batching))))
                          : Number(0);
  const Term offset = Contains(missing, j) ? Number(0) : window(Kept(missing, j));
  return Add(Add(start, paired), offset);
}

Access OperandReader::Gathered() const {
  const Indexing& i = op_.indexing;
  const Sizes indices = Of(1);
  const Dims batches = Among(i.windows, rank(), false), windows = Among(i.windows, rank(), true);
  const size_t r = k_ == 0 ? i.indexed.size() : 0;
  const auto batch = [&](size_t n) { return Variable(r + DimAt(batches, n)); };
  if (k_ == 0) {
    std::vector<Producer> starts;
    starts.reserve(r);
    for (size_t c = 0; c < r; ++c)
      starts.push_back({Node(1), IndexVector(indices, batch, Number(c)),
                        SizeAt(operand_, i.indexed[c]) - SizeAt(op_.slice_sizes, i.indexed[c], 1)});
    const auto window = [&](size_t n) { return Variable(r + DimAt(windows, n)); };
    return Reading(starts, out_, {}, Clamped(starts),
                   ForEach(operand_.size(), [&](size_t j) { return Indexed(batch, window, j); }));
  }
  if (i.vector < indices.size())
    return Reading({}, out_, {SizeAt(indices, i.vector)}, {},
                   IndexVector(indices, batch, Variable(rank())));
  return Reading({}, out_, {}, {}, IndexVector(indices, batch, Number(0)));
}

Access OperandReader::Scattered() const {
  const size_t arrays = operands_.size() / 2;
  if (k_ < arrays) return Own();
  if (k_ == arrays) return All();
  const Indexing& i = op_.indexing;
  const size_t r = i.indexed.size();
  const Dims batches = Among(i.windows, operand_.size(), false);
  const Dims windows = Among(i.windows, operand_.size(), true);
  const auto s = [&](size_t m) { return Variable(r + rank() + m); };
  const auto batch = [&](size_t n) { return s(DimAt(batches, n)); };
  const auto window = [&](size_t n) { return s(DimAt(windows, n)); };
  std::vector<Producer> starts;
  starts.reserve(r);
  for (size_t c = 0; c < r; ++c)
    starts.push_back({Node(arrays), IndexVector(Of(arrays), batch, Number(c)), std::nullopt});
  const Dims missing = Joined(i.missing, i.batching);
  Domain facts;
  for (size_t j = 0; j < rank(); ++j) {
    facts.push_back(Is0(Subtract(Variable(r + j), Indexed(batch, window, j))));
    if (!Contains(i.indexed, j)) continue;
    const Integer width =
        Contains(missing, j) ? Integer(1) : SizeAt(operand_, DimAt(windows, Kept(missing, j)));
    facts.push_back({Variable(Place(j, i.indexed)), Integer(0), Integer(out_[j] - width)});
  }
  return Reading(starts, out_, operand_, facts, ForEach(operand_.size(), s));
}

// Element o lies under tap t of the window at a position of the source.
Access OperandReader::Selected() const {
  if (k_ > 1) return Own();
  const size_t r = rank(), first = k_ == 0 ? r + r : r;
  const auto under = [&](size_t j) {
    const Window& w = WindowAt(j);
    return Subtract(Add(Variable(j), Number(w.low)), Multiply(Variable(first + j), w.dilation));
  };
  const auto position = [&](size_t j) { return Floor(under(j), WindowAt(j).stride); };
  Domain facts;
  for (size_t j = 0; j < r; ++j) {
    facts.push_back(Is0(Modulo(under(j), WindowAt(j).stride)));
    facts.push_back({position(j), Integer(0), Integer(SizeAt(Of(1), j) - 1)});
  }
  if (k_ == 1) return One(Taps(), facts, position);
  Sizes ranges = Taps();
  for (const Integer& size : Taps()) ranges.push_back(size);
  return One(ranges, facts,
             [&](size_t j) { return Tap(WindowAt(j), position(j), Variable(r + j)); });
}

// A branch of a conditional; an index outside chooses the last one.
std::vector<Access> OperandReader::Chosen() const {
  if (k_ == 0) return {Own()};
  const auto where = [&](std::optional<Integer> lower, std::optional<Integer> upper) {
    const Producer selector = {
        Node(0), {}, op_.of_predicate ? std::optional<Integer>(1) : std::nullopt};
    return Reading({selector}, out_, {}, {{Variable(0), std::move(lower), std::move(upper)}},
                   ForEach(operand_.size(), [](size_t j) { return Variable(j + 1); }));
  };
  const Integer branch = op_.of_predicate ? Integer(2 - Integer(k_)) : Integer(k_ - 1);
  if (op_.of_predicate || k_ + 1 < operands_.size()) return {where(branch, branch)};
  return {where(std::nullopt, Integer(-1)), where(branch, std::nullopt)};
}

}  // namespace twin
