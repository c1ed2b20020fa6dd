// Short forms in listings of the documentation that no dump has: `to_apply=max` without a
// computation of that name. They are read with a note.

#include "core/hlo/parser.h"
#include "llvm/ADT/StringSwitch.h"

namespace affirm::hlo {
namespace {

// The op that such a name stands for; kUnknown for other names.
std::pair<Opcode, const char*> CombinerNamed(llvm::StringRef name) {
  using Op = std::pair<Opcode, const char*>;
  return llvm::StringSwitch<Op>(name)
      .Cases({"max", "maximum"}, Op{Opcode::kMaximum, "maximum"})
      .Cases({"min", "minimum"}, Op{Opcode::kMinimum, "minimum"})
      .Cases({"add", "sum"}, Op{Opcode::kAdd, "add"})
      .Cases({"mul", "multiply"}, Op{Opcode::kMultiply, "multiply"})
      .Default({Opcode::kUnknown, ""});
}

// How many arrays the op combines elements of: operands of a reduction are arrays and as many
// initial values. 0 where its to_apply is something else.
size_t CombinedArrays(const Instruction& caller) {
  switch (caller.opcode) {
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return caller.operands.size() / 2;
    case Opcode::kAllReduce:
      return caller.operands.size();
    default:
      return 0;
  }
}

// Appends instructions to one computation.
struct Builder {
  Computation& computation;

  Instruction* Add(Opcode opcode, const char* text, const llvm::Twine& name, Shape shape,
                   llvm::ArrayRef<Instruction*> operands) {
    auto op = std::make_unique<Instruction>();
    op->opcode = opcode;
    op->opcode_text = text;
    op->name = name.str();
    op->shape = std::move(shape);
    op->operands.assign(operands.begin(), operands.end());
    op->location = computation.location;
    if (opcode == Opcode::kParameter) op->parameter_number = computation.parameters.size();
    return computation.Add(std::move(op));
  }
};

}  // namespace

Computation* ComputationTable::ShortCombiner(const Instruction& caller, llvm::StringRef name,
                                             size_t pos) {
  auto [opcode, text] = CombinerNamed(name);
  const size_t arrays = CombinedArrays(caller);
  if (opcode == Opcode::kUnknown || arrays == 0) return nullptr;
  // Each call has its own, as the types of its arrays are.
  Computation* computation = DefineUnique((name + "_combiner").str(), pos);
  Builder b{*computation};
  std::vector<Instruction*> sides[2];
  std::vector<Shape> shapes;
  for (auto& side : sides) {
    for (size_t k = 0; k < arrays; ++k) {
      Shape scalar = Shape::Array(caller.operands[k]->shape.type, {});
      if (!scalar.IsArray()) return nullptr;
      const char* letter = &side == &sides[0] ? "a" : "b";
      side.push_back(b.Add(Opcode::kParameter, "parameter", letter + llvm::Twine(k), scalar, {}));
      if (&side == &sides[0]) shapes.push_back(scalar);
    }
  }
  std::vector<Instruction*> results;
  results.reserve(arrays);
  for (size_t k = 0; k < arrays; ++k) {
    results.push_back(b.Add(opcode, text, text + llvm::Twine(".") + llvm::Twine(k), shapes[k],
                            {sides[0][k], sides[1][k]}));
  }
  computation->root = results[0];
  if (arrays > 1) {
    computation->root = b.Add(Opcode::kTuple, "tuple", "all", Shape::Tuple(shapes), results);
  }
  Note(pos, "no computation is called '" + name + "', it is read as one of " + text);
  return computation;
}

void ComputationTable::Note(size_t pos, const llvm::Twine& message) {
  const SourceLocation at = scanner_.LocationOf(pos);
  module_.notes.push_back(
      (llvm::Twine(at.line) + ":" + llvm::Twine(at.column) + ": note: " + message).str());
}

}  // namespace affirm::hlo
