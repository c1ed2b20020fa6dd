// The text of a point at which two maps differ.
#include <string>
#include <vector>

#include "core/symbolic/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/maps/maps.h"

namespace affirm {

std::string MapCounterexample::ToString(const IndexingMap& lhs_map) const {
  std::string text;
  auto add = [&](VarKind kind, llvm::ArrayRef<int64_t> values) {
    for (size_t k = 0; k < values.size(); ++k) {
      bool named = k < lhs_map.vars(kind).size();
      text += text.empty() ? "" : ", ";
      text += named ? lhs_map.VariableName(kind, static_cast<int64_t>(k))
                    : DefaultVariableName(kind, static_cast<int64_t>(k));
      text += " = " + std::to_string(values[k]);
    }
  };
  add(VarKind::kDim, dims);
  add(VarKind::kRuntime, runtime);
  auto set = [](const std::vector<std::vector<BigInt>>& tuples, bool truncated) {
    std::string s;
    llvm::raw_string_ostream os(s);
    for (const std::vector<BigInt>& tuple : tuples) {
      os << (s.empty() ? "(" : ", (");
      llvm::interleaveComma(tuple, os);
      os << ")";
    }
    return "{" + s + (truncated ? ", ...}" : "}");
  };
  if (text.empty()) text = "everywhere";
  text += ": lhs " + set(lhs, lhs_truncated) + ", rhs " + set(rhs, rhs_truncated);
  return note.empty() ? text : text + "; " + note;
}

}  // namespace affirm
