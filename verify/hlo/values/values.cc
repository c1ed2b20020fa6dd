// The table of ops, frames, and what is remembered.
#include "verify/hlo/values/values.h"

#include <algorithm>
#include <optional>

#include "core/hlo/attribute_rules.h"
#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/thread.h"
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

using hlo::Opcode;

// Elements of instructions that one answer may ask for: a nest of choices whose sides are built
// under different facts grows exponentially.
constexpr int64_t kMostSteps = 50'000;
// Where instructions are nested deeper, a stack of its own goes on.
constexpr int64_t kDepthOfStack = 256;
constexpr unsigned kStackBytes = 16 << 20;
// Nested folds of loops may bind very many variables. Higher ones have no names of their own.
constexpr int kMostHeight = 1 << 20;

struct OpRow {
  Opcode opcode;
  Value (*value)(const Query&);
};

constexpr OpRow kOps[] = {
    {Opcode::kAddDependency, Forward},
    {Opcode::kBitcast, Bitcast},
    {Opcode::kBitcastConvert, BitcastConvert},
    {Opcode::kBroadcast, Broadcast},
    {Opcode::kCall, Call},
    {Opcode::kConcatenate, Concatenate},
    {Opcode::kConditional, Conditional},
    {Opcode::kConstant, Constant},
    {Opcode::kConvolution, Convolution},
    {Opcode::kCopy, Copy},
    {Opcode::kDomain, Forward},
    {Opcode::kDot, Dot},
    {Opcode::kDynamicSlice, DynamicSlice},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice},
    {Opcode::kFusion, Call},
    {Opcode::kGather, Gather},
    {Opcode::kGetDimensionSize, GetDimensionSize},
    {Opcode::kGetTupleElement, GetTupleElement},
    {Opcode::kIota, Iota},
    {Opcode::kMap, Map},
    {Opcode::kOptimizationBarrier, Forward},
    {Opcode::kPad, Pad},
    {Opcode::kParameter, Parameter},
    {Opcode::kReduce, Reduce},
    {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kReshape, Reshape},
    {Opcode::kReverse, Reverse},
    {Opcode::kScatter, Scatter},
    {Opcode::kSlice, Slice},
    {Opcode::kTranspose, Transpose},
    {Opcode::kTuple, Tuple},
    {Opcode::kWhile, While},
};

bool BindsVariables(Opcode opcode) {
  switch (opcode) {
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
      return true;
    default:
      return false;
  }
}

bool IsCall(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kFusion || opcode == Opcode::kMap;
}

// A load of the leaf's buffer.
ElementFunction Loads(Scope& scope, const hlo::Computation& computation) {
  std::vector<std::vector<std::pair<const hlo::Shape*, int64_t>>> buffers;
  int64_t count = 0;
  for (const hlo::Instruction* parameter : computation.parameters) {
    buffers.emplace_back();
    for (const hlo::Shape* leaf : hlo::LeafShapes(parameter->shape)) {
      buffers.back().emplace_back(leaf, count);
      if (leaf->IsArray()) ++count;
    }
  }
  return [&scope, buffers = std::move(buffers)](int64_t parameter, int64_t leaf,
                                                llvm::ArrayRef<Term> index) {
    auto [shape, buffer] = buffers[parameter][leaf];
    return scope.pool().Load(buffer, LinearElement(scope, *shape, index),
                             terms::TermType(shape->type));
  };
}

}  // namespace

llvm::Error Fail(const hlo::Instruction& instruction, const llvm::Twine& what) {
  const std::string text = (llvm::Twine(instruction.location.line) + ":" +
                            llvm::Twine(instruction.location.column) + ": error: " + what)
                               .str();
  return llvm::make_error<llvm::StringError>(text, std::make_error_code(std::errc::not_supported));
}

llvm::Error NoValueTerm(const hlo::Instruction& instruction) {
  llvm::StringRef opcode = instruction.opcode_text.empty()
                               ? hlo::Name(instruction.opcode)
                               : llvm::StringRef(instruction.opcode_text);
  return Fail(instruction, "no value term for " + opcode + " " + instruction.name);
}

const hlo::Computation* CalledAs(const hlo::Instruction& caller, llvm::StringRef key) {
  const auto found = llvm::find(caller.called_as, key);
  return found == caller.called_as.end() ? nullptr
                                         : caller.called[found - caller.called_as.begin()];
}

Scope& Query::scope() const { return builder.scope(); }
Pool& Query::pool() const { return builder.scope().pool(); }
const hlo::Shape& Query::shape() const { return *hlo::LeafShape(op.shape, leaf); }

Value Query::Operand(int64_t k, llvm::ArrayRef<Term> at, int64_t operand_leaf) const {
  return builder.At(frame, *op.operands[k], operand_leaf, at);
}

Value Query::Choose(Term condition, llvm::function_ref<Value()> yes,
                    llvm::function_ref<Value()> no) const {
  if (auto decided = scope().Decide(condition)) return *decided ? yes() : no();
  Value a = builder.Under(condition, yes);
  if (!a) return a;
  Value b = builder.Under(pool().Not(condition), no);
  if (!b) return b;
  if (!*a && !*b) return no();  // the facts are never true, and any value will do
  if (!*b) return a;
  if (!*a) return b;
  return terms::SelectValue(scope(), condition, *a, *b);
}

Term Query::Variable(int64_t k, int64_t size) const {
  std::string name = builder.prefix() + std::to_string(builder.HeightOf(frame, op)) + "_" +
                     std::to_string(k) + "_" + std::to_string(size);
  return pool().Variable(name, {0, size - 1});
}

Term Query::Fold(terms::Operation operation, Term condition, Term value,
                 llvm::ArrayRef<Term> variables) const {
  const Term fold = pool().Fold(operation, condition, value, variables);
  IsOf(fold);
  return fold;
}

void Query::IsOf(Term term) const { builder.fold_origins[term].insert(&op); }

Builder::Builder(Scope& scope, const hlo::Computation& computation, ElementFunction element,
                 std::string prefix)
    : scope_(scope), computation_(computation), prefix_(std::move(prefix)) {
  if (!element) element = Loads(scope, computation);
  top_.parameter = [element = std::move(element)](int64_t parameter, int64_t leaf,
                                                  llvm::ArrayRef<Term> index) -> Value {
    return element(parameter, leaf, index);
  };
}

int Builder::HeightOf(const Frame& frame, const hlo::Instruction& op) {
  // Many questions about a computation need none of its heights.
  if (&frame == &top_ && top_.heights.empty())
    Heights(computation_, std::vector<int>(computation_.parameters.size(), 0), &top_.heights);
  return frame.heights.lookup(&op);
}

int Builder::Heights(const hlo::Computation& computation, const std::vector<int>& parameters,
                     llvm::DenseMap<const hlo::Instruction*, int>* heights) {
  llvm::DenseMap<const hlo::Instruction*, int> own;
  auto known = root_heights_.find({&computation, parameters});
  if (!heights && known != root_heights_.end()) return known->second;
  if (!heights) heights = &own;
  for (const auto& op : computation.instructions) {
    std::vector<int> operands;
    for (const hlo::Instruction* operand : op->operands)
      operands.push_back(heights->lookup(operand));
    int height = operands.empty() ? 0 : *std::max_element(operands.begin(), operands.end());
    if (op->opcode == Opcode::kParameter) {
      height = parameters[op->parameter_number];
    } else if (IsCall(op->opcode) && !op->called.empty()) {
      height = std::max(height, Heights(*op->called[0], operands, nullptr));
    } else if (op->opcode == Opcode::kConditional) {
      for (size_t k = 0; k < op->called.size(); ++k)
        height = std::max(height, Heights(*op->called[k], {operands[k + 1]}, nullptr));
    } else if (op->opcode == Opcode::kWhile) {
      // Each trip may bind as many variables as the first.
      if (const hlo::Computation* body = CalledAs(*op, "body"))
        height += static_cast<int>(kMostTrips) * Heights(*body, {0}, nullptr);
    } else if (BindsVariables(op->opcode)) {
      ++height;
    }
    (*heights)[op.get()] = std::min(height, kMostHeight);
  }
  int root = heights->lookup(computation.root);
  root_heights_[{&computation, parameters}] = root;
  return root;
}

size_t Builder::KeyHash::operator()(const Key& key) const {
  return llvm::hash_combine(key.facts, key.frame, key.instruction, key.leaf,
                            llvm::hash_combine_range(key.index.begin(), key.index.end()));
}

uint32_t Builder::FactsNow() {
  return facts_.try_emplace(scope_.facts().vec(), facts_.size()).first->second;
}

void Builder::Begin() {
  facts_now_ = FactsNow();
  depth_ = 0;
  steps_ = 0;
}

Value Builder::Under(Term condition, llvm::function_ref<Value()> build) {
  size_t saved = scope_.Save();
  uint32_t facts = facts_now_;
  Value value = nullptr;
  if (scope_.Assume(condition)) {
    facts_now_ = FactsNow();
    value = build();
  }
  scope_.Restore(saved);
  facts_now_ = facts;
  return value;
}

Value Builder::At(Frame& frame, const hlo::Instruction& instruction, int64_t leaf,
                  llvm::ArrayRef<Term> index) {
  Key key{facts_now_, frame.id, &instruction, leaf, index.vec()};
  auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  if (++steps_ > kMostSteps)
    return Fail(instruction, "the value term is too large at " + llvm::Twine(instruction.name));
  const Query query{*this, frame, instruction, leaf, key.index};
  ++depth_;
  Value value = nullptr;
  if (depth_ % kDepthOfStack == 0) {
    llvm::thread(std::optional<unsigned>(kStackBytes), [&] { value = Compute(query); }).join();
  } else {
    value = Compute(query);
  }
  --depth_;
  if (!value) return value;
  // A reader takes what XLA's takes: f64 real(f16) has the type of neither.
  const hlo::PrimitiveType type = hlo::LeafShape(instruction.shape, leaf)->type;
  if (*value && (*value)->type != terms::TermType(type)) {
    return Fail(instruction, "no value term for " + llvm::Twine(instruction.name) + ", a " +
                                 hlo::Name(type) + " made of a " + hlo::Name((*value)->type));
  }
  known_[std::move(key)] = *value;
  return value;
}

Value Builder::Compute(const Query& query) {
  const hlo::Instruction& op = query.op;
  if (opaque && query.frame.id == top_.id) {
    Value value = opaque(op, query.leaf, query.index);
    if (!value || *value) return value;
  }
  if (!checked_.contains(&op)) {
    if (hlo::UsesDynamicSizes(op))
      return Fail(
          op, "no value term for sizes that are known at run time only: " + llvm::Twine(op.name));
    std::string unmodeled = hlo::UnmodeledAttribute(op);
    if (!unmodeled.empty())
      return Fail(op, "no value term for " + llvm::Twine(unmodeled) + " of " + op.name);
    checked_.insert(&op);
  }
  if (BindsVariables(op.opcode) && HeightOf(query.frame, op) >= kMostHeight)
    return Fail(op, "no value term where loops hold so many folds: " + llvm::Twine(op.name));
  const auto* row = llvm::find_if(kOps, [&](const OpRow& row) { return row.opcode == op.opcode; });
  if (row != std::end(kOps)) return row->value(query);
  if (hlo::IsElementwise(op.opcode)) return Elementwise(query);
  return NoValueTerm(op);
}

Frame* Builder::NewFrame(const hlo::Computation& callee, const std::vector<int>& heights) {
  frames_.push_back(std::make_unique<Frame>());
  Frame* called = frames_.back().get();
  called->id = static_cast<uint32_t>(frames_.size());
  Heights(callee, heights, &called->heights);
  return called;
}

std::vector<int> Builder::OperandHeights(const Frame& frame, const hlo::Instruction& caller) {
  std::vector<int> heights;
  heights.reserve(caller.operands.size());
  for (const hlo::Instruction* operand : caller.operands)
    heights.push_back(HeightOf(frame, *operand));
  return heights;
}

Frame& Builder::Called(Frame& frame, const hlo::Instruction& caller) {
  Frame*& called = frame_of_[{{frame.id, &caller}, {}}];
  if (!called) {
    called = NewFrame(*caller.called[0], OperandHeights(frame, caller));
    called->parameter = [this, &frame, &caller](int64_t parameter, int64_t leaf,
                                                llvm::ArrayRef<Term> index) {
      return At(frame, *caller.operands[parameter], leaf, index);
    };
  }
  return *called;
}

Frame& Builder::CalledAt(Frame& frame, const hlo::Instruction& caller, llvm::ArrayRef<Term> index) {
  Frame*& called = frame_of_[{{frame.id, &caller}, index.vec()}];
  if (!called) {
    called = NewFrame(*caller.called[0], OperandHeights(frame, caller));
    called->parameter = [this, &frame, &caller, index = index.vec()](
                            int64_t parameter, int64_t leaf, llvm::ArrayRef<Term>) {
      return At(frame, *caller.operands[parameter], leaf, index);
    };
  }
  return *called;
}

Frame& Builder::CalledOn(Frame& frame, const hlo::Instruction& caller,
                         llvm::ArrayRef<Term> values) {
  Frame*& called = frame_of_[{{frame.id, &caller}, values.vec()}];
  if (!called) {
    // The values are made of operands.
    const std::vector<int> heights = OperandHeights(frame, caller);
    const int height = *std::max_element(heights.begin(), heights.end());
    called = NewFrame(*caller.called[0], std::vector<int>(values.size(), height));
    called->parameter = [values = values.vec()](int64_t parameter, int64_t, llvm::ArrayRef<Term>) {
      return Value(values[static_cast<size_t>(parameter)]);
    };
  }
  return *called;
}

Frame& Builder::Branch(Frame& frame, const hlo::Instruction& conditional, int64_t number) {
  Frame*& called = frame_of_[{{frame.id, &conditional}, {scope_.pool().Number(number)}}];
  if (!called) {
    const hlo::Instruction& operand = *conditional.operands[number + 1];
    called = NewFrame(*conditional.called[number], {HeightOf(frame, operand)});
    called->parameter = [this, &frame, &operand](int64_t, int64_t leaf,
                                                 llvm::ArrayRef<Term> index) {
      return At(frame, operand, leaf, index);
    };
  }
  return *called;
}

Frame& Builder::Trip(Frame& frame, const hlo::Instruction& loop, const hlo::Computation& of,
                     int64_t trip) {
  const hlo::Computation& body = *CalledAs(loop, "body");
  Pool& pool = scope_.pool();
  Frame*& called =
      frame_of_[{{frame.id, &loop}, {pool.Number(trip), pool.Number(&of == &body ? 1 : 0)}}];
  if (!called) {
    const int before = static_cast<int>(trip) * Heights(body, {0}, nullptr);
    called = NewFrame(of, {HeightOf(frame, *loop.operands[0]) + before});
    called->parameter = [this, &frame, &loop, &body, trip](int64_t, int64_t leaf,
                                                           llvm::ArrayRef<Term> index) {
      if (trip == 0) return At(frame, *loop.operands[0], leaf, index);
      return At(Trip(frame, loop, body, trip - 1), *body.root, leaf, index);
    };
  }
  return *called;
}

ComputationValues::ComputationValues(Scope& scope, const hlo::Computation& computation,
                                     ElementFunction element, std::string prefix)
    : builder_(
          std::make_unique<Builder>(scope, computation, std::move(element), std::move(prefix))) {}
ComputationValues::~ComputationValues() = default;

void ComputationValues::SetOpaque(OpaqueFunction opaque) { builder_->opaque = std::move(opaque); }
void ComputationValues::NameCombinersByContent(CombinerNames names) {
  builder_->combiner_names = std::move(names);
}

void ComputationValues::HideOpenReductions(OpenReductions which) { builder_->hides = which; }
const hlo::Instruction* ComputationValues::FirstHidden() const { return builder_->first_hidden; }
const ComputationValues::FoldOrigins& ComputationValues::Folds() const {
  return builder_->fold_origins;
}

std::optional<bool> ComputationValues::StartsFromIdentity(const hlo::Instruction& instruction) {
  const bool is_reduction =
      instruction.opcode == Opcode::kReduce || instruction.opcode == Opcode::kReduceWindow;
  if (!is_reduction || instruction.operands[0]->shape.NumElements() == 0) return true;
  std::vector<Term> inits;
  for (const hlo::Instruction* init :
       llvm::ArrayRef(instruction.operands).drop_front(instruction.operands.size() / 2)) {
    auto value = At(*init, 0, {});
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    inits.push_back(*value);
  }
  return StartFromIdentities(instruction, inits);
}

llvm::Expected<Term> ComputationValues::At(const hlo::Instruction& instruction, int64_t leaf,
                                           llvm::ArrayRef<Term> index) {
  const hlo::Shape* shape = hlo::LeafShape(instruction.shape, leaf);
  if (!shape || !shape->IsArray() || shape->rank() != std::ssize(index))
    return Fail(instruction, "no such element of " + llvm::Twine(instruction.name));
  builder_->Begin();
  return builder_->At(builder_->top(), instruction, leaf, index);
}

llvm::Expected<ReduceParts> ComputationValues::Reduce(const hlo::Instruction& instruction,
                                                      llvm::ArrayRef<Term> index) {
  builder_->Begin();
  const Query query{*builder_, builder_->top(), instruction, 0, index};
  if (hlo::UsesDynamicSizes(instruction)) return NoValueTerm(instruction);
  if (instruction.opcode == Opcode::kReduce) return PartsOfReduce(query);
  if (instruction.opcode == Opcode::kReduceWindow) return PartsOfReduceWindow(query);
  return Fail(instruction, "no reduction: " + llvm::Twine(instruction.name));
}

llvm::Expected<ScatterParts> ComputationValues::Scatter(const hlo::Instruction& instruction,
                                                        llvm::ArrayRef<Term> update_index) {
  builder_->Begin();
  const Query query{*builder_, builder_->top(), instruction, 0, {}};
  if (hlo::UsesDynamicSizes(instruction)) return NoValueTerm(instruction);
  if (instruction.opcode != Opcode::kScatter)
    return Fail(instruction, "no scatter: " + llvm::Twine(instruction.name));
  return PartsOfScatter(query, update_index);
}

}  // namespace affirm::hlo_values
