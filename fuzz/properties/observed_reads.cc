// Runs an instruction in the interpreter, records its reads, and compares them with its maps.
#include "fuzz/properties/observed_reads.h"

#include <algorithm>

#include "core/hlo/leaves.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/reference/control.h"
#include "verify/reference/interpreter.h"

namespace affirm::fuzz {
namespace {

std::vector<hlo::Shape> ShapesOf(const hlo::Shape& shape) {
  std::vector<hlo::Shape> leaves;
  for (const hlo::Shape* leaf : LeafShapes(shape)) leaves.push_back(*leaf);
  return leaves;
}

int64_t Linear(llvm::ArrayRef<int64_t> index, const std::vector<int64_t>& sizes) {
  int64_t linear = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (index[d] < 0 || index[d] >= sizes[d]) return -1;
    linear = linear * sizes[d] + index[d];
  }
  return linear;
}

llvm::Error Wrong(const llvm::Twine& what) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), what);
}

// The values that the producers of a map's runtime variables had at (dims, ranges), each clamped as
// the op does. Its producer index may name other runtime variables, whose values come first.
class RuntimeValues {
 public:
  RuntimeValues(const IndexingMap& map, llvm::ArrayRef<int64_t> dims,
                llvm::ArrayRef<int64_t> ranges, const Observed& run)
      : map_(map), dims_(dims), ranges_(ranges), run_(run), values_(map.runtime().size()) {}

  // Nothing where one was never computed, in a branch that did not run: what reads there did not.
  llvm::Expected<std::optional<std::vector<int64_t>>> All() {
    std::vector<int64_t> all;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (auto error = Find(i)) return error;
      if (!values_[i]) return std::nullopt;
      all.push_back(*values_[i]);
    }
    return all;
  }

 private:
  llvm::Error Find(size_t i) {
    if (values_[i]) return llvm::Error::success();
    const Variable& v = map_.runtime()[i];
    if (!v.source) return Wrong("a runtime variable without a source");
    const auto found = run_.values.find(v.source->producer);
    if (found == run_.values.end()) return llvm::Error::success();
    const hlo::Literal& value = found->second;
    int64_t linear = 0;
    if (v.source->map) {
      std::vector<int64_t> others(values_.size());
      for (size_t k = 0; k < values_.size(); ++k) {
        const auto uses = [&](SymbolicExpr e) {
          return e.Uses(VarKind::kRuntime, static_cast<int64_t>(k));
        };
        if (!llvm::any_of(v.source->map->results(), uses)) continue;
        if (k == i) return Wrong("a place that depends on its own value");
        if (auto error = Find(k)) return error;
        if (!values_[k]) return llvm::Error::success();
        others[k] = *values_[k];
      }
      auto place = v.source->map->Evaluate(dims_, ranges_, others);
      if (!place) return place.takeError();
      linear = Linear(*place, value.shape().dims);
    }
    if (linear < 0 || linear >= value.NumElements()) return Wrong("a place outside the producer");
    int64_t number = value.GetInt(linear);
    if (number < 0 && hlo::IsUnsignedInt(value.shape().type)) number = kInt64Max;
    values_[i] = std::clamp(number, v.source->clamp.lower, v.source->clamp.upper);
    return llvm::Error::success();
  }

  const IndexingMap& map_;
  llvm::ArrayRef<int64_t> dims_, ranges_;
  const Observed& run_;
  std::vector<std::optional<int64_t>> values_;
};

// Calls fn for every choice of values of the variables, the last one fastest.
void ForEachChoice(const std::vector<Variable>& variables,
                   llvm::function_ref<void(llvm::ArrayRef<int64_t>)> fn) {
  std::vector<int64_t> at;
  for (const Variable& v : variables) {
    if (v.bounds.IsEmpty()) return;
    at.push_back(v.bounds.lower);
  }
  while (true) {
    fn(at);
    size_t d = at.size();
    while (d > 0 && at[d - 1] == variables[d - 1].bounds.upper) {
      at[d - 1] = variables[d - 1].bounds.lower;
      --d;
    }
    if (d == 0) return;
    ++at[d - 1];
  }
}

llvm::Error EvaluateAll(const hlo::Computation& computation,
                        llvm::ArrayRef<const hlo::Literal*> arguments, const hlo::Instruction* last,
                        std::map<int64_t, hlo::Literal>& values);

// The computations that an op runs: of a conditional the branch that runs, of a loop the body, trip
// after trip. A runtime variable that stands for a value in a loop is the same in every trip.
llvm::Error EvaluateCalled(const hlo::Instruction& op, llvm::ArrayRef<const hlo::Literal*> operands,
                           std::map<int64_t, hlo::Literal>& values) {
  switch (op.opcode) {
    case hlo::Opcode::kAsyncStart:
    case hlo::Opcode::kCall:
    case hlo::Opcode::kFusion:
      return EvaluateAll(*op.called[0], operands, nullptr, values);
    case hlo::Opcode::kConditional: {
      auto branch = hlo::ChooseBranch({op, operands});
      if (!branch) return branch.takeError();
      return EvaluateAll(*branch->callee, {operands[branch->operand]}, nullptr, values);
    }
    case hlo::Opcode::kWhile: {
      auto condition = hlo::Callee(op, "condition"), body = hlo::Callee(op, "body");
      if (!condition) return llvm::joinErrors(condition.takeError(), body.takeError());
      if (!body) return body.takeError();
      hlo::Literal state = *operands[0];
      while (true) {
        auto again = hlo::LoopRunsAgain(op, **condition, state);
        if (!again) return again.takeError();
        if (!*again) return llvm::Error::success();
        const hlo::Literal* argument = &state;
        if (auto error = EvaluateAll(**body, argument, nullptr, values)) return error;
        state = values[(*body)->root->id];
      }
    }
    default:
      return llvm::Error::success();
  }
}

// Interprets a computation and those below it. Ends before the value of `last`.
llvm::Error EvaluateAll(const hlo::Computation& computation,
                        llvm::ArrayRef<const hlo::Literal*> arguments, const hlo::Instruction* last,
                        std::map<int64_t, hlo::Literal>& values) {
  for (const auto& op : computation.instructions) {
    if (op->opcode == hlo::Opcode::kParameter) {
      values[op->id] = *arguments[op->parameter_number];
      continue;
    }
    std::vector<const hlo::Literal*> operands;
    for (const hlo::Instruction* operand : op->operands) operands.push_back(&values[operand->id]);
    if (auto error = EvaluateCalled(*op, operands, values)) return error;
    if (op.get() == last) break;
    auto value = hlo::InterpretInstruction(*op, operands);
    if (!value) return value.takeError();
    values[op->id] = std::move(*value);
  }
  return llvm::Error::success();
}

// The joint claim of some maps, all between the same two leaves.
struct Claim {
  Pairs all, exact;
  bool all_exact = true, known = true;
};

llvm::Error AddTo(Claim& claim, const LabeledMap& m, const hlo::Shape& from, const hlo::Shape& to,
                  const Observed& run, bool input_to_output) {
  claim.all_exact &= m.exactness == Exactness::kExact;
  if (m.exactness == Exactness::kUnknown || m.map.IsUndefined()) {
    claim.known = false;
    return llvm::Error::success();
  }
  auto pairs = PairsOf(m, from, to, run, input_to_output);
  if (!pairs) return pairs.takeError();
  if (m.exactness == Exactness::kExact) claim.exact.insert(pairs->begin(), pairs->end());
  claim.all.insert(pairs->begin(), pairs->end());
  return llvm::Error::success();
}

std::string Text(const Pairs& pairs) {
  std::string text;
  for (auto [out, in] : pairs) text += " " + std::to_string(out) + "<-" + std::to_string(in);
  return text;
}

std::string Compare(const Claim& claim, const Pairs& seen) {
  auto within = [](const Pairs& a, const Pairs& b) {
    return std::includes(b.begin(), b.end(), a.begin(), a.end());
  };
  if (!within(claim.exact, seen)) return "exact maps name what is not read";
  if (!claim.known) return "";
  if (!within(seen, claim.all)) return "the maps leave out what is read";
  if (claim.all_exact && claim.all != seen) return "exact maps are not what is read";
  return "";
}

}  // namespace

llvm::Expected<Observed> Observe(const hlo::Module& module, uint64_t seed) {
  return Observe(module, *module.entry->root, seed);
}

llvm::Expected<Observed> Observe(const hlo::Module& module, const hlo::Instruction& instruction,
                                 uint64_t seed) {
  Observed run;
  const hlo::Computation& entry = *module.entry;
  run.root = &instruction;
  const std::vector<hlo::Literal> arguments = hlo::MakeArguments(entry, seed);
  std::vector<const hlo::Literal*> pointers, operands;
  for (const hlo::Literal& argument : arguments) pointers.push_back(&argument);
  if (auto error = EvaluateAll(entry, pointers, run.root, run.values)) return error;
  for (const hlo::Instruction* op : run.root->operands) operands.push_back(&run.values[op->id]);
  run.result = ShapesOf(run.root->shape);
  for (const hlo::Literal* operand : operands) run.operands.push_back(ShapesOf(operand->shape()));
  if (run.root->opcode == hlo::Opcode::kParameter) return run;
  const hlo::ReadObserver observer = [&](const hlo::Instruction&, int64_t result_leaf,
                                         int64_t result, int64_t operand, int64_t leaf,
                                         int64_t linear) {
    run.reads[{result_leaf, operand, leaf}].insert({result, linear});
  };
  auto value = hlo::InterpretInstruction(*run.root, operands, &observer);
  if (!value) return value.takeError();
  run.result = ShapesOf(value->shape());
  return run;
}

llvm::Expected<Pairs> PairsOf(const LabeledMap& m, const hlo::Shape& from, const hlo::Shape& to,
                              const Observed& run, bool input_to_output) {
  const IndexingMap& map = m.map;
  Pairs pairs;
  if (map.state() != IndexingMap::State::kNormal) return pairs;
  llvm::Error error = llvm::Error::success();
  auto visit = [&](llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> ranges) -> llvm::Error {
    auto runtime = RuntimeValues(map, dims, ranges, run).All();
    if (!runtime) return runtime.takeError();
    if (!*runtime || !map.InDomain(dims, ranges, **runtime)) return llvm::Error::success();
    auto results = map.Evaluate(dims, ranges, **runtime);
    if (!results) return results.takeError();
    const int64_t at = Linear(dims, from.dims), target = Linear(*results, to.dims);
    const bool outside = at < 0 || target < 0;
    if (outside && m.exactness != Exactness::kExact) return llvm::Error::success();
    if (outside) return Wrong("an exact map that leads outside: " + map.ToString());
    pairs.insert(input_to_output ? std::pair(target, at) : std::pair(at, target));
    return llvm::Error::success();
  };
  ForEachChoice(map.dims(), [&](llvm::ArrayRef<int64_t> dims) {
    ForEachChoice(map.ranges(), [&](llvm::ArrayRef<int64_t> ranges) {
      if (!error) error = visit(dims, ranges);
    });
  });
  if (error) return error;
  return pairs;
}

namespace {

// (result leaf, operand, leaf of the operand) -> what the maps of one direction say.
using Claims = std::map<std::tuple<int64_t, int64_t, int64_t>, Claim>;

llvm::Expected<Claims> ClaimsOf(const Observed& run, Direction direction,
                                const IndexingOptions& options, int64_t& claims) {
  const hlo::Instruction& op = *run.root;
  const bool input_to_output = direction == Direction::kInputToOutput;
  const auto results = LeafShapes(op.shape);
  Claims analyzed;
  Context context;
  auto add = [&](int64_t result, int64_t operand, const LabeledMap& m) -> llvm::Error {
    const bool ran = !run.result.empty();
    const std::vector<hlo::Shape> leaves =
        ran ? run.operands[operand] : ShapesOf(op.operands[operand]->shape);
    if (m.leaf >= static_cast<int64_t>(leaves.size())) return Wrong("a leaf that is not there");
    claims += m.exactness != Exactness::kUnknown;
    const hlo::Shape &out = ran ? run.result[result] : *results[result], &in = leaves[m.leaf];
    return AddTo(analyzed[{result, operand, m.leaf}], m, input_to_output ? in : out,
                 input_to_output ? out : in, run, input_to_output);
  };
  const auto starts = static_cast<int64_t>(input_to_output ? op.operands.size() : results.size());
  for (int64_t start = 0; start < starts; ++start) {
    const InstructionIndexing indexing = input_to_output
                                             ? InputToOutput(op, start, context, options)
                                             : OutputToInput(op, start, context, options);
    for (int64_t k = 0; k < static_cast<int64_t>(indexing.maps.size()); ++k) {
      for (const LabeledMap& m : indexing.maps[k]) {
        if (auto error = input_to_output ? add(k, start, m) : add(start, k, m)) return error;
      }
    }
  }
  return analyzed;
}

std::string ClaimText(const Claims::key_type& key) {
  const auto [result, operand, leaf] = key;
  return "result leaf " + std::to_string(result) + ", operand " + std::to_string(operand) +
         ", leaf " + std::to_string(leaf);
}

}  // namespace

std::string Disagreement(const Observed& run, Direction direction, const IndexingOptions& options,
                         int64_t& claims) {
  auto analyzed = ClaimsOf(run, direction, options, claims);
  if (!analyzed) return llvm::toString(analyzed.takeError());
  for (const auto& [key, pairs] : run.reads) analyzed->try_emplace(key);
  for (const auto& [key, claim] : *analyzed) {
    const auto seen = run.reads.find(key);
    const Pairs none;
    const Pairs& read = seen == run.reads.end() ? none : seen->second;
    const std::string what = Compare(claim, read);
    if (what.empty()) continue;
    return what + ": " + ClaimText(key) + "\n  maps:" + Text(claim.all) + "\n  read:" + Text(read);
  }
  return "";
}

std::string NoInverse(const Observed& run) {
  int64_t claims = 0;
  auto there = ClaimsOf(run, Direction::kOutputToInput, {.exact = true}, claims);
  if (!there) return llvm::toString(there.takeError());
  auto back = ClaimsOf(run, Direction::kInputToOutput, {.exact = true}, claims);
  if (!back) return llvm::toString(back.takeError());
  for (const auto& [key, claim] : *there) back->try_emplace(key);
  for (const auto& [key, claim] : *back) {
    const Claim& other = there->try_emplace(key).first->second;
    if (claim.known != other.known) return "only one direction is known: " + ClaimText(key);
    if (claim.all == other.all) continue;
    return "the directions differ: " + ClaimText(key) + "\n  to inputs:" + Text(other.all) +
           "\n  to outputs:" + Text(claim.all);
  }
  return "";
}

}  // namespace affirm::fuzz
