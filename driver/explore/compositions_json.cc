#include "driver/explore/compositions_json.h"

#include <map>
#include <utility>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/simplify/simplify.h"
#include "driver/check/trace_text.h"
#include "driver/json_text.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/rules/replay.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr size_t kMostMaps = 16;      // to one array
constexpr size_t kMostSteps = 200;    // of a simplification that is shown
constexpr uint32_t kLargest = 2'000;  // nodes of a map's results

std::string ResultsText(llvm::ArrayRef<SymbolicExpr> results) {
  std::string text;
  for (SymbolicExpr result : results) text += (text.empty() ? "" : ", ") + result.ToString();
  return "(" + text + ")";
}

// The steps, with the results behind each one where replacing the expressions that were rewritten
// leads to the results that came out.
Array StepsJson(const IndexingMap& raw, const IndexingMap& simplified, const Trace& trace,
                const RuleTable& rules) {
  std::vector<SymbolicExpr> results(raw.results().begin(), raw.results().end());
  std::vector<std::string> after;
  for (const TraceStep& step : trace.steps) {
    if (step.before && step.after && llvm::StringRef(step.place).starts_with("results")) {
      for (SymbolicExpr& result : results) result = result.Replace(step.before, step.after);
    }
    after.push_back(ResultsText(results));
  }
  const bool arrives = ResultsText(results) == ResultsText(simplified.results());
  Array steps;
  for (size_t k = 0; k < std::min(trace.steps.size(), kMostSteps); ++k) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::json::OStream stream(os);
    WriteStep(stream, trace.steps[k], rules);
    auto parsed = llvm::json::parse(text);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      continue;
    }
    if (arrives) (*parsed->getAsObject())["results"] = JsonText(after[k]);
    steps.push_back(std::move(*parsed));
  }
  return steps;
}

class Composer {
 public:
  Composer(const hlo::Computation& computation, Context& context, MapPool& maps,
           CompositionBudget& budget)
      : computation_(computation), context_(context), maps_(maps), budget_(budget) {}

  Object Run(int64_t output) {
    const hlo::Shape* shape = LeafShape(computation_.root->shape, output);
    if (!shape || !shape->IsArray()) return {};
    IndexingMap identity = IndexingMap::Identity(context_, shape->dims);
    Put({computation_.root, output}, {identity, Exactness::kExact, output, {}},
        Object{{"raw", JsonText(identity.ToString())}, {"steps", Array{}}, {"replayed", true}});
    for (size_t i = computation_.instructions.size(); i-- > 0;) {
      const hlo::Instruction& op = *computation_.instructions[i];
      for (int64_t leaf = 0; leaf < NumLeaves(op.shape); ++leaf) Pass(op, leaf);
    }
    Object json;
    for (auto& [id, list] : json_) json[std::to_string(id)] = std::move(list);
    return json;
  }

 private:
  using ArrayLeaf = std::pair<const hlo::Instruction*, int64_t>;
  using Key = std::pair<int64_t, int64_t>;  // the instruction's id, the leaf

  void Put(ArrayLeaf array, const LabeledMap& map, Object how) {
    found_[{array.first->id, array.second}].push_back(map);
    how["map"] = maps_.Add(map.map);
    how["exactness"] = affirm::Name(map.exactness);
    how["leaf"] = array.second;
    json_[array.first->id].push_back(std::move(how));
  }

  void Pass(const hlo::Instruction& op, int64_t leaf) {
    auto outers = found_.find({op.id, leaf});
    if (outers == found_.end() || op.operands.empty()) return;
    const InstructionIndexing indexing = OutputToInput(op, leaf, context_);
    // Put may add to the lists, not to this one: operands are other instructions.
    for (const LabeledMap& outer : outers->second) {
      for (size_t k = 0; k < indexing.maps.size(); ++k) {
        for (const LabeledMap& inner : indexing.maps[k]) Add(op, *op.operands[k], outer, inner);
      }
    }
  }

  void Add(const hlo::Instruction& user, const hlo::Instruction& operand, const LabeledMap& outer,
           const LabeledMap& inner) {
    if (outer.map.IsUndefined() || inner.map.IsUndefined() || inner.replica_id) return;
    if (budget_.compositions <= 0) return;
    --budget_.compositions;
    const IndexingMap raw = Compose(outer.map, inner.map);
    for (SymbolicExpr result : raw.results()) {
      if (result.size() > kLargest) return;
    }
    const RuleTable& rules = RuleTable::Builtin();
    Trace trace;
    const IndexingMap rewritten = Simplify(raw, rules, &trace);
    const IndexingMap simplified = RemoveUnusedVariables(rewritten);
    if (simplified.IsKnownEmpty()) return;
    std::vector<LabeledMap>& list = found_[{operand.id, inner.leaf}];
    const bool known =
        llvm::any_of(list, [&](const LabeledMap& other) { return other.map == simplified; });
    if (known || list.size() >= kMostMaps) return;
    Object how{{"of", user.id},
               {"before", maps_.Add(outer.map)},
               {"then", maps_.Add(inner.map)},
               {"raw", JsonText(raw.ToString())},
               {"steps", StepsJson(raw, rewritten, trace, rules)},
               {"replayed", Replay(raw, rewritten, trace, rules.rules()).ok()}};
    Put({&operand, inner.leaf},
        {simplified, std::max(outer.exactness, inner.exactness), inner.leaf, {}}, std::move(how));
  }

  const hlo::Computation& computation_;
  Context& context_;
  MapPool& maps_;
  CompositionBudget& budget_;
  std::map<Key, std::vector<LabeledMap>> found_;
  std::map<int64_t, Array> json_;
};

}  // namespace

Object CompositionsJson(const hlo::Computation& computation, int64_t output, Context& context,
                        MapPool& maps, CompositionBudget& budget) {
  return Composer(computation, context, maps, budget).Run(output);
}

}  // namespace affirm::driver
