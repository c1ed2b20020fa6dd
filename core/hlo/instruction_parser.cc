// Reads the lines of one computation: name = shape opcode(operands), attributes.
#include <utility>

#include "core/hlo/async_opcode.h"
#include "core/hlo/attribute_rules.h"
#include "core/hlo/attribute_text.h"
#include "core/hlo/literal_text.h"
#include "core/hlo/parser.h"
#include "core/hlo/shape_text.h"
#include "core/hlo/verifier.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

namespace affirm::hlo {
namespace {

constexpr int kMaxInlineComputations = 64;

enum class CalleeSyntax {
  kNone,
  kOne,   // to_apply=%f, or an inline body
  kList,  // branch_computations={%f, %g}
  kEither,
};

CalleeSyntax CalleeSyntaxOf(llvm::StringRef key, Opcode opcode) {
  const bool selects = opcode == Opcode::kSelectAndScatter;
  const CalleeSyntax of_select = selects ? CalleeSyntax::kOne : CalleeSyntax::kNone;
  return llvm::StringSwitch<CalleeSyntax>(key)
      .Cases({"to_apply", "body", "condition", "true_computation", "false_computation"},
             CalleeSyntax::kOne)
      .Cases({"select", "scatter"}, of_select)
      .Cases({"branch_computations", "called_computations"}, CalleeSyntax::kList)
      .Case("calls", CalleeSyntax::kEither)
      .Default(CalleeSyntax::kNone);
}

// The branch taken for true comes first, in whichever order the text names the two.
void OrderBranches(Instruction& instruction) {
  if (instruction.called.size() != 2 || instruction.called_as[0] != "false_computation") return;
  std::swap(instruction.called[0], instruction.called[1]);
  std::swap(instruction.called_as[0], instruction.called_as[1]);
}

}  // namespace

llvm::Error InstructionListParser::Parse() {
  while (scanner_.Peek() != '}') {
    if (scanner_.AtEnd()) {
      return scanner_.FailHere("expected an instruction or '}' in computation " +
                               computation_.name + ", found the end of the text");
    }
    if (llvm::Error error = ParseInstruction()) return error;
  }
  const size_t end = scanner_.pos();
  scanner_.Consume('}');
  return Finish(end);
}

llvm::Error InstructionListParser::Finish(size_t end) {
  if (computation_.instructions.empty()) {
    return scanner_.Fail(end,
                         "expected at least one instruction in computation " + computation_.name);
  }
  if (computation_.root == nullptr) computation_.root = computation_.instructions.back().get();
  NameTheUnnamed();
  return NumberParameters();
}

llvm::Error InstructionListParser::NumberParameters() {
  const Instruction* offender = nullptr;
  if (computation_.NumberParameters(&offender)) return llvm::Error::success();
  return scanner_.FailAt(offender->location,
                         "expected the parameters of computation " + computation_.name +
                             " to be numbered from 0 on, each once, found a parameter " +
                             llvm::Twine(offender->parameter_number) + " among " +
                             llvm::Twine(computation_.parameters.size()));
}

void InstructionListParser::NameTheUnnamed() {
  int64_t next = 0;
  for (Instruction* instruction : unnamed_) {
    do {
      instruction->name = instruction->opcode_text + "." + llvm::utostr(next++);
    } while (!by_name_.try_emplace(instruction->name, instruction).second);
  }
}

llvm::Error InstructionListParser::ParseInstruction() {
  const bool is_root = scanner_.ConsumeWord("ROOT");
  scanner_.SkipSpace();
  const size_t begin = scanner_.pos();
  const std::string found = scanner_.Found();
  const llvm::StringRef name = scanner_.Name();
  if (name.empty()) {
    return scanner_.Fail(begin,
                         "expected an instruction like 'x = f32[2] add(a, b)', found " + found);
  }
  if (llvm::Error error = scanner_.Expect('=', "behind the name '" + name + "'")) return error;
  llvm::Expected<std::unique_ptr<Instruction>> parsed = ParseCore(0);
  if (!parsed) return parsed.takeError();
  (*parsed)->name = name.str();
  (*parsed)->location = scanner_.LocationOf(begin);
  const AsyncForm form = AsyncFormOf((*parsed)->opcode_text);
  const bool starts = (*parsed)->opcode == Opcode::kAsyncStart && form.wrapped != Opcode::kUnknown;
  if (starts) (*parsed)->opcode = form.wrapped;
  if (llvm::Error error = ParseAttributes(**parsed)) return error;
  OrderBranches(**parsed);
  if (starts) {
    parsed = WrapAsync(std::move(*parsed), begin);
    if (!parsed) return parsed.takeError();
  }
  Instruction& instruction = **parsed;
  if (llvm::Error error = InferMissingShape(instruction, begin)) return error;
  if (!by_name_.try_emplace(name, &instruction).second) {
    return scanner_.Fail(
        begin, "expected a new name, found '" + name + "', which this computation defines already");
  }
  computation_.Add(std::move(*parsed));
  if (!is_root) return llvm::Error::success();
  if (computation_.root != nullptr) {
    return scanner_.Fail(
        begin, "expected one ROOT in computation " + computation_.name + ", found a second");
  }
  computation_.root = &instruction;
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Instruction>> InstructionListParser::ParseCore(int depth) {
  if (depth > kMaxNesting) return scanner_.FailHere("expected at most 500 nested operands");
  auto instruction = std::make_unique<Instruction>();
  if (LooksAtShape(scanner_)) {
    llvm::Expected<Shape> shape = ParseShape(scanner_);
    if (!shape) return shape.takeError();
    instruction->shape = std::move(*shape);
  }
  if (llvm::Error error = ParseOpcode(*instruction)) return error;
  const std::string context = "before the operands of " + instruction->opcode_text;
  if (llvm::Error error = scanner_.Expect('(', context)) return error;
  llvm::Error error = instruction->opcode == Opcode::kParameter ? ParseParameterNumber(*instruction)
                      : instruction->opcode == Opcode::kConstant
                          ? ParseConstant(*instruction)
                          : ParseOperands(*instruction, depth);
  if (error) return error;
  if (llvm::Error closing =
          scanner_.Expect(')', "behind the operands of " + instruction->opcode_text)) {
    return closing;
  }
  return instruction;
}

llvm::Error InstructionListParser::ParseOpcode(Instruction& instruction) {
  scanner_.SkipSpace();
  const std::string found = scanner_.Found();
  const size_t begin = scanner_.pos();
  const llvm::StringRef text = scanner_.Identifier();
  if (text.empty()) return scanner_.Fail(begin, "expected a shape or an opcode, found " + found);
  instruction.opcode_text = text.str();
  instruction.opcode = OpcodeFromName(text);
  if (instruction.opcode == Opcode::kUnknown) instruction.opcode = AsyncFormOf(text).opcode;
  return llvm::Error::success();
}

llvm::Error InstructionListParser::ParseParameterNumber(Instruction& instruction) {
  scanner_.SkipSpace();
  const size_t begin = scanner_.pos();
  llvm::Expected<int64_t> number = scanner_.Integer("the number of the parameter");
  if (!number) return number.takeError();
  if (*number < 0) {
    return scanner_.Fail(
        begin, "expected the number of the parameter, at least 0, found " + llvm::Twine(*number));
  }
  instruction.parameter_number = *number;
  return llvm::Error::success();
}

llvm::Error InstructionListParser::ParseConstant(Instruction& instruction) {
  if (instruction.shape.type == PrimitiveType::kInvalid) {
    return scanner_.FailHere("expected the shape of the constant before its opcode");
  }
  llvm::Expected<std::optional<Literal>> literal =
      ParseLiteral(scanner_, instruction.shape, table_.budget().filled_elements);
  if (!literal) return literal.takeError();
  instruction.literal = std::move(*literal);
  return llvm::Error::success();
}

llvm::Error InstructionListParser::ParseOperands(Instruction& instruction, int depth) {
  if (scanner_.Peek() == ')') return llvm::Error::success();
  do {
    if (llvm::Error error = ParseOperand(instruction, depth)) return error;
  } while (scanner_.Consume(','));
  return llvm::Error::success();
}

// [shape] name, [shape] name#1, or [shape] opcode(operands), an instruction in place.
llvm::Error InstructionListParser::ParseOperand(Instruction& instruction, int depth) {
  scanner_.SkipSpace();
  const size_t begin = scanner_.pos();
  const std::string found = scanner_.Found();
  std::optional<Shape> shape;
  if (LooksAtShape(scanner_)) {
    llvm::Expected<Shape> parsed = ParseShape(scanner_);
    if (!parsed) return parsed.takeError();
    shape = std::move(*parsed);
  }
  scanner_.SkipSpace();
  const size_t name_begin = scanner_.pos();
  const llvm::StringRef name = scanner_.Name();
  if (name.empty()) {
    return scanner_.FailHere("expected an operand of " + instruction.opcode_text + ", found " +
                             (shape ? scanner_.Found() : found));
  }
  if (scanner_.Peek() == '(') {
    scanner_.set_pos(begin);
    llvm::Expected<std::unique_ptr<Instruction>> nested = ParseCore(depth + 1);
    if (!nested) return nested.takeError();
    (*nested)->location = scanner_.LocationOf(begin);
    const auto none = [](llvm::StringRef) { return false; };
    if (llvm::StringRef missing = MissingAttribute(**nested, none); !missing.empty()) {
      return scanner_.Fail(begin, "expected an instruction of its own for " +
                                      (*nested)->opcode_text + ", which needs the attribute " +
                                      missing);
    }
    if (llvm::Error error = InferMissingShape(**nested, begin)) return error;
    Instruction* added = computation_.Add(std::move(*nested));
    unnamed_.push_back(added);
    instruction.operands.push_back(added);
    return llvm::Error::success();
  }
  auto operand = by_name_.find(name);
  if (operand != by_name_.end()) {
    llvm::Expected<Instruction*> element = ParseElementOf(operand->second);
    if (!element) return element.takeError();
    instruction.operands.push_back(*element);
    return llvm::Error::success();
  }
  if (!snippet_ || !shape) {
    const llvm::StringRef or_shape = snippet_ ? " or a shape before its name" : "";
    return scanner_.Fail(name_begin, "expected an instruction defined above as operand" + or_shape +
                                         ", found '" + name + "'");
  }
  instruction.operands.push_back(AddParameter(name, std::move(*shape), name_begin));
  return llvm::Error::success();
}

// Behind the name of an instruction: "#1" is its element 1, "#1#0" element 0 of that, as XLA writes
// operands since it leaves out instructions that take an element of a tuple (compact gte). What is
// named so twice is one instruction.
llvm::Expected<Instruction*> InstructionListParser::ParseElementOf(Instruction* value) {
  while (scanner_.Rest().starts_with("#")) {
    const size_t begin = scanner_.pos();
    scanner_.Consume('#');
    llvm::Expected<int64_t> index = scanner_.Integer("the number of an element behind '#'");
    if (!index) return index.takeError();
    if (!value->shape.IsTuple() || *index < 0 ||
        *index >= static_cast<int64_t>(value->shape.tuple.size())) {
      return scanner_.Fail(begin, "expected the number of an element of " +
                                      value->shape.ToString() + ", found '#" + llvm::Twine(*index) +
                                      "'");
    }
    Instruction*& element = elements_[{value, *index}];
    if (element == nullptr) {
      if (!ChargeInference(value->shape.tuple[*index])) {
        return scanner_.Fail(begin, "expected the shapes of tuples this large to be written");
      }
      auto added = std::make_unique<Instruction>();
      added->opcode = Opcode::kGetTupleElement;
      added->opcode_text = "get-tuple-element";
      added->shape = value->shape.tuple[*index];
      added->operands.push_back(value);
      added->attributes.tuple_index = *index;
      added->location = scanner_.LocationOf(begin);
      element = computation_.Add(std::move(added));
      unnamed_.push_back(element);
    }
    value = element;
  }
  return value;
}

llvm::Error InstructionListParser::ParseAttributes(Instruction& instruction) {
  const size_t operands_end = scanner_.pos();
  llvm::SmallDenseSet<llvm::StringRef, 8> seen;
  while (scanner_.Consume(',')) {
    scanner_.SkipSpace();
    const size_t begin = scanner_.pos();
    const std::string found = scanner_.Found();
    const llvm::StringRef key = scanner_.Identifier();
    if (!key.empty() && !seen.insert(key).second) {
      return scanner_.Fail(begin, "expected each attribute once, found " + key + " again");
    }
    if (key.empty()) {
      return scanner_.Fail(begin, "expected an attribute like 'dimensions={0}', found " + found);
    }
    if (instruction.opcode == Opcode::kIota && key == "dimensions") {
      if (llvm::Error error = ParseShortIota(instruction, begin)) return error;
      if (!seen.insert("iota_dimension").second) {
        return scanner_.Fail(begin, "expected one dimension of iota, found " + found + " too");
      }
      continue;
    }
    if (!HasAttribute(instruction, key)) {
      return scanner_.Fail(begin, "expected an attribute that " + instruction.opcode_text +
                                      " is known to have, found " + found);
    }
    if (llvm::Error error = scanner_.Expect('=', "behind the attribute " + key)) return error;
    if (CalleeSyntaxOf(key, instruction.opcode) != CalleeSyntax::kNone) {
      if (llvm::Error error = ParseCallees(instruction, key)) return error;
      continue;
    }
    const size_t value = scanner_.pos();
    if (llvm::Error error =
            ParseAttribute(scanner_, key, instruction.opcode, instruction.attributes)) {
      return error;
    }
    if (llvm::Error error = CheckText(instruction, key, value)) return error;
    // Integers have one order, which is total.
    if (key == "order" && !instruction.operands.empty() &&
        !IsFloat(instruction.operands[0]->shape.type)) {
      instruction.attributes.comparison_type.clear();
    }
    if (key == "control-predecessors") {
      if (llvm::Error error = CheckControlPredecessors(instruction)) return error;
    }
  }
  const llvm::StringRef missing =
      MissingAttribute(instruction, [&](llvm::StringRef key) { return seen.contains(key); });
  if (missing.empty()) return llvm::Error::success();
  return scanner_.Fail(operands_end,
                       "expected the attribute " + missing + " of " + instruction.opcode_text);
}

// `dimensions={1}` for iota_dimension=1, as listings of the documentation have it.
llvm::Error InstructionListParser::ParseShortIota(Instruction& instruction, size_t pos) {
  if (llvm::Error error = scanner_.Expect('=', "behind the attribute dimensions")) return error;
  if (llvm::Error error =
          ParseAttribute(scanner_, "dimensions", Opcode::kBroadcast, instruction.attributes)) {
    return error;
  }
  if (instruction.attributes.dimensions.size() != 1) {
    return scanner_.Fail(pos, "expected one dimension of iota, found " +
                                  llvm::Twine(instruction.attributes.dimensions.size()));
  }
  table_.Note(pos, "dimensions of iota is read as iota_dimension");
  return llvm::Error::success();
}

// Checks the attribute that was read last, if it was kept as text. One that does not matter for
// semantics may have any text.
llvm::Error InstructionListParser::CheckText(const Instruction& instruction, llvm::StringRef key,
                                             size_t pos) {
  const std::string* text = instruction.attributes.FindExtra(key);
  if (text == nullptr || instruction.opcode == Opcode::kUnknown) return llvm::Error::success();
  const llvm::StringRef expected = ExpectedText(key, *text);
  if (expected.empty()) return llvm::Error::success();
  const size_t end = scanner_.pos();
  scanner_.set_pos(pos);
  scanner_.SkipSpace();
  pos = scanner_.pos();
  scanner_.set_pos(end);
  return scanner_.Fail(pos,
                       "expected " + expected + " as the value of " + key + ", found " + *text);
}

// Checks the names in the attribute that was read last.
llvm::Error InstructionListParser::CheckControlPredecessors(const Instruction& instruction) {
  const size_t end = scanner_.pos();
  const size_t begin = end - instruction.attributes.extra.back().second.size();
  scanner_.set_pos(begin);
  if (llvm::Error error = scanner_.Expect('{', "before the names of instructions")) return error;
  while (!scanner_.Consume('}')) {
    scanner_.SkipSpace();
    const size_t pos = scanner_.pos();
    const llvm::StringRef name = scanner_.Name();
    if (name.empty()) {
      return scanner_.FailHere("expected the name of an instruction, found " + scanner_.Found());
    }
    // As operands are. An instruction that waits for one below could wait for itself.
    const auto above = by_name_.find(name);
    if (above == by_name_.end() || above->second == &instruction) {
      return scanner_.Fail(pos, "expected the name of an instruction above, found '" + name + "'");
    }
    scanner_.Consume(',');
  }
  scanner_.set_pos(end);
  return llvm::Error::success();
}

llvm::Error InstructionListParser::ParseCallees(Instruction& instruction, llvm::StringRef key) {
  const CalleeSyntax syntax = CalleeSyntaxOf(key, instruction.opcode);
  const size_t begin = scanner_.pos();
  bool list = false;
  if (scanner_.Consume('{')) {
    list = syntax == CalleeSyntax::kList;
    if (syntax == CalleeSyntax::kEither) {
      // A body begins with "name =" or "ROOT name".
      const llvm::StringRef name = scanner_.Name();
      list = name.empty() || scanner_.Peek() == ',' || scanner_.Peek() == '}';
    }
    scanner_.set_pos(begin);
    if (!list) return ParseInlineCallee(instruction, key);
    scanner_.Consume('{');
    if (scanner_.Consume('}')) return llvm::Error::success();
  }
  do {
    scanner_.SkipSpace();
    const size_t pos = scanner_.pos();
    const llvm::StringRef callee = scanner_.Name();
    if (callee.empty()) {
      return scanner_.FailHere("expected the name of a computation, found " + scanner_.Found());
    }
    table_.Call(instruction, key, callee, pos);
  } while (list && scanner_.Consume(','));
  if (list) return scanner_.Expect('}', "or ',' behind the name of a computation");
  return llvm::Error::success();
}

llvm::Error InstructionListParser::ParseInlineCallee(Instruction& instruction,
                                                     llvm::StringRef key) {
  if (depth_ >= kMaxInlineComputations) {
    return scanner_.FailHere("expected at most 64 computations inside each other");
  }
  const size_t begin = scanner_.pos();
  Computation* callee = table_.DefineUnique((instruction.opcode_text + "." + key).str(), begin);
  if (llvm::Error error = scanner_.Expect('{', "before the body of a computation")) return error;
  InstructionListParser body(scanner_, table_, *callee, depth_ + 1);
  if (llvm::Error error = body.Parse()) return error;
  instruction.called.push_back(callee);
  instruction.called_as.push_back(key.str());
  return llvm::Error::success();
}

}  // namespace affirm::hlo
