#include "driver/buffers/passed_buffers.h"

#include <set>

#include "core/hlo/input_output_alias.h"
#include "core/hlo/leaves.h"
#include "driver/errors.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

class PassedBuffers {
 public:
  PassedBuffers(const hlo::Module& module, const BufferAssignment& buffers)
      : module_(module), buffers_(buffers) {}

  std::vector<std::string> Check() {
    for (const std::string& name : buffers_.ambiguous())
      problems_.push_back("the buffer assignment has two places for " + name);
    for (const std::string& name : buffers_.outside())
      problems_.push_back("the buffer assignment places " + name + " outside of its allocation");
    CheckCallees(*module_.entry);
    for (const Instruction* parameter : module_.entry->parameters) CheckArgument(*parameter);
    CheckResult(*module_.entry->root);
    if (auto donors = hlo::BufferDonors(module_); !donors)
      problems_.push_back(MessageOf(donors.takeError()));
    auto aliases = hlo::InputOutputAliases(module_);
    if (!aliases) {
      problems_.push_back(MessageOf(aliases.takeError()));
      return std::move(problems_);
    }
    for (const hlo::InputOutputAlias& alias : *aliases) {
      Expect(*module_.entry->root, alias.result_leaf, *module_.entry->parameters[alias.parameter],
             alias.parameter_leaf, "is to take the place of");
    }
    return std::move(problems_);
  }

 private:
  void CheckCallees(const Computation& computation) {
    // Each run would give its values lives of their own. XLA copies a computation with several
    // callers.
    if (!seen_.insert(&computation).second)
      return problems_.push_back("computation " + computation.name + " is run from two places");
    for (const auto& op : computation.instructions) {
      CheckName(*op);
      CheckKind(*op);
      CheckSizes(*op);
      CheckOverlaps(*op);
      const bool loop = op->opcode == Opcode::kWhile, choice = op->opcode == Opcode::kConditional;
      if (!loop && !choice && op->opcode != Opcode::kCall) continue;
      for (const auto& [k, called] : llvm::enumerate(op->called)) {
        for (const auto& [number, parameter] : llvm::enumerate(called->parameters))
          ExpectAll(*parameter, *op->operands[loop ? 0 : choice ? k + 1 : number]);
        const bool gives_result = !loop || op->called_as[k] == "body";
        if (gives_result) ExpectAll(*called->root, *op);
        CheckCallees(*called);
      }
      if (loop) ExpectAll(*op, *op->operands[0]);
    }
  }

  // A place has room for its array.
  void CheckSizes(const Instruction& op) {
    for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
      const auto bytes =
          leaf.shape->IsArray() ? hlo::CheckedByteSize(*leaf.shape) : std::optional<int64_t>(0);
      const auto slice = buffers_.FindOwn(op, leaf.index);
      if (!slice || !bytes || slice->size >= *bytes) continue;
      problems_.push_back("array " + std::to_string(leaf.index) + " of " + op.name + " has " +
                          std::to_string(*bytes) + " bytes, and a place of " +
                          std::to_string(slice->size));
    }
  }

  // An operation that only names the value of its operand lies where the operand does.
  void CheckName(const Instruction& op) {
    switch (op.opcode) {
      case Opcode::kAddDependency:
      case Opcode::kBitcast:
      case Opcode::kDomain:
      case Opcode::kGetTupleElement:
      case Opcode::kOptimizationBarrier:
      case Opcode::kTuple:
        break;
      default:
        return;
    }
    for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
      if (!leaf.shape->IsArray()) continue;
      const auto own = buffers_.FindOwn(op, leaf.index);
      const auto of_operand = buffers_.FindForwarded(op, leaf.index);
      if (!own || !of_operand || *own == *of_operand) continue;
      problems_.push_back("array " + std::to_string(leaf.index) + " of " + op.name +
                          " is one of its operand, and lies elsewhere");
    }
  }

  // Constants, and nothing else, are there before the program runs; and what is scheduled is one
  // for all threads.
  void CheckKind(const Instruction& op) {
    if (op.opcode == Opcode::kParameter) return;
    for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
      if (!leaf.shape->IsArray() || buffers_.FindForwarded(op, leaf.index)) continue;
      const auto slice = buffers_.FindOwn(op, leaf.index);
      if (!slice && IsMadeBy(op) && leaf.shape->NumElements() > 0)
        problems_.push_back("the buffer assignment has no place of array " +
                            std::to_string(leaf.index) + " of " + op.name);
      if (!slice || !buffers_.IsInText(slice->allocation)) continue;
      const char* lies = nullptr;
      if (buffers_.IsThreadLocal(slice->allocation)) lies = "what each thread has for itself";
      if (buffers_.IsConstant(slice->allocation) != (op.opcode == Opcode::kConstant))
        lies = op.opcode == Opcode::kConstant ? "what holds no constants" : "what holds constants";
      if (lies == nullptr) continue;
      problems_.push_back("array " + std::to_string(leaf.index) + " of " + op.name +
                          " lies in allocation " + std::to_string(slice->allocation) + ", in " +
                          lies);
    }
  }

  // Whether its results are values of its own: loops, branches and calls may hand on what others
  // have made.
  static bool IsMadeBy(const Instruction& op) {
    return op.opcode != Opcode::kWhile && op.opcode != Opcode::kConditional &&
           op.opcode != Opcode::kCall;
  }

  // A result must be in the place of an operand, or apart from it: an instruction that writes over
  // a part of its operand may read back what it has written.
  void CheckOverlaps(const Instruction& op) {
    if (op.opcode == Opcode::kParameter || !IsMadeBy(op)) return;
    for (const hlo::LeafRef& leaf : hlo::Leaves(op.shape)) {
      const auto result = leaf.shape->IsArray() ? buffers_.FindOwn(op, leaf.index) : std::nullopt;
      if (!result || buffers_.FindForwarded(op, leaf.index)) continue;
      for (const Instruction* operand : op.operands) {
        for (const hlo::LeafRef& of : hlo::Leaves(operand->shape)) {
          const auto read = of.shape->IsArray() ? buffers_.Find(*operand, of.index) : std::nullopt;
          const bool apart = !read || !Overlap(*read, *result);
          if (apart || (read->offset == result->offset)) continue;
          problems_.push_back(op.name + " writes over a part of its operand " + operand->name +
                              ", from another byte on");
        }
      }
    }
  }

  void CheckArgument(const Instruction& parameter) {
    for (const hlo::LeafRef& leaf : hlo::Leaves(parameter.shape)) {
      auto slice = buffers_.FindOwn(parameter, leaf.index);
      if (!slice) continue;
      auto of = buffers_.ParameterIn(slice->allocation);
      const bool is_it = of && of->first == parameter.parameter_number && slice->offset == 0 &&
                         of->second == buffers_.PathOf(parameter, leaf.index);
      if (!is_it && buffers_.IsInText(slice->allocation)) {
        problems_.push_back("the argument " + parameter.name + " lies in allocation " +
                            std::to_string(slice->allocation) + ", which is another's");
      }
    }
  }

  // The caller gets what is in allocations that leave the program, and its own arguments.
  void CheckResult(const Instruction& root) {
    for (const hlo::LeafRef& leaf : hlo::Leaves(root.shape)) {
      auto slice = leaf.shape->IsArray() ? buffers_.Find(root, leaf.index) : std::nullopt;
      if (!slice || buffers_.IsLiveOut(slice->allocation) ||
          buffers_.ParameterIn(slice->allocation))
        continue;
      problems_.push_back("array " + std::to_string(leaf.index) +
                          " of the result lies in allocation " + std::to_string(slice->allocation) +
                          ", which the caller does not get");
    }
  }

  void ExpectAll(const Instruction& a, const Instruction& b) {
    if (!(a.shape == b.shape) && hlo::NumLeaves(a.shape) != hlo::NumLeaves(b.shape)) return;
    for (const hlo::LeafRef& leaf : hlo::Leaves(a.shape)) {
      if (leaf.shape->IsArray()) Expect(a, leaf.index, b, leaf.index, "is handed over as");
    }
  }

  void Expect(const Instruction& a, int64_t of_a, const Instruction& b, int64_t of_b,
              const char* relation) {
    auto first = buffers_.Find(a, of_a), second = buffers_.Find(b, of_b);
    if (!first || !second || *first == *second) return;
    problems_.push_back("array " + std::to_string(of_a) + " of " + a.name + " " + relation +
                        " array " + std::to_string(of_b) + " of " + b.name +
                        ", and lies elsewhere");
  }

  const hlo::Module& module_;
  const BufferAssignment& buffers_;
  std::set<const Computation*> seen_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> CheckPassedBuffers(const hlo::Module& scheduled,
                                            const BufferAssignment& buffers) {
  return PassedBuffers(scheduled, buffers).Check();
}

}  // namespace affirm::driver
