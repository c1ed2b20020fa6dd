// A module of StableHLO as its text has it: functions, operations, regions. Internal to the reader.
#ifndef AFFIRM_CORE_STABLEHLO_PROGRAM_H_
#define AFFIRM_CORE_STABLEHLO_PROGRAM_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/hlo/scanner.h"
#include "core/stablehlo/attribute.h"
#include "core/stablehlo/op_table.h"
#include "core/stablehlo/type.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

struct Argument {
  std::string name;  // "%arg0"
  Type type;
  Attributes attributes;
};

struct Operation;

struct Region {
  std::vector<Argument> arguments;
  std::vector<Operation> operations;  // the last one, and no other, returns
};

struct Operation {
  SourceLocation location;
  const OpRow* row = nullptr;
  std::string name;                   // "stablehlo.add"
  std::vector<std::string> results;   // "%0", "%1", "%1#1"
  std::vector<std::string> operands;  // the same
  Attributes attributes;              // those of the row, each as Conform has it
  Attributes notes;                   // the others, such as mhlo.backend_config
  std::vector<Region> regions;
  std::vector<Type> operand_types;  // one for each operand
  std::vector<Type> result_types;   // one for each result

  // The attribute of that name, or null.
  const Attribute* Find(llvm::StringRef attribute) const;
  bool IsTrue(llvm::StringRef attribute) const;
  std::string Word(llvm::StringRef attribute) const;  // "LT"; empty: missing
  // The integers of an attribute; none where it is missing.
  std::vector<int64_t> Integers(llvm::StringRef attribute) const;
};

struct Function {
  std::string name;
  SourceLocation location;
  Region body;
  std::vector<Type> result_types;
};

struct Program {
  std::string name;
  Attributes attributes;
  std::vector<Function> functions;  // with names that differ
};

// Reads one module, in the forms in which JAX prints it and in MLIR's generic one. Every value that
// is used has the type that its operation states; every name is given once.
llvm::Expected<Program> ReadProgram(Scanner& scanner);

// Checks what StableHLO requires of types and attributes beyond the row of an operation, where
// HLO's verifier does not ask for it. The error has no place.
llvm::Error CheckOperation(const Operation& operation);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_PROGRAM_H_
