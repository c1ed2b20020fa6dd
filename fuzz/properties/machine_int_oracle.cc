// Executes the code of a map in machine integers at every point, and looks for an overflow.
#include "fuzz/properties/machine_int_oracle.h"

namespace affirm::fuzz {
namespace {

// The number that `value` is at a point.
std::optional<BigInt> At(SymbolicExpr value, const IndexPoint& point) {
  auto wide = value.EvaluateWide(point.dims, point.ranges, point.runtime);
  if (!wide) return std::nullopt;
  llvm::APInt bits(128, {static_cast<uint64_t>(*wide), static_cast<uint64_t>(*wide >> 64)});
  return BigInt(bits);
}

}  // namespace

BigInt AsInteger(const llvm::APInt& bits, Signedness signedness) {
  const unsigned wider = bits.getBitWidth() + 1;
  return BigInt(signedness == Signedness::kSigned ? bits.sext(wider) : bits.zext(wider));
}

std::optional<bool> OverflowsSomewhere(const IndexingMap& map, unsigned width,
                                       Signedness signedness) {
  bool overflows = false;
  const IndexCode code = MakeIndexCode(map, signedness);
  IndexingMap box = map;
  box.SetConstraints({});
  const bool visited = box.ForEachPoint([&](auto dims, auto ranges, auto runtime) {
    const IndexPoint point{dims.vec(), ranges.vec(), runtime.vec()};
    const bool inside = map.InDomain(dims, ranges, runtime);
    auto machine = Execute(code, width, point);
    for (size_t k = 0; k < code.steps.size(); ++k) {
      if (code.steps[k].guarded && !inside) continue;
      overflows |= !machine[k];
      // Without a value: a quotient of which only execution tells that it has none.
      if (overflows || !code.steps[k].value) continue;
      auto expected = At(code.steps[k].value, point);
      overflows |= !expected || AsInteger(*machine[k], signedness) != *expected;
    }
    return true;
  });
  if (!visited) return std::nullopt;
  return overflows;
}

}  // namespace affirm::fuzz
