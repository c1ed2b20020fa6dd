// A module of StableHLO as its text has it: functions, operations, regions. Internal to the reader.
#ifndef AFFIRM_CORE_STABLEHLO_PROGRAM_H_
#define AFFIRM_CORE_STABLEHLO_PROGRAM_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "core/hlo/scanner.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

// tensor<2x3xf32>, its element type by its name in HLO.
struct Type {
  std::string element;
  std::vector<int64_t> sizes;
  std::string layout = {};  // "{0,1}" where a call of a library wants another than the usual one

  std::string Text() const;  // f32[2,3]
};

struct Argument {
  std::string name;  // "%arg0"
  Type type;
  std::map<std::string, std::string> attributes;
};

struct Operation;

struct Region {
  std::vector<Argument> arguments;
  std::vector<Operation> operations;
};

struct Operation {
  SourceLocation location;
  std::string name;                               // "stablehlo.add"
  std::string symbol;                             // what is called, without the '@'
  std::vector<std::string> results;               // "%0", "%1#0", "%1#1"
  std::vector<std::string> operands;              // the same
  std::vector<std::string> words;                 // what stands between them: LT, FLOAT
  std::map<std::string, std::string> attributes;  // the text of each
  std::vector<Region> regions;
  std::vector<Type> operand_types;  // where the text has them
  std::vector<Type> result_types;
};

struct Function {
  std::string name;
  SourceLocation location;
  Region body;
};

struct Program {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<Function> functions;
};

// Reads one module, in the forms in which JAX prints it and in MLIR's generic one.
llvm::Expected<Program> ReadProgram(Scanner& scanner);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_PROGRAM_H_
