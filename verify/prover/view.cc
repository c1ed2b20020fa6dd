#include "verify/prover/view.h"

#include "core/indexing/map_text.h"

namespace affirm::prover {

std::string PlainText(const IndexingMap& map) {
  WrittenMap written = Written(map);
  for (auto& vars : written.vars) {
    for (Variable& v : vars) v.name.clear();
  }
  return ToString(written);
}

View ViewOf(const IndexingMap& m) {
  View view{.runtime = m.runtime().size(),
            .dims = m.dims().size(),
            .ranges = {},
            .facts = {},
            .results = m.results(),
            .empty = m.IsKnownEmpty()};
  for (const Variable& v : m.ranges()) view.ranges.push_back(v.bounds);
  Context& context = *m.context();
  for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
    for (size_t i = 0; i < m.vars(kind).size(); ++i) {
      view.facts.push_back(
          {context.Variable(kind, static_cast<int64_t>(i)), m.vars(kind)[i].bounds});
    }
  }
  view.facts.insert(view.facts.end(), m.constraints().begin(), m.constraints().end());
  return view;
}

View ArrayOf(const IndexingMap& m, llvm::ArrayRef<int64_t> shape) {
  View view{.runtime = m.runtime().size(), .dims = 0, .ranges = {}, .facts = {}, .results = {}};
  Context& context = *m.context();
  for (size_t i = 0; i < view.runtime; ++i) {
    view.facts.push_back({context.Variable(VarKind::kRuntime, static_cast<int64_t>(i)),
                          m.vars(VarKind::kRuntime)[i].bounds});
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    view.ranges.push_back(Interval{0, shape[i] - 1});
    view.results.push_back(context.Range(static_cast<int64_t>(i)));
    view.facts.push_back({view.results.back(), view.ranges.back()});
  }
  return view;
}

}  // namespace affirm::prover
