// sort and topk: the places that an element may have are those between the number of elements that
// surely come before it and the number of those that possibly do.
#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/enclosure/preconditions.h"
#include "verify/enclosure/rules.h"
#include "verify/enclosure/scalar_enclosures.h"
#include "verify/reference/ops.h"
#include "verify/reference/scalar_function.h"

namespace affirm::enclosure {

using hlo::Opcode;
using hlo::PrimitiveType;

namespace {

// Beyond this many comparisons in all rows nothing is said.
constexpr int64_t kMostComparisons = int64_t{1} << 23;

// Whether the first of two items, in the order of their positions, comes before the second one.
enum class Precedes : uint8_t { kNever, kPerhaps, kSurely };

struct Places {
  int64_t first = 0, last = 0;
};

std::vector<Places> PlacesOf(int64_t count,
                             llvm::function_ref<Precedes(int64_t, int64_t)> precedes) {
  std::vector<Places> places(count);
  for (int64_t a = 0; a < count; ++a) {
    for (int64_t b = a + 1; b < count; ++b) {
      const Precedes order = precedes(a, b);
      if (order != Precedes::kNever) ++places[b].last;
      if (order == Precedes::kSurely) ++places[b].first;
      if (order != Precedes::kSurely) ++places[a].last;
      if (order == Precedes::kNever) ++places[a].first;
    }
  }
  return places;
}

// The hull at each of the first `kept` places of what may be there.
LeafEnclosures AtPlaces(PrimitiveType type, llvm::ArrayRef<Places> places, int64_t kept,
                        llvm::function_ref<Enclosure(int64_t)> item) {
  std::vector<std::optional<Enclosure>> at(kept);
  for (auto [k, range] : llvm::enumerate(places)) {
    const Enclosure value = item(static_cast<int64_t>(k));
    for (int64_t place = range.first; place <= std::min(range.last, kept - 1); ++place)
      at[place] = at[place] ? Hull(type, *at[place], value) : value;
  }
  LeafEnclosures result;
  for (const auto& each : at) result.push_back(*each);
  return result;
}

// Rows along one dimension of an array.
class Rows {
 public:
  Rows(const hlo::Shape& shape, int64_t dimension) : size_(shape.dims[dimension]) {
    for (int64_t d = dimension + 1; d < shape.rank(); ++d) stride_ *= shape.dims[d];
    count_ = size_ == 0 ? 0 : shape.NumElements() / size_;
  }
  int64_t count() const { return count_; }
  int64_t size() const { return size_; }
  std::vector<int64_t> PositionsOf(int64_t row) const {
    std::vector<int64_t> positions(size_);
    const int64_t first = row / stride_ * stride_ * size_ + row % stride_;
    for (int64_t k = 0; k < size_; ++k) positions[k] = first + k * stride_;
    return positions;
  }

 private:
  int64_t size_, count_ = 0, stride_ = 1;
};

// Which operands the comparator looks at.
std::vector<bool> KeysOf(const hlo::Computation& comparator) {
  std::vector<bool> keys(comparator.parameters.size() / 2);
  for (const hlo::Instruction* parameter : comparator.parameters) {
    if (!parameter->users.empty() || parameter == comparator.root)
      keys[parameter->parameter_number / 2] = true;
  }
  return keys;
}

// A comparator that compares both elements of the one operand: its values are sorted, whichever of
// them a rounding brings first.
bool SortsByValue(const hlo::Instruction& op, const hlo::Computation& comparator) {
  const hlo::Instruction& root = *comparator.root;
  return op.operands.size() == 1 && root.opcode == Opcode::kCompare &&
         root.attributes.comparison_type != "TOTALORDER" &&
         root.operands[0]->opcode == Opcode::kParameter &&
         root.operands[1]->opcode == Opcode::kParameter &&
         root.operands[0]->parameter_number != root.operands[1]->parameter_number;
}

bool IsLess(hlo::ScalarFunction& less, llvm::ArrayRef<hlo::Scalar> both) {
  hlo::Scalar result;
  // The interpreter has compared them before.
  llvm::consumeError(less.Apply(both, result));
  return result.i != 0;
}

// By keys that are exact, everything is where the interpreter has it.
void SortRow(hlo::ScalarFunction& less, llvm::ArrayRef<int64_t> positions,
             EnclosedOperands operands, std::vector<LeafEnclosures>& leaves) {
  std::vector<int64_t> sorted = positions.vec();
  llvm::stable_sort(sorted, [&](int64_t a, int64_t b) {
    llvm::SmallVector<hlo::Scalar> both;
    for (const EnclosedValue* operand : operands) {
      both.push_back(hlo::Load(operand->value, a));
      both.push_back(hlo::Load(operand->value, b));
    }
    return IsLess(less, both);
  });
  for (auto [operand, leaf] : llvm::zip(operands, leaves)) {
    for (auto [to, from] : llvm::zip(positions, sorted)) leaf[to] = operand->At(0, from);
  }
}

// The k-th value lies between the k-th of the lower bounds and the k-th of the upper ones. False
// where a bound is none.
bool SortBounds(llvm::function_ref<bool(double, double)> less, llvm::ArrayRef<Enclosure> row,
                llvm::MutableArrayRef<Enclosure> sorted) {
  std::vector<double> lower, upper;
  for (const Enclosure& element : row) {
    if (element.real.nan) return false;
    lower.push_back(element.real.lo);
    upper.push_back(element.real.hi);
  }
  for (std::vector<double>* bounds : {&lower, &upper}) llvm::stable_sort(*bounds, less);
  for (auto [k, to] : llvm::enumerate(sorted))
    to = Enclosure::Real({.lo = lower[k], .hi = upper[k]});
  return true;
}

// By keys that are not exact. Elements that are surely equal stay in order, as the interpreter has
// them.
void SortByPlaces(ScalarEnclosures& less, llvm::ArrayRef<int64_t> positions,
                  EnclosedOperands operands, std::vector<LeafEnclosures>& leaves) {
  auto is_less = [&](int64_t a, int64_t b) {
    llvm::SmallVector<Enclosure> both;
    for (const EnclosedValue* operand : operands)
      both.append({operand->At(0, positions[a]), operand->At(0, positions[b])});
    return less.Apply(both)[0];
  };
  const std::vector<Places> places =
      PlacesOf(std::ssize(positions), [&](int64_t a, int64_t b) -> Precedes {
        const Enclosure forth = is_less(a, b);
        if (forth.lo == 1) return Precedes::kSurely;
        const Enclosure back = is_less(b, a);
        if (back.lo == 1) return Precedes::kNever;
        return back.hi == 0 ? Precedes::kSurely : Precedes::kPerhaps;
      });
  for (auto [operand, leaf] : llvm::zip(operands, leaves)) {
    const LeafEnclosures sorted =
        AtPlaces(operand->value.shape().type, places, std::ssize(positions),
                 [&](int64_t k) { return operand->At(0, positions[k]); });
    for (auto [to, element] : llvm::zip(positions, sorted)) leaf[to] = element;
  }
}

}  // namespace

llvm::Error EncloseSort(Evaluation& of) {
  // HLO leaves open where what is sorted has no order.
  if (!AreExact(of.operands) && MaySortNaNs(of.op, of.operands)) {
    of.MakeWhole();
    return llvm::Error::success();
  }
  auto callee = hlo::Callee(of.op, "to_apply");
  if (!callee) return callee.takeError();
  const std::vector<bool> keys = KeysOf(**callee);
  bool keys_are_exact = true;
  for (auto [operand, is_key] : llvm::zip(of.operands, keys))
    keys_are_exact = keys_are_exact && (!is_key || IsExact(*operand));
  const EnclosedValue& first = *of.operands[0];
  const PrimitiveType type = first.value.shape().type;
  const bool by_value = !keys_are_exact && SortsByValue(of.op, **callee) && hlo::IsFloat(type);
  llvm::SmallVector<PrimitiveType> types;
  for (const EnclosedValue* operand : of.operands) types.append(2, operand->value.shape().type);
  auto less = hlo::ScalarFunction::Create(of.op, **callee, types, {PrimitiveType::kPred});
  if (!less) return less.takeError();
  auto compares = ScalarEnclosures::Create(**callee, of.freedom);
  for (auto [operand, leaf] : llvm::zip(of.operands, of.result.leaves))
    leaf.resize(CountOf(operand->value));
  const Rows rows(first.value.shape(), of.op.attributes.dimensions[0]);
  const bool may_compare = compares && rows.count() * rows.size() <=
                                           kMostComparisons / std::max<int64_t>(1, rows.size());
  for (int64_t row = 0; row < rows.count(); ++row) {
    const std::vector<int64_t> positions = rows.PositionsOf(row);
    if (keys_are_exact) {
      SortRow(*less, positions, of.operands, of.result.leaves);
      continue;
    }
    if (by_value) {
      LeafEnclosures values, sorted(positions.size());
      for (const int64_t from : positions) values.push_back(first.At(0, from));
      auto is_less = [&](double a, double b) {
        return IsLess(*less, {hlo::Scalar{.re = a}, hlo::Scalar{.re = b}});
      };
      if (SortBounds(is_less, values, sorted)) {
        for (auto [to, value] : llvm::zip(positions, sorted)) of.result.leaves[0][to] = value;
        continue;
      }
    }
    if (!may_compare) {
      of.MakeWhole();
      break;
    }
    SortByPlaces(*compares, positions, of.operands, of.result.leaves);
  }
  return llvm::Error::success();
}

// Floats are compared in total order, as the interpreter does; of enclosures that are no single
// numbers both orders may be where they meet.
void EncloseTopK(Evaluation& of) {
  const EnclosedValue& operand = *of.operands[0];
  const PrimitiveType type = operand.value.shape().type;
  const Rows rows(operand.value.shape(), operand.value.shape().rank() - 1);
  const int64_t kept = of.op.shape.tuple[0].dims.back();
  const bool may_compare =
      rows.count() * rows.size() <= kMostComparisons / std::max<int64_t>(1, rows.size());
  if (!hlo::IsFloat(type) || !may_compare) return of.MakeWhole();
  const std::string* largest = of.op.attributes.FindExtra("largest");
  const bool descends = largest == nullptr || *largest == "true";
  for (int64_t row = 0; row < rows.count(); ++row) {
    const std::vector<int64_t> positions = rows.PositionsOf(row);
    LeafEnclosures items;
    for (const int64_t from : positions) items.push_back(operand.At(0, from));
    const std::vector<Places> places = PlacesOf(rows.size(), [&](int64_t a, int64_t b) -> Precedes {
      const Interval &x = items[a].real, &y = items[b].real;
      if (x.IsPoint() && y.IsPoint()) {
        const int64_t of_x = hlo::TotalOrderKey(hlo::Load(operand.value, positions[a]).re),
                      of_y = hlo::TotalOrderKey(hlo::Load(operand.value, positions[b]).re);
        const bool precedes = descends ? of_x >= of_y : of_x <= of_y;
        return precedes ? Precedes::kSurely : Precedes::kNever;
      }
      if (x.nan || y.nan) return Precedes::kPerhaps;
      if (x.lo > y.hi) return descends ? Precedes::kSurely : Precedes::kNever;
      if (x.hi < y.lo) return descends ? Precedes::kNever : Precedes::kSurely;
      return Precedes::kPerhaps;
    });
    LeafEnclosures values(items.size());
    auto precedes = [&](double a, double b) { return descends ? a > b : a < b; };
    if (SortBounds(precedes, items, values)) {
      values.resize(kept);
    } else {
      values = AtPlaces(type, places, kept, [&](int64_t k) { return items[k]; });
    }
    llvm::append_range(of.result.leaves[0], values);
    llvm::append_range(of.result.leaves[1],
                       AtPlaces(of.op.shape.tuple[1].type, places, kept,
                                [](int64_t k) { return Enclosure::Integers(k, k); }));
  }
}

}  // namespace affirm::enclosure
