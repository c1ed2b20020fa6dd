// Cuts a computation where a value must be in memory, and copies each part into a module.
#include "emit/plan/split.h"

#include <map>
#include <set>

#include "emit/plan/error.h"
#include "emit/plan/expand.h"
#include "emit/plan/flat_graph.h"
#include "emit/plan/repeated_calls.h"
#include "emit/plan/row_fusion.h"
#include "emit/plan/shared_values.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace affirm::emit {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

bool IsReduction(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return true;
    default:
      return false;
  }
}

// How an op uses the elements of an operand.
enum class AccessPattern : uint8_t {
  kSame,      // each is used for the element of the result at its index
  kMoved,     // each is used at most once, at another index
  kRepeated,  // perhaps for several elements
};

AccessPattern AccessPatternOf(const Instruction& op) {
  if (hlo::IsElementwise(op.opcode)) return AccessPattern::kSame;
  switch (op.opcode) {
    case Opcode::kCopy:
    case Opcode::kGetTupleElement:
    case Opcode::kMap:
    case Opcode::kOptimizationBarrier:
    case Opcode::kTuple:
      return AccessPattern::kSame;
    case Opcode::kBitcast:
    case Opcode::kConcatenate:
    case Opcode::kDynamicSlice:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return AccessPattern::kMoved;
    case Opcode::kBroadcast:
      return op.shape.NumElements() <= op.operands[0]->shape.NumElements()
                 ? AccessPattern::kMoved
                 : AccessPattern::kRepeated;
    default:
      return AccessPattern::kRepeated;
  }
}

// Whether one kernel could compute the reduction's elements more than once. An op on the way to the
// result may use one of them for several elements. Or there are several paths, one of which moves
// elements, so that an element of the result may need several of the reduction's.
bool IsRecomputed(const Instruction& reduction) {
  llvm::SetVector<const Instruction*> reached;
  reached.insert(&reduction);
  bool moved = false, parts = false;
  for (size_t i = 0; i < reached.size(); ++i) {
    const Instruction& op = *reached[i];
    parts |= op.users.size() > 1;
    for (const Instruction* user : op.users) {
      AccessPattern use = AccessPatternOf(*user);
      if (use == AccessPattern::kRepeated) return true;
      moved |= use == AccessPattern::kMoved;
      reached.insert(user);
    }
  }
  return moved && parts;
}

// Whether a value lies in memory before any kernel runs.
bool IsParameter(const Instruction& op) {
  if (op.opcode == Opcode::kGetTupleElement) return IsParameter(*op.operands[0]);
  return op.opcode == Opcode::kParameter;
}

// A scatter updates its first operands in place.
bool IsUpdated(const Instruction& op) {
  return llvm::any_of(op.users, [&](const Instruction* user) {
    return user->opcode == Opcode::kScatter &&
           llvm::is_contained(llvm::ArrayRef(user->operands).take_front(user->operands.size() / 2),
                              &op);
  });
}

// Whether the value of an op must be in memory before the ops that use it run.
bool MustBeMaterialized(const Instruction& op) {
  if (IsReduction(op) && IsRecomputed(op)) return true;
  return op.opcode == Opcode::kScatter || (IsUpdated(op) && !IsParameter(op));
}

// Ops of one level with equal keys may share a kernel. The key of a reduce is its sizes and
// dimensions; that of any other op is its id, which no other op has.
using Key = std::vector<std::vector<int64_t>>;

Key KeyOf(const Instruction& op) {
  if (op.opcode != Opcode::kReduce) return {{op.id}};
  return {op.operands[0]->shape.dims, op.attributes.dimensions};
}

// Whether one kernel computes nothing twice: no value must be in memory before, or the kernel holds
// rows in registers.
bool IsOneKernel(const Computation& computation) {
  if (llvm::none_of(computation.instructions, [&](const auto& op) {
        return op.get() != computation.root && MustBeMaterialized(*op);
      })) {
    return true;
  }
  llvm::Expected<FlatGraph> graph = Flatten(computation);
  if (!graph) {
    llvm::consumeError(graph.takeError());
    return false;
  }
  Context context;
  return FindRowFusion(*graph, context).has_value();
}

class Splitter {
 public:
  // `held`: the keys of reductions that stay in the kernel of their users. `stored`: the names of
  // further values to put in memory.
  Splitter(Expansion expansion, const std::set<Key>& held, const std::set<std::string>& stored = {})
      : expansion_(std::move(expansion)),
        original_(*expansion_.computation),
        held_(held),
        stored_(stored) {}

  KernelPartitions Run() {
    for (const auto& op : original_.instructions) {
      bool materialized =
          op.get() != original_.root && ((MustBeMaterialized(*op) && !held_.contains(KeyOf(*op))) ||
                                         IsOfAKernel(*op) || stored_.contains(op->name));
      int64_t level = LevelOf(*op);
      if (materialized) stages_[{level, KeyOfKernel(*op)}].push_back(op.get());
      levels_[op.get()] = materialized ? level + 1 : level;
    }
    result_.module = std::move(expansion_.module);
    if (stages_.empty()) return OneKernel();
    if (result_.module == nullptr) result_.module = std::make_unique<hlo::Module>();
    result_.module->name = original_.name;
    for (const auto& [key, roots] : stages_) AddPartition(roots, roots.front()->name);
    AddPartition(original_.root, original_.name);
    result_.module->entry = result_.module->computations.back().get();  // the last kernel
    return std::move(result_);
  }

 private:
  KernelPartitions OneKernel() {
    KernelPartition partition{&original_, {}};
    for (size_t i = 0; i < original_.parameters.size(); ++i) {
      partition.arguments.push_back({-1, static_cast<int64_t>(i)});
    }
    result_.partitions.push_back(std::move(partition));
    if (result_.module != nullptr) result_.originals = std::move(expansion_.originals);
    return std::move(result_);
  }

  // How many kernels must run before the operands are there.
  int64_t LevelOf(const Instruction& op) {
    int64_t level = 0;
    for (const Instruction* operand : op.operands) {
      level = std::max(level, levels_.lookup(operand));
    }
    return level;
  }

  // Whether the expansion assigns the op to a kernel.
  bool IsOfAKernel(const Instruction& op) const { return expansion_.kernels.contains(&op); }

  Key KeyOfKernel(const Instruction& op) {
    auto kernel = expansion_.kernels.find(&op);
    if (kernel != expansion_.kernels.end()) return Key{{}, {kernel->second}};
    return stored_.contains(op.name) ? Key{{}, op.shape.dims, {}} : KeyOf(op);
  }

  void AddPartition(llvm::ArrayRef<Instruction*> roots, const std::string& name) {
    auto owned = std::make_unique<Computation>();
    partition_ = {owned.get(), {}};
    target_ = owned.get();
    target_->module = result_.module.get();
    target_->name = name;
    target_->location = original_.location;
    copies_.clear();
    for (const Instruction* op : NeededBy(roots)) Copy(*op);
    target_->root = copies_.lookup(roots.front());
    if (roots.size() > 1) target_->root = AddTuple(roots);
    auto number = static_cast<int64_t>(result_.partitions.size());
    for (size_t i = 0; i < roots.size(); ++i) {
      producers_[roots[i]] = {number, roots.size() > 1 ? static_cast<int64_t>(i) : -1};
    }
    result_.module->computations.push_back(std::move(owned));
    result_.partitions.push_back(std::move(partition_));
  }

  // Whether an earlier kernel has computed the op.
  bool IsComputed(const Instruction& op) const { return producers_.contains(&op); }

  // Operands first, in the order of a walk from the roots. Kernels that compute the same are then
  // the same, independent of the order of their instructions in the original computation.
  std::vector<const Instruction*> NeededBy(llvm::ArrayRef<Instruction*> roots) const {
    llvm::DenseSet<const Instruction*> seen;
    std::vector<const Instruction*> list;
    llvm::SmallVector<std::pair<const Instruction*, size_t>> open;  // and the operand that is next
    auto visit = [&](const Instruction* op) {
      if (seen.insert(op).second) open.push_back({op, IsComputed(*op) ? op->operands.size() : 0});
    };
    for (const Instruction* root : roots) {
      visit(root);
      while (!open.empty()) {
        auto& [op, next] = open.back();
        if (next < op->operands.size()) {
          visit(op->operands[next++]);
        } else {
          list.push_back(op);
          open.pop_back();
        }
      }
    }
    return list;
  }

  // Requires copies of the operands. A parameter, or a value that an earlier kernel has computed,
  // becomes a parameter.
  void Copy(const Instruction& op) {
    auto copy = std::make_unique<Instruction>();
    if (IsComputed(op) || op.opcode == Opcode::kParameter) {
      copy->name = op.name;
      copy->shape = op.shape;
      copy->location = op.location;
      copy->opcode = Opcode::kParameter;
      copy->opcode_text = "parameter";
      copy->parameter_number = std::ssize(partition_.arguments);
      partition_.arguments.push_back(IsComputed(op)
                                         ? producers_.lookup(&op)
                                         : KernelPartition::Argument{-1, op.parameter_number});
    } else {
      copy = hlo::CopyOf(op);
      for (const Instruction* operand : op.operands) {
        copy->operands.push_back(copies_.lookup(operand));
      }
    }
    copies_[&op] = target_->Add(std::move(copy));
    result_.originals[copies_[&op]] = OriginalOf(op);
  }

  const Instruction* OriginalOf(const Instruction& op) const {
    return &original_ == result_.module->entry ? expansion_.originals.lookup(&op) : &op;
  }

  Instruction* AddTuple(llvm::ArrayRef<Instruction*> elements) {
    auto tuple = std::make_unique<Instruction>();
    tuple->name = "results";
    tuple->opcode = Opcode::kTuple;
    tuple->opcode_text = "tuple";
    std::vector<hlo::Shape> shapes;
    for (const Instruction* element : elements) {
      shapes.push_back(element->shape);
      tuple->operands.push_back(copies_.lookup(element));
    }
    tuple->shape = hlo::Shape::Tuple(std::move(shapes));
    return target_->Add(std::move(tuple));
  }

  Expansion expansion_;
  const Computation& original_;  // as it is when it is expanded
  const std::set<Key>& held_;
  const std::set<std::string> stored_;
  KernelPartitions result_;
  llvm::DenseMap<const Instruction*, int64_t> levels_;
  std::map<std::pair<int64_t, Key>, std::vector<Instruction*>> stages_;  // equal ones: one kernel
  llvm::DenseMap<const Instruction*, KernelPartition::Argument>
      producers_;  // of what has been computed
  // The kernel that is being made.
  KernelPartition partition_;
  Computation* target_ = nullptr;
  llvm::DenseMap<const Instruction*, Instruction*> copies_;
};

// The value of a kernel's argument, or an error when its shape is not that of the parameter.
llvm::Expected<hlo::Literal> ValueOf(KernelPartition::Argument argument,
                                     const Instruction& parameter,
                                     llvm::ArrayRef<hlo::Literal> arguments,
                                     llvm::ArrayRef<hlo::Literal> results) {
  const hlo::Literal* value = nullptr;
  if (argument.producer >= 0) {
    const hlo::Literal& result = results[argument.producer];
    value = argument.number < 0 ? &result : &result.tuple()[argument.number];
  } else if (argument.number < std::ssize(arguments)) {
    value = &arguments[argument.number];
  }
  if (value && value->shape().SameIgnoringLayout(parameter.shape)) return *value;
  return InvalidArgument("kernel '" + parameter.parent->name + "' is not given what it takes: {" +
                         parameter.shape.ToString() + "} but {" +
                         (value ? value->shape().ToString() : "nothing") + "}");
}

// The keys of reductions along rows that can stay in the kernels of their users, which hold the
// rows in registers. A key is taken only if every kernel is then one that computes nothing twice.
std::set<Key> ReductionsHeldInRows(const Computation& computation,
                                   const std::set<std::string>& stored) {
  std::set<Key> keys, held;
  const Expansion expanded = Expand(computation);
  for (const auto& op : expanded.computation->instructions) {
    if (op->opcode == Opcode::kReduce && MustBeMaterialized(*op)) keys.insert(KeyOf(*op));
  }
  for (const Key& key : keys) {
    std::set<Key> more = held;
    more.insert(key);
    KernelPartitions kernels = Splitter(Expand(computation), more, stored).Run();
    bool whole = llvm::all_of(kernels.partitions, [](const KernelPartition& partition) {
      return IsOneKernel(*partition.computation);
    });
    if (whole) held = std::move(more);
  }
  return held;
}

// The values that many kernels compute, where kernels repeat most of their work, as those of a
// hundred layers that add to one value do. Otherwise none: kernels that hold rows in registers may
// need no such value in memory.
std::set<std::string> StoredFirst(const Computation& computation) {
  constexpr size_t kMostCopies = 16;  // of an instruction, on average
  const KernelPartitions kernels = Splitter(Expand(computation), {}).Run();
  size_t copies = 0;
  for (const KernelPartition& partition : kernels.partitions)
    copies += partition.computation->instructions.size();
  if (copies <= kMostCopies * computation.instructions.size()) return {};
  return ComputedByManyKernels(kernels.partitions);
}

}  // namespace

KernelPartitions PartitionIntoKernels(const Computation& computation) {
  constexpr int kMostRounds = 64;
  std::set<std::string> stored = StoredFirst(computation);
  const std::set<Key> held = ReductionsHeldInRows(computation, stored);
  for (int round = 0;; ++round) {
    KernelPartitions kernels = Splitter(Expand(computation), held, stored).Run();
    const size_t before = stored.size();
    stored.merge(ComputedByManyKernels(kernels.partitions));
    for (const KernelPartition& partition : kernels.partitions) {
      for (const Instruction* op : ComputedTooOften(*partition.computation))
        stored.insert(op->name);
    }
    if (stored.size() == before || round == kMostRounds) return kernels;
  }
}

llvm::Expected<hlo::Literal> RunPartitions(const KernelPartitions& kernels,
                                           llvm::ArrayRef<hlo::Literal> arguments,
                                           PartitionRunner run) {
  std::vector<hlo::Literal> results;
  for (const KernelPartition& partition : kernels.partitions) {
    std::vector<hlo::Literal> values;
    for (size_t i = 0; i < partition.arguments.size(); ++i) {
      llvm::Expected<hlo::Literal> value = ValueOf(
          partition.arguments[i], *partition.computation->parameters[i], arguments, results);
      if (!value) return value.takeError();
      values.push_back(std::move(*value));
    }
    llvm::Expected<hlo::Literal> result = run(*partition.computation, values);
    if (!result) return result.takeError();
    results.push_back(std::move(*result));
  }
  return std::move(results.back());
}

}  // namespace affirm::emit
