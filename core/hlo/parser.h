// The parser of HLO text, in two layers: a module with its header, and the instructions of one
// computation. Internal to core/hlo; text.h is the interface.
#ifndef AFFIRM_CORE_HLO_PARSER_H_
#define AFFIRM_CORE_HLO_PARSER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/hlo/module.h"
#include "core/hlo/scanner.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// Limits of what a text may make the reader allocate beyond its own size.
struct ReadBudget {
  int64_t filled_elements = int64_t{1} << 24;  // of arrays whose text is one number
  int64_t inferred_shapes = int64_t{1} << 18;  // shapes and tuple elements that are not written
};

// The computations of a module that is being read. Text may call a computation before it defines
// it; such calls wait here.
class ComputationTable {
 public:
  ComputationTable(Scanner& scanner, Module& module) : scanner_(scanner), module_(module) {}

  // Adds an empty computation; an error when the name is taken.
  llvm::Expected<Computation*> Define(llvm::StringRef name, size_t pos);
  // Like Define, under the first free of name, name.1, name.2, ...
  Computation* DefineUnique(llvm::StringRef name, size_t pos);
  // Adds to `caller` a call of the computation with this name.
  void Call(Instruction& caller, llvm::StringRef key, llvm::StringRef callee, size_t pos);
  // Binds the calls that waited, and puts callees before callers; an error for a name that was
  // never defined and for a computation that calls itself.
  llvm::Error Finish();
  ReadBudget& budget() { return budget_; }
  // Adds a note to the module.
  void Note(size_t pos, const llvm::Twine& message);

 private:
  struct PendingCall {
    Instruction* caller;
    size_t slot;
    llvm::StringRef callee;
    size_t pos;
  };

  llvm::Error SortCalleesFirst();
  // The combiner of a reduction that is called by the name of an op, `to_apply=max`, if no
  // computation has that name: made here, with a note. Null if the name is of no such op.
  Computation* ShortCombiner(const Instruction& caller, llvm::StringRef name, size_t pos);

  Scanner& scanner_;
  Module& module_;
  llvm::StringMap<Computation*> by_name_;
  llvm::StringMap<int64_t> next_suffix_;  // where DefineUnique goes on
  std::vector<PendingCall> pending_;
  ReadBudget budget_;
};

// Reads the instructions between the braces of a computation.
class InstructionListParser {
 public:
  InstructionListParser(Scanner& scanner, ComputationTable& table, Computation& computation,
                        int depth)
      : scanner_(scanner), table_(table), computation_(computation), depth_(depth) {}

  // Up to and with the closing brace; the opening one has been read.
  llvm::Error Parse();
  // Lines without a computation around them, up to the end of the text. An operand that no line
  // defines is a parameter; its shape must be written.
  llvm::Error ParseSnippet();

 private:
  llvm::Error ParseInstruction();
  // shape opcode(operands): everything but the name and the attributes.
  llvm::Expected<std::unique_ptr<Instruction>> ParseCore(int depth);
  llvm::Error ParseOpcode(Instruction& instruction);
  // Wraps the instruction in a computation and returns the async-start that calls it. The shape of
  // `wrapped` is that of the async-start.
  llvm::Expected<std::unique_ptr<Instruction>> WrapAsync(std::unique_ptr<Instruction> wrapped,
                                                         size_t pos);
  llvm::Error ParseOperands(Instruction& instruction, int depth);
  llvm::Error ParseOperand(Instruction& instruction, int depth);
  llvm::Expected<Instruction*> ParseElementOf(Instruction* value);
  // The parameter that a snippet uses and does not define.
  Instruction* AddParameter(llvm::StringRef name, Shape shape, size_t pos);
  llvm::Error ParseParameterNumber(Instruction& instruction);
  llvm::Error ParseConstant(Instruction& instruction);
  llvm::Error ParseAttributes(Instruction& instruction);
  llvm::Error ParseShortIota(Instruction& instruction, size_t pos);
  llvm::Error ParseCallees(Instruction& instruction, llvm::StringRef key);
  llvm::Error ParseInlineCallee(Instruction& instruction, llvm::StringRef key);

  llvm::Error InferMissingShape(Instruction& instruction, size_t pos);
  bool ChargeInference(const Shape& shape);
  llvm::Error CheckText(const Instruction& instruction, llvm::StringRef key, size_t pos);
  llvm::Error CheckControlPredecessors(const Instruction& instruction);
  llvm::Error Finish(size_t end);
  llvm::Error NumberParameters();
  void NameTheUnnamed();

  Scanner& scanner_;
  ComputationTable& table_;
  Computation& computation_;
  int depth_;  // of inline computations around this one
  bool snippet_ = false;
  std::vector<Instruction*> added_parameters_;
  llvm::StringMap<Instruction*> by_name_;
  std::vector<Instruction*> unnamed_;  // operands written in place
  llvm::DenseMap<std::pair<Instruction*, int64_t>, Instruction*> elements_;  // written as "name#1"
};

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_PARSER_H_
