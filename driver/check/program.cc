// Outlines what kernels compute into fusions.
#include "driver/check/program.h"

#include <algorithm>

#include "driver/check/host_ops.h"
#include "driver/check/library_ops.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "verify/equivalence/same_structure.h"
#include "verify/reference/devices.h"

namespace affirm::driver {

using equivalence::SameInOrder;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

std::unique_ptr<Instruction> MakeInstruction(Opcode opcode, std::string name, hlo::Shape shape,
                                             std::vector<Instruction*> operands,
                                             hlo::SourceLocation location) {
  auto made = std::make_unique<Instruction>();
  made->name = std::move(name);
  made->opcode = opcode;
  made->opcode_text = hlo::Name(opcode).str();
  made->shape = std::move(shape);
  made->operands = std::move(operands);
  made->location = location;
  return made;
}

// Copies the computations that the host runs, with fusions in the stead of what kernels compute.
class Outliner {
 public:
  Outliner(const hlo::Module& module, Program& program) : module_(module), program_(program) {
    program.module_ = std::make_unique<hlo::Module>();
    program.module_->name = module.name;
    program.module_->extra_attributes = module.extra_attributes;
  }

  void Run() {
    Computation* entry = Outline(*module_.entry);
    entry->is_entry = true;
    program_.module_->entry = entry;
    for (const FusedComputation& fused : program_.fused_computations_) AddPartitions(fused);
  }

 private:
  // The copy of one computation while it is made.
  struct Copy {
    const Computation& from;
    Computation* to;
    llvm::DenseMap<const Instruction*, Instruction*> values{};
    // How many of the fusions that are made here must have run: before a value is there, and before
    // the fusion that holds a fusible instruction.
    llvm::DenseMap<const Instruction*, int64_t> ready{}, stages{};
  };

  Computation* NewComputation(const std::string& name, hlo::SourceLocation location) {
    auto owned = std::make_unique<Computation>();
    owned->module = program_.module_.get();
    owned->name = name;
    owned->location = location;
    made_.push_back(std::move(owned));
    return made_.back().get();
  }
  // Callees stand before callers.
  void Finish(const Computation* computation) {
    auto found = llvm::find_if(made_, [&](const auto& c) { return c.get() == computation; });
    program_.module_->computations.push_back(std::move(*found));
    made_.erase(found);
  }

  Computation* Outline(const Computation& from) {
    if (Computation* known = outlined_.lookup(&from)) return known;
    program_.host_computations_.push_back(&from);
    Copy copy{from, NewComputation(from.name, from.location)};
    if (&from == module_.entry && IsFusibleAsAWhole(from)) {
      CallAsAWhole(copy);
    } else {
      InStages(copy);
    }
    copy.to->root = copy.values.lookup(from.root);
    copy.to->NumberParameters();  // they may stand in any order
    Finish(copy.to);
    return outlined_[&from] = copy.to;
  }

  // Whether an instruction can stand in a fusion that is made here.
  bool IsFusible(const Instruction& op) {
    if (HasKernel(op.opcode) || emit::IsExpanded(op)) return true;
    if (op.opcode == Opcode::kGetTupleElement) return IsFusible(*op.operands.front());
    return op.opcode == Opcode::kCall && !op.called.empty() &&
           IsFusibleAsAWhole(*op.called.front()) &&
           (calls_are_inlined_ || !HasKernelOfItsOwn(*op.called.front()));
  }

  // Whether an op there is a kernel by itself, which no function of another kernel can compute:
  // what calls the computation, and is not inlined, has to be run by the host.
  bool HasKernelOfItsOwn(const Computation& computation) {
    const auto [known, is_new] = has_kernel_of_its_own_.try_emplace(&computation, false);
    if (!is_new) return known->second;
    const bool result = llvm::any_of(computation.instructions, [&](const auto& op) {
      if (op->opcode == Opcode::kCall && !op->called.empty()) {
        return HasKernelOfItsOwn(*op->called.front());
      }
      return op->opcode == Opcode::kScatter || op->opcode == Opcode::kSort ||
             op->opcode == Opcode::kTopk || emit::IsExpanded(*op);
    });
    return has_kernel_of_its_own_[&computation] = result;
  }

  // A computation without anything that the host would have to do.
  bool IsFusibleAsAWhole(const Computation& computation) {
    auto [known, is_new] = fusible_as_a_whole_.try_emplace(&computation, false);
    if (!is_new) return known->second;
    const bool result = llvm::all_of(computation.instructions, [&](const auto& op) {
      return IsFusible(*op) || (ForwardsValues(op->opcode) && !hlo::IsDeviceNumber(op->opcode));
    });
    return fusible_as_a_whole_[&computation] = result;
  }

  void CallAsAWhole(Copy& copy) {
    for (const auto& op : copy.from.instructions) program_.roles_[op.get()] = HostRole::kKernel;
    for (const Instruction* parameter : copy.from.parameters) AddCopy(copy, *parameter);
    std::vector<Instruction*> operands;
    operands.reserve(copy.from.parameters.size());
    for (const Instruction* p : copy.from.parameters) operands.push_back(copy.values.lookup(p));
    auto fusion = MakeInstruction(Opcode::kFusion, copy.from.name, copy.from.root->shape,
                                  std::move(operands), copy.from.location);
    fusion->called = {module_.entry};
    fusion->called_as = {"calls"};
    copy.values[copy.from.root] = AddFusion(copy, std::move(fusion), nullptr);
  }

  void InStages(Copy& copy) {
    int64_t stages = 0;
    for (const auto& op : copy.from.instructions) {
      int64_t ready = 0;
      for (const Instruction* operand : op->operands) {
        const bool inside = copy.stages.contains(operand) && !IsFusible(*op);
        ready = std::max(ready, copy.ready.lookup(operand) + (inside ? 1 : 0));
      }
      copy.ready[op.get()] = ready;
      const bool fusible = IsFusible(*op);
      if (fusible) copy.stages[op.get()] = ready;
      if (fusible) stages = std::max(stages, ready + 1);
      program_.roles_[op.get()] = fusible ? HostRole::kKernel : HostRoleOf(*op);
    }
    for (int64_t stage = 0;; ++stage) {
      for (const auto& op : copy.from.instructions) {
        if (!copy.stages.contains(op.get()) && copy.ready.lookup(op.get()) == stage) {
          AddHostOp(copy, *op);
        }
      }
      if (stage >= stages) return;
      AddStage(copy, stage);
    }
  }

  static HostRole HostRoleOf(const Instruction& op) {
    if (IsControl(op)) return HostRole::kControl;
    if (op.opcode == Opcode::kFusion && !op.called.empty()) return HostRole::kKernel;
    if (ForwardsValues(op.opcode)) return HostRole::kForward;
    if (IsLibraryOp(op)) return HostRole::kLoop;
    return hlo::IsCollective(op.opcode) ? HostRole::kCollective : HostRole::kLibrary;
  }

  Instruction* AddCopy(Copy& copy, const Instruction& op) {
    auto made = hlo::CopyOf(op);
    for (const Instruction* operand : op.operands) {
      made->operands.push_back(copy.values.lookup(operand));
    }
    Instruction* added = copy.to->Add(std::move(made));
    program_.originals_[added] = &op;
    return copy.values[&op] = added;
  }

  Instruction* AddFusion(Copy& copy, std::unique_ptr<Instruction> fusion, const Instruction* from) {
    Instruction* added = copy.to->Add(std::move(fusion));
    program_.originals_[added] = from;
    program_.fusion_numbers_[added] = program_.fused_computations_.size();
    program_.fused_computations_.push_back({added->name, added->called.front(), added, {}});
    return added;
  }

  void AddHostOp(Copy& copy, const Instruction& op) {
    if (HostRoleOf(op) == HostRole::kLoop) return AddLoop(copy, op);
    Instruction* added = AddCopy(copy, op);
    if (IsControl(op)) {
      for (Computation*& callee : added->called) callee = Outline(*callee);
    } else if (op.opcode == Opcode::kFusion && !op.called.empty()) {
      program_.fusion_numbers_[added] = program_.fused_computations_.size();
      program_.fused_computations_.push_back({op.name, op.called.front(), added, {}});
    }
  }

  // A call of the loop that stands for an op.
  void AddLoop(Copy& copy, const Instruction& op) {
    auto module = LoopModuleOf(op);
    // Ops of several computations may have one name, and computations may not.
    std::string name = op.name;
    for (int number = 0; !loop_names_.insert(name).second; ++number)
      name = op.name + "." + std::to_string(number);
    for (const auto& computation : module->computations) {
      computation->name = name + "." + computation->name;
      for (const auto& made : computation->instructions) made->location = op.location;
    }
    std::vector<Instruction*> operands;
    Computation* alone = NewComputation(name + ".alone", op.location);
    auto inside = hlo::CopyOf(op);
    for (const Instruction* operand : op.operands) {
      const auto number = std::ssize(operands);
      auto parameter = MakeInstruction(Opcode::kParameter, "p" + std::to_string(number),
                                       operand->shape, {}, op.location);
      parameter->parameter_number = number;
      inside->operands.push_back(alone->Add(std::move(parameter)));
      operands.push_back(copy.values.lookup(operand));
    }
    alone->root = alone->Add(std::move(inside));
    alone->NumberParameters();
    Finish(alone);
    auto call = MakeInstruction(Opcode::kCall, op.name, op.shape, std::move(operands), op.location);
    Computation* loop = Outline(*module->entry);
    call->called = {loop};
    call->called_as = {"to_apply"};
    Instruction* added = copy.to->Add(std::move(call));
    program_.originals_[added] = &op;
    copy.values[&op] = added;
    program_.library_ops_.push_back({&op, alone, loop});
    program_.loop_modules_.push_back(std::move(module));
  }

  // The fusible instructions of a stage whose values are needed elsewhere.
  static std::vector<const Instruction*> OutputsOf(const Copy& copy, int64_t stage) {
    auto is_inside = [&](const Instruction* op) {
      auto found = copy.stages.find(op);
      return found != copy.stages.end() && found->second == stage;
    };
    std::vector<const Instruction*> outputs;
    for (const auto& op : copy.from.instructions) {
      if (!is_inside(op.get())) continue;
      if (op.get() == copy.from.root ||
          llvm::any_of(op->users, [&](const Instruction* user) { return !is_inside(user); })) {
        outputs.push_back(op.get());
      }
    }
    return outputs;
  }

  // The instructions that a stage needs for its outputs, and the values from outside.
  struct Needs {
    llvm::DenseSet<const Instruction*> inside;
    llvm::SetVector<const Instruction*> outside;
  };
  static Needs NeedsOf(const Copy& copy, int64_t stage,
                       llvm::ArrayRef<const Instruction*> outputs) {
    Needs needs;
    llvm::SmallVector<const Instruction*> pending(outputs.begin(), outputs.end());
    needs.inside.insert(outputs.begin(), outputs.end());
    while (!pending.empty()) {
      const Instruction* op = pending.pop_back_val();
      for (const Instruction* operand : op->operands) {
        auto found = copy.stages.find(operand);
        const bool inside = (found != copy.stages.end() && found->second == stage) ||
                            operand->opcode == Opcode::kConstant;
        if (inside && needs.inside.insert(operand).second) pending.push_back(operand);
      }
    }
    // In the order of the computation, so that nothing depends on addresses.
    for (const auto& op : copy.from.instructions) {
      if (needs.inside.contains(op.get())) continue;
      if (llvm::any_of(op->users, [&](const Instruction* u) { return needs.inside.contains(u); })) {
        needs.outside.insert(op.get());
      }
    }
    return needs;
  }

  // No fusion of the module has that name.
  std::string NameOfStage(const std::string& computation, int64_t stage) const {
    std::string name = computation + "." + std::to_string(stage);
    while (module_.FindInstruction(name) != nullptr) name += "_";
    return name;
  }

  void AddStage(Copy& copy, int64_t stage) {
    const std::vector<const Instruction*> outputs = OutputsOf(copy, stage);
    if (outputs.empty()) return;
    const Needs needs = NeedsOf(copy, stage, outputs);
    const std::string name = NameOfStage(copy.from.name, stage);
    Copy inside{copy.from, NewComputation(name, copy.from.location)};
    std::vector<Instruction*> operands;
    for (const Instruction* value : needs.outside) {
      auto parameter =
          MakeInstruction(Opcode::kParameter, value->name, value->shape, {}, value->location);
      parameter->parameter_number = std::ssize(operands);
      inside.values[value] = inside.to->Add(std::move(parameter));
      program_.originals_[inside.values[value]] = nullptr;
      operands.push_back(copy.values.lookup(value));
    }
    for (const auto& op : copy.from.instructions) {
      if (needs.inside.contains(op.get())) AddCopy(inside, *op);
    }
    inside.to->root = inside.values.lookup(outputs.front());
    if (outputs.size() > 1) {
      inside.to->root = AddTuple(inside, outputs);
      program_.originals_[inside.to->root] = nullptr;
    }
    auto fusion = MakeInstruction(Opcode::kFusion, name, inside.to->root->shape,
                                  std::move(operands), outputs.back()->location);
    fusion->called = {inside.to};
    fusion->called_as = {"calls"};
    Finish(inside.to);
    Instruction* made = AddFusion(copy, std::move(fusion), nullptr);
    TakeOutputs(copy, outputs, made);
  }

  static Instruction* AddTuple(Copy& inside, llvm::ArrayRef<const Instruction*> outputs) {
    std::vector<hlo::Shape> shapes;
    std::vector<Instruction*> elements;
    for (const Instruction* output : outputs) {
      shapes.push_back(output->shape);
      elements.push_back(inside.values.lookup(output));
    }
    return inside.to->Add(MakeInstruction(Opcode::kTuple, "results",
                                          hlo::Shape::Tuple(std::move(shapes)), std::move(elements),
                                          outputs.back()->location));
  }

  void TakeOutputs(Copy& copy, llvm::ArrayRef<const Instruction*> outputs, Instruction* fusion) {
    if (outputs.size() == 1) {
      copy.values[outputs.front()] = fusion;
      return;
    }
    for (auto [k, output] : llvm::enumerate(outputs)) {
      auto element = MakeInstruction(Opcode::kGetTupleElement, output->name, output->shape,
                                     {fusion}, output->location);
      element->attributes.tuple_index = static_cast<int64_t>(k);
      copy.values[output] = copy.to->Add(std::move(element));
      program_.originals_[copy.values[output]] = nullptr;
    }
  }

  void AddPartitions(const FusedComputation& fused) {
    FusionKernels result{emit::PartitionIntoKernels(*fused.computation), {}};
    for (const emit::KernelPartition& partition : result.split.partitions) {
      const bool last = &partition == &result.split.partitions.back();
      std::string name = last ? fused.name : fused.name + "." + partition.computation->name;
      result.kernels.push_back({std::move(name), partition.computation, nullptr, {}});
      for (const auto& op : partition.computation->instructions) {
        if (partition.computation == fused.computation) break;
        const Instruction* of_fusion = result.split.originals.lookup(op.get());
        program_.originals_[op.get()] = of_fusion ? program_.Original(*of_fusion) : nullptr;
      }
    }
    program_.partitions_.push_back(std::move(result));
  }

  const hlo::Module& module_;
  const bool calls_are_inlined_ = emit::CallsAreInlined(module_);
  Program& program_;
  std::vector<std::unique_ptr<Computation>> made_;  // until they are finished
  llvm::DenseMap<const Computation*, Computation*> outlined_;
  llvm::StringSet<> loop_names_;  // of ops that are loops
  llvm::DenseMap<const Computation*, bool> fusible_as_a_whole_, has_kernel_of_its_own_;
};

Program::Program(const hlo::Module& module) {
  Outliner(module, *this).Run();
  AssignMemory();
  FindKernelsAlike();
}

void Program::FindKernelsAlike() {
  llvm::StringMap<std::vector<const FusedComputation*>> by_signature;
  for (const FusionKernels& fusion : partitions_) {
    for (const FusedComputation& kernel : fusion.kernels) {
      const Computation& computation = *kernel.computation;
      std::string signature = std::to_string(computation.instructions.size());
      for (const Instruction* p : computation.parameters) signature += " " + p->shape.ToString();
      std::vector<const FusedComputation*>& alike =
          by_signature[signature + " -> " + computation.root->shape.ToString()];
      const auto same = llvm::find_if(alike, [&](const FusedComputation* other) {
        return other->slices == kernel.slices && SameInOrder(*other->computation, computation);
      });
      first_like_[&kernel] = same == alike.end() ? &kernel : *same;
      if (same == alike.end()) alike.push_back(&kernel);
    }
  }
}

const FusedComputation& Program::FirstLike(const FusedComputation& kernel) const {
  return *first_like_.lookup(&kernel);
}

const FusedComputation* Program::FindFused(const Instruction& fusion) const {
  auto found = fusion_numbers_.find(&fusion);
  return found == fusion_numbers_.end() ? nullptr : &fused_computations_[found->second];
}

const Instruction* Program::Original(const Instruction& instruction) const {
  auto found = originals_.find(&instruction);
  return found == originals_.end() ? &instruction : found->second;
}

HostRole Program::RoleOf(const Instruction& instruction) const {
  return roles_.lookup(&instruction);
}

}  // namespace affirm::driver
