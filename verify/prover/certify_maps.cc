// Certificates of claims about maps: facts and goals as the checker has them, and witnesses.
#include "verify/prover/certify_maps.h"

#include <utility>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/prover/inclusion.h"
#include "verify/prover/inverse.h"
#include "verify/prover/view.h"

namespace affirm {
namespace {

using prover::ArrayOf;
using prover::PlainText;
using prover::ProveInclusion;
using prover::ProveInjectivity;
using prover::View;
using prover::ViewOf;

llvm::Expected<std::string> Certify(const IndexingMap& a, const IndexingMap& b, bool equal) {
  if (a.IsUndefined() || b.IsUndefined())
    return MakeError("no certificate: an undefined map has none");
  std::string text = "affirm certificate 2\nclaim ";
  text += equal ? "equal\n" : "covers\n";
  text += "map " + PlainText(a) + "\nand\nmap " + PlainText(b) + "\n";
  for (bool forward : {true, false}) {
    if (forward && !equal) continue;
    const IndexingMap& from = forward ? a : b;
    const IndexingMap& to = forward ? b : a;
    if (from.IsKnownEmpty()) continue;
    std::string evidence = ProveInclusion(ViewOf(from), {ViewOf(to)}, *from.context());
    if (evidence.empty()) {
      return MakeError(llvm::Twine("no certificate: found no proof that the ") +
                       (forward ? "second covers the first" : "first covers the second"));
    }
    text += evidence;
  }
  return text + "end\n";
}

}  // namespace

llvm::Expected<std::string> CertifyEqual(const IndexingMap& a, const IndexingMap& b) {
  return Certify(a, b, true);
}
llvm::Expected<std::string> CertifyEqual(const IndexingMap& a, const IndexingMap& b,
                                         llvm::ArrayRef<SymbolicExpr> ranges_of_a,
                                         llvm::ArrayRef<SymbolicExpr> ranges_of_b) {
  const View first = ViewOf(a), second = ViewOf(b);
  const size_t outer = first.runtime + first.dims;
  const std::string forth = ProveInclusion(first, second, outer, ranges_of_b);
  if (forth.empty())
    return MakeError("no certificate: found no proof that the second covers the first");
  const std::string back = ProveInclusion(second, first, outer, ranges_of_a);
  if (back.empty())
    return MakeError("no certificate: found no proof that the first covers the second");
  return "affirm certificate 2\nclaim equal\nmap " + PlainText(a) + "\nand\nmap " + PlainText(b) +
         "\n" + forth + back + "end\n";
}
llvm::Expected<std::string> CertifyCovers(const IndexingMap& a, const IndexingMap& b) {
  return Certify(a, b, false);
}

llvm::Expected<std::string> CertifyBijection(const IndexingMap& m, llvm::ArrayRef<int64_t> shape) {
  if (m.state() != IndexingMap::State::kNormal || m.results().size() != shape.size())
    return MakeError("no certificate: expected a map with a result for each size of the shape");
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return MakeError("no certificate: the shape has a size below 0");
  const View map = ViewOf(m), array = ArrayOf(m, shape);
  std::string text = "affirm certificate 2\nclaim bijection shape ";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? "," : "") + std::to_string(shape[i]);
  text += "\nmap " + PlainText(m) + "\n";
  auto inverse = prover::InverseOf(m);
  if (!inverse) return MakeError("no certificate: found no inverse of the map");
  const std::pair<const char*, std::string> parts[] = {
      {"the map is injective", ProveInjectivity(map)},
      {"results are indices", ProveInclusion(map, array, map.runtime, map.results)},
      {"each index is a result", ProveInclusion(array, map, map.runtime, *inverse)}};
  for (const auto& [what, evidence] : parts) {
    if (evidence.empty())
      return MakeError(llvm::Twine("no certificate: found no proof that ") + what);
    text += evidence;
  }
  return text + "end\n";
}

}  // namespace affirm
