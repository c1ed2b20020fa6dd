// A wrong map is never proved. The maps of random instances of every op, with sizes down to zero,
// are changed in some way; what is then still proved must be right by enumeration of the map, and
// of the access relation at each pair of indices. AFFIRM_CASES is the number of instances of an op
// (3).
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "fuzz/generators/op_instances.h"
#include "fuzz/properties/enumerated_map.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/decide/evaluate.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/maps/point_set.h"

namespace affirm {
namespace {

using fuzz::Choices;
using Tuple = std::vector<int64_t>;

IndexingMap Rebuilt(const IndexingMap& m, std::vector<SymbolicExpr> results,
                    std::vector<Variable> dims, std::vector<Variable> ranges,
                    std::vector<Constraint> constraints) {
  SymbolicMap symbolic(std::ssize(dims), std::ssize(ranges), std::ssize(m.runtime()),
                       std::move(results));
  return IndexingMap(*m.context(), std::move(symbolic), std::move(dims), std::move(ranges),
                     m.runtime(), constraints);
}

// The map with one thing changed: a result, a bound, a constraint, the number of results.
IndexingMap Changed(Choices& choices, const IndexingMap& m) {
  std::vector<SymbolicExpr> results = m.results().vec();
  std::vector<Variable> dims = m.dims(), ranges = m.ranges();
  std::vector<Constraint> constraints = m.constraints();
  const int64_t by = choices.Pick<int64_t>({-2, -1, 1, 1, 3});
  auto move = [&](Interval& bounds) {
    if (choices.OneIn(2)) {
      bounds.lower -= by;
    } else {
      bounds.upper += by;
    }
  };
  switch (choices.Below(8)) {
    case 0:
      if (!results.empty()) {
        SymbolicExpr& e = results[choices.Below(results.size())];
        e = e + m.context()->Constant(by);
      }
      break;
    case 1:
      if (!dims.empty()) move(dims[choices.Below(dims.size())].bounds);
      break;
    case 2:
      if (!ranges.empty()) move(ranges[choices.Below(ranges.size())].bounds);
      break;
    case 3:
      if (!constraints.empty())
        constraints.erase(constraints.begin() + choices.Below(constraints.size()));
      break;
    case 4:
      if (!constraints.empty()) move(constraints[choices.Below(constraints.size())].bounds);
      break;
    case 5:
      if (results.size() > 1) std::swap(results.front(), results.back());
      break;
    case 6:
      if (!results.empty() && !dims.empty()) {
        results[choices.Below(results.size())] = m.context()->Dim(choices.Below(dims.size()));
      }
      break;
    default:
      if (results.empty() || choices.OneIn(2)) {
        results.push_back(m.context()->Constant(0));
      } else {
        results.pop_back();
      }
  }
  return Rebuilt(m, std::move(results), std::move(dims), std::move(ranges), std::move(constraints));
}

// A map that was made without looking at the op, over `from` or a little more.
LabeledMap Invented(Choices& choices, Context& context, llvm::ArrayRef<Interval> from, size_t to) {
  std::vector<int64_t> sizes;
  for (const Interval& bounds : from) sizes.push_back(bounds.upper + 1 + choices.Between(0, 2));
  std::vector<SymbolicExpr> results;
  for (size_t i = 0; i < to; ++i) {
    results.push_back(sizes.empty() ? context.Constant(choices.Between(0, 2))
                                    : context.Dim(choices.Below(sizes.size())));
  }
  LabeledMap made;
  made.map = IndexingMap::FromShapes(context, results, sizes, {});
  made.exactness = choices.OneIn(2) ? Exactness::kExact : Exactness::kOverApproximate;
  return made;
}

bool Inside(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<Interval> box) {
  return index.size() == box.size() && llvm::all_of(llvm::zip(index, box), [](const auto& at) {
           return std::get<1>(at).Contains(std::get<0>(at));
         });
}

// The fault of the maps, by enumeration; empty if they are right, nullopt if that takes too long.
std::optional<std::string> Wrong(const AccessRelation& r, llvm::ArrayRef<LabeledMap> maps,
                                 bool to_input, Context& context) {
  const std::vector<Interval>&from = to_input ? r.output : r.input,
        &to = to_input ? r.input : r.output;
  std::set<std::pair<Tuple, Tuple>> exact, all, read;
  for (const LabeledMap& m : maps) {
    auto pairs = fuzz::Enumerate(m.map, 1 << 14);
    if (!pairs) return std::nullopt;
    for (const auto& [at, set] : *pairs) {
      if (!Inside(at.first, from)) return "a domain beyond the array";
      for (const Tuple& index : set) {
        all.insert({at.first, index});
        if (m.exactness == Exactness::kExact) exact.insert({at.first, index});
        if (CountBox(to) == 0) return "an index of an array without elements";
      }
    }
  }
  std::optional<int64_t> points = CountBox(r.output), others = CountBox(r.input);
  if (!points || !others || *points * *others > 1 << 14) return std::nullopt;
  SolverQuery q{.context = &context, .variables = r.output, .names = {}, .claim = r.reads};
  llvm::append_range(q.variables, r.input);
  llvm::append_range(q.variables, r.extra);
  bool evaluated = true;
  ForEachInBox(r.output, [&](llvm::ArrayRef<int64_t> out, int64_t) {
    ForEachInBox(r.input, [&](llvm::ArrayRef<int64_t> in, int64_t) {
      Tuple point = out.vec();
      llvm::append_range(point, in);
      point.resize(q.variables.size());
      auto is_read = EvaluateClaim(q, point, 1 << 14);
      evaluated &= is_read.has_value();
      if (is_read == true && to_input) read.insert({out.vec(), in.vec()});
      if (is_read == true && !to_input) read.insert({in.vec(), out.vec()});
      return evaluated;
    });
    return evaluated;
  });
  if (!evaluated) return std::nullopt;
  if (!std::includes(all.begin(), all.end(), read.begin(), read.end())) return "a read is missing";
  if (!std::includes(read.begin(), read.end(), exact.begin(), exact.end())) return "too much";
  if (!exact.empty() && r.upper_bound) return "exact, where values decide";
  return "";
}

struct Tally {
  int64_t proved = 0, refuted = 0, unknown = 0, wrong = 0, of_nothing = 0;
};

class WrongMaps {
 public:
  WrongMaps(const hlo::Instruction& op, const std::string& text, Choices& choices, Tally& tally)
      : op_(op), text_(text), choices_(choices), tally_(tally) {}

  void Run() {
    for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      for (size_t id = 0; id < LeafShapes(op_.shape).size(); ++id) {
        for (size_t k = 0; k < op_.operands.size(); ++k) {
          for (size_t leaf = 0; leaf < LeafShapes(op_.operands[k]->shape).size(); ++leaf) {
            Try(direction, id, k, leaf);
          }
        }
      }
    }
  }

 private:
  void Try(Direction direction, size_t id, size_t k, size_t leaf) {
    auto relation = AccessRelationOf(op_, id, k, context_, leaf);
    if (!relation || !relation->runtime.empty()) return;
    const bool to_input = direction == Direction::kOutputToInput;
    InstructionIndexing indexing = to_input ? OutputToInput(op_, id, context_, {.exact = true})
                                            : InputToOutput(op_, k, context_, {.exact = true});
    std::vector<LabeledMap> maps;
    for (LabeledMap& m : indexing.maps[to_input ? k : id]) {
      m.replica_id.reset();
      if (m.leaf == static_cast<int64_t>(leaf) && !m.map.IsUndefined())
        maps.push_back(std::move(m));
    }
    for (int64_t change = 0; change < 3; ++change) {
      std::vector<LabeledMap> changed = maps;
      const bool invent = maps.empty() || choices_.OneIn(4);
      if (invent) {
        changed.push_back(Invented(choices_, context_,
                                   to_input ? relation->output : relation->input,
                                   (to_input ? relation->input : relation->output).size()));
      } else {
        LabeledMap& m = changed[choices_.Below(changed.size())];
        if (choices_.OneIn(8)) m.exactness = Exactness::kExact;
        m.map = Changed(choices_, m.map);
      }
      Judge(*relation, changed, direction);
    }
  }

  void Judge(const AccessRelation& relation, llvm::ArrayRef<LabeledMap> maps, Direction direction) {
    const bool to_input = direction == Direction::kOutputToInput;
    const MapProofResult answer = ProveMaps(relation, maps, direction);
    std::optional<std::string> wrong = Wrong(relation, maps, to_input, context_);
    tally_.proved += answer.verdict == Verdict::kProved;
    tally_.refuted += answer.verdict == Verdict::kRefuted;
    tally_.unknown += answer.verdict == Verdict::kUnknown;
    if (!wrong) return;
    const bool nothing = CountBox(relation.output) == 0 || CountBox(relation.input) == 0;
    tally_.wrong += !wrong->empty();
    tally_.of_nothing += !wrong->empty() && nothing;
    auto said = [&] {
      std::string text = to_input ? "output to input\n" : "input to output\n";
      for (const LabeledMap& m : maps)
        text += std::string(Name(m.exactness)) + " " + m.map.ToString() + "\n";
      return text + text_;
    };
    if (!wrong->empty()) {
      EXPECT_NE(answer.verdict, Verdict::kProved) << *wrong << "\n" << said();
    } else {
      EXPECT_NE(answer.verdict, Verdict::kRefuted) << said();
    }
  }

  const hlo::Instruction& op_;
  const std::string& text_;
  Choices& choices_;
  Tally& tally_;
  Context context_;
};

TEST(WrongMaps, AreNeverProved) {
  const char* wanted = std::getenv("AFFIRM_CASES");
  const int64_t cases = wanted ? std::max(1, std::atoi(wanted)) : 3;
  Tally tally;
  for (hlo::Opcode opcode : fuzz::GeneratedOpcodes()) {
    for (int64_t seed = 0; seed < cases; ++seed) {
      const std::vector<uint8_t> bytes = fuzz::SeededBytes(
          static_cast<uint64_t>(seed) * 1000 + static_cast<uint64_t>(opcode), 600);
      Choices choices(bytes);
      fuzz::OpLimits limits;
      if (seed % 3 == 2) limits.one_in_empty = 2;
      auto module = fuzz::GenerateOpInstance(choices, opcode, limits);
      ASSERT_TRUE(module);
      const std::string text = hlo::ToString(*module);
      WrongMaps(*module->entry->root, text, choices, tally).Run();
    }
  }
  std::printf("%ld wrong (%ld of arrays without elements); %ld proved, %ld refuted, %ld unknown\n",
              static_cast<long>(tally.wrong), static_cast<long>(tally.of_nothing),
              static_cast<long>(tally.proved), static_cast<long>(tally.refuted),
              static_cast<long>(tally.unknown));
  EXPECT_GT(tally.wrong, 100);
  EXPECT_GT(tally.of_nothing, 5);
  EXPECT_GT(tally.proved, 20);
}

}  // namespace
}  // namespace affirm
