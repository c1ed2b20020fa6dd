#include "driver/check/kernels_together.h"

#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/cumulative_steps.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/prove.h"
#include "verify/equivalence/signatures.h"
#include "verify/equivalence/sort_launches.h"
#include "verify/equivalence/topk_as_sort.h"

namespace affirm::driver {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// The computations that the host of a program runs, in which a fusion of several kernels calls them
// one after the other.
class ProgramAsModule {
 public:
  explicit ProgramAsModule(const Program& program) : program_(program) {
    module_.entry = CopyOf(program.entry());
    module_.entry->is_entry = true;
  }

  const Computation& entry() const { return *module_.entry; }

 private:
  Computation* NewComputation(std::string name) {
    module_.computations.push_back(std::make_unique<Computation>());
    Computation* made = module_.computations.back().get();
    made->module = &module_;
    made->name = std::move(name);
    return made;
  }

  Computation* CopyOf(const Computation& from) {
    if (Computation* known = copied_.lookup(&from)) return known;
    Computation* to = NewComputation(from.name);
    llvm::DenseMap<const Instruction*, Instruction*> copies;
    for (const auto& op : from.instructions) {
      auto copy = hlo::CopyOf(*op);
      for (const Instruction* operand : op->operands) {
        copy->operands.push_back(copies.lookup(operand));
      }
      const FusedComputation* fused = program_.FindFused(*op);
      if (fused != nullptr && program_.partitions(*fused).split.module != nullptr) {
        copy->called = {KernelsInTurn(*fused)};
      } else if (fused == nullptr) {
        for (Computation*& callee : copy->called) callee = CopyOf(*callee);
      }
      copies[op.get()] = to->Add(std::move(copy));
    }
    to->root = copies.lookup(from.root);
    to->NumberParameters();
    return copied_[&from] = to;
  }

  Computation* KernelsInTurn(const FusedComputation& fused) {
    const emit::KernelPartitions& split = program_.partitions(fused).split;
    Computation* made = NewComputation(fused.name + ".kernels");
    std::vector<Instruction*> parameters, results;
    for (const Instruction* parameter : fused.computation->parameters) {
      auto copy = MakeInstruction(Opcode::kParameter, parameter->name, parameter->shape, {});
      copy->parameter_number = parameter->parameter_number;
      parameters.push_back(made->Add(std::move(copy)));
    }
    for (const emit::KernelPartition& partition : split.partitions) {
      std::vector<Instruction*> operands;
      operands.reserve(partition.arguments.size());
      for (const emit::KernelPartition::Argument& argument : partition.arguments) {
        operands.push_back(argument.producer < 0
                               ? parameters[argument.number]
                               : ResultOf(*made, *results[argument.producer], argument.number));
      }
      auto call = MakeInstruction(Opcode::kFusion, partition.computation->name,
                                  partition.computation->root->shape, std::move(operands));
      auto called = llvm::find_if(split.module->computations, [&](const auto& computation) {
        return computation.get() == partition.computation;
      });
      call->called = {called->get()};
      call->called_as = {"calls"};
      results.push_back(made->Add(std::move(call)));
    }
    made->root = results.back();
    made->NumberParameters();
    return made;
  }

  static Instruction* ResultOf(Computation& computation, Instruction& kernel, int64_t number) {
    if (number < 0) return &kernel;
    auto element =
        MakeInstruction(Opcode::kGetTupleElement, kernel.name + "." + std::to_string(number),
                        kernel.shape.tuple[number], {&kernel});
    element->attributes.tuple_index = number;
    return computation.Add(std::move(element));
  }

  const Program& program_;
  hlo::Module module_;
  llvm::DenseMap<const Computation*, Computation*> copied_;
};

bool IsTakenInSteps(const Instruction& op) {
  return op.opcode == Opcode::kSort || op.opcode == Opcode::kTopk || equivalence::IsCumulative(op);
}

// With what several kernels do step by step in one form on both sides.
equivalence::EquivalenceProof Proved(const Computation& module, const Computation& kernels) {
  const auto wanted = equivalence::Flattened(module), made = equivalence::Flattened(kernels);
  const bool has_steps =
      llvm::any_of(wanted->instructions, [](const auto& op) { return IsTakenInSteps(*op); });
  if (!has_steps) return equivalence::ProveEquivalent(*wanted, *made, {});
  const auto steps_wanted = equivalence::WithCumulativeSteps(*wanted),
             steps_made = equivalence::WithCumulativeSteps(*made);
  const auto sorts_wanted = equivalence::WithTopKAsSort(*steps_wanted);
  // The module leaves open what an unstable sort does with equal elements.
  const auto a = equivalence::WithWholeSorts(*sorts_wanted->entry, /*all_stable=*/true),
             b = equivalence::WithWholeSorts(*steps_made, /*all_stable=*/false);
  return equivalence::ProveEquivalent(*a->entry, *b->entry, {});
}

// Whether the host runs only kernels, and loops, branches and calls that depend on values alone.
// Exchanges between devices and library calls are not proved.
bool IsOfKernelsAlone(const Program& program) {
  return llvm::all_of(program.host_computations(), [&](const Computation* computation) {
    return llvm::all_of(computation->instructions, [&](const auto& op) {
      switch (program.RoleOf(*op)) {
        case HostRole::kKernel:
        case HostRole::kForward:
          return true;
        case HostRole::kControl:
          return op->opcode == Opcode::kCall || op->opcode == Opcode::kConditional ||
                 op->opcode == Opcode::kWhile;
        default:
          return false;
      }
    });
  });
}

}  // namespace

std::string WhyNotTheModule(const hlo::Module& module, const Program& program) {
  if (!IsOfKernelsAlone(program)) return "kernels are not all that runs";
  const ProgramAsModule kernels(program);
  if (llvm::Error error = equivalence::CheckSignatures(*module.entry, kernels.entry())) {
    return llvm::toString(std::move(error));
  }
  const equivalence::EquivalenceProof proof = Proved(*module.entry, kernels.entry());
  for (const equivalence::ResultProof& result : proof.results) {
    if (!result.proved) {
      return "result " + std::to_string(result.leaf) + " of the kernels together: " + result.reason;
    }
  }
  return "";
}

}  // namespace affirm::driver
