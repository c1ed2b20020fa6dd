#include "driver/check/kernels_together.h"

#include "llvm/ADT/STLExtras.h"
#include "verify/equivalence/cumulative_steps.h"
#include "verify/equivalence/flatten.h"
#include "verify/equivalence/prove.h"
#include "verify/equivalence/sort_launches.h"

namespace affirm::driver {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// The entry of a program in which a fusion of several kernels calls them one after the other.
class ProgramAsModule {
 public:
  explicit ProgramAsModule(const Program& program) : program_(program) {
    module_.entry = WithKernels(program.entry());
    module_.entry->is_entry = true;
  }

  const Computation& entry() const { return *module_.entry; }

 private:
  Computation* WithKernels(const Computation& computation) {
    Computation* made = NewComputation(computation.name);
    llvm::DenseMap<const Instruction*, Instruction*> copies;
    for (const auto& op : computation.instructions) {
      auto copy = hlo::CopyOf(*op);
      for (const Instruction* operand : op->operands) {
        copy->operands.push_back(copies.lookup(operand));
      }
      const FusedComputation* fused = program_.FindFused(*op);
      if (fused != nullptr && program_.partitions(*fused).split.module != nullptr) {
        copy->called = {KernelsInTurn(*fused)};
      } else if (op->opcode == Opcode::kCall) {
        copy->called = {WithKernels(*op->called[0])};
      }
      copies[op.get()] = made->Add(std::move(copy));
    }
    made->root = copies.lookup(computation.root);
    made->NumberParameters();
    return made;
  }

  Computation* NewComputation(std::string name) {
    module_.computations.push_back(std::make_unique<Computation>());
    Computation* made = module_.computations.back().get();
    made->module = &module_;
    made->name = std::move(name);
    return made;
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
};

// Whether kernels are all that runs, in the computation and in those that it calls.
bool IsStraight(const Computation& computation, const Program& program) {
  return llvm::all_of(computation.instructions, [&](const auto& op) {
    const HostRole role = program.RoleOf(*op);
    return role == HostRole::kKernel || role == HostRole::kForward ||
           (op->opcode == Opcode::kCall && op->called.size() == 1 &&
            IsStraight(*op->called[0], program));
  });
}

bool IsTakenInSteps(const Instruction& op) {
  return op.opcode == Opcode::kSort || equivalence::IsCumulative(op);
}

// With what several kernels do step by step in one form on both sides.
equivalence::EquivalenceProof Proved(const Computation& module, const Computation& kernels) {
  const auto wanted = equivalence::Flattened(module), made = equivalence::Flattened(kernels);
  const bool has_steps =
      llvm::any_of(wanted->instructions, [](const auto& op) { return IsTakenInSteps(*op); });
  if (!has_steps) return equivalence::ProveEquivalent(module, kernels, {});
  const auto steps_wanted = equivalence::WithCumulativeSteps(*wanted),
             steps_made = equivalence::WithCumulativeSteps(*made);
  // The module leaves open what an unstable sort does with equal elements.
  const auto a = equivalence::WithWholeSorts(*steps_wanted, /*all_stable=*/true),
             b = equivalence::WithWholeSorts(*steps_made, /*all_stable=*/false);
  return equivalence::ProveEquivalent(*a->entry, *b->entry, {});
}

}  // namespace

std::string WhyNotTheModule(const hlo::Module& module, const Program& program) {
  if (!IsStraight(*module.entry, program)) return "kernels are not all that runs";
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
