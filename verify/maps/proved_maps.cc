#include "verify/maps/proved_maps.h"

namespace affirm {
namespace {

// False where the map is not all that the claim is about.
bool Put(ClaimEncoder& encoder, const IndexingMap& map) {
  if (map.IsUndefined() || !map.runtime().empty()) return false;
  encoder.Put(static_cast<int64_t>(map.state()));
  if (map.IsKnownEmpty()) return true;
  for (const std::vector<Variable>* variables : {&map.dims(), &map.ranges()}) {
    encoder.PutSize(variables->size());
    for (const Variable& variable : *variables) encoder.Put(variable.bounds);
  }
  encoder.PutSize(map.constraints().size());
  for (const Constraint& constraint : map.constraints()) {
    encoder.Put(constraint.expr);
    encoder.Put(constraint.bounds);
  }
  encoder.PutSize(map.results().size());
  for (SymbolicExpr result : map.results()) encoder.Put(result);
  return true;
}

}  // namespace

std::optional<std::string> EncodingOf(MapClaim claim, llvm::ArrayRef<IndexingMap> a,
                                      llvm::ArrayRef<IndexingMap> b,
                                      llvm::ArrayRef<int64_t> shape) {
  ClaimEncoder encoder;
  // Queries begin with how many variables they have.
  encoder.Put(-1 - static_cast<int64_t>(claim));
  for (llvm::ArrayRef<IndexingMap> maps : {a, b}) {
    encoder.PutSize(maps.size());
    for (const IndexingMap& map : maps) {
      if (!Put(encoder, map)) return std::nullopt;
    }
  }
  encoder.PutSize(shape.size());
  for (int64_t size : shape) encoder.Put(size);
  return encoder.Take();
}

}  // namespace affirm
