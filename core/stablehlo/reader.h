// Reads the text of a StableHLO module. Internal to the reader.
#ifndef AFFIRM_CORE_STABLEHLO_READER_H_
#define AFFIRM_CORE_STABLEHLO_READER_H_

#include <map>
#include <string>
#include <vector>

#include "core/stablehlo/program.h"

namespace affirm::hlo::stablehlo {

class Reader : private AttributeReader {
 public:
  explicit Reader(Scanner& scanner) : AttributeReader(scanner) {}

  llvm::Expected<Program> ReadModule();

 private:
  // Module and functions (read_program.cc).
  llvm::Error ReadModuleBody(Program& program);
  llvm::Error ReadTopLevel(Program& program);
  llvm::Error SkipMesh();
  llvm::Expected<Function> ReadFunction();
  llvm::Error ReadResultTypes(std::vector<Type>& types);
  llvm::Error CheckDiscardable(const Attributes& attributes, llvm::StringRef of,
                               llvm::ArrayRef<llvm::StringRef> others = {});
  // `%a: tensor<f32> {..}, ..)`, without its '('.
  llvm::Error ReadArguments(std::vector<Argument>& into);
  // The operations of a region up to and with its '}'. `returns`: the operation that ends it.
  llvm::Error ReadRegion(Region& region, llvm::StringRef returns = "stablehlo.return");
  llvm::Expected<Type> ReadValueType();

  // Operations (read_operation.cc).
  llvm::Expected<Operation> ReadOperation();
  llvm::Error ReadResultNames(Operation& operation);
  llvm::Error ReadGeneric(Operation& operation);
  llvm::Error ReadPretty(Operation& operation);
  llvm::Error ReadForm(Operation& operation, llvm::ArrayRef<llvm::StringRef> form);
  llvm::Error ReadOperands(Operation& operation, bool with_last_comma);
  llvm::Error ReadNotes(Operation& operation);
  llvm::Error ReadTypes(Operation& operation);
  llvm::Error ReadTypeList(std::vector<Type>& types);
  llvm::Error ReadFunctionType(Operation& operation);
  // `pretty`: the operation's own syntax has it.
  llvm::Error SetAttribute(Operation& operation, llvm::StringRef name, Attribute value,
                           bool pretty);
  llvm::Error CheckCounts(const Operation& operation);
  llvm::Error CheckRow(const Operation& operation);
  // Checks that each operand has the type that the operation states.
  llvm::Error CheckOperandTypes(const Operation& operation);

  // Syntax that one operation alone has (special_forms.cc).
  llvm::Error ReadSpecial(llvm::StringRef what, Operation& operation);
  llvm::Error ReadRanges(Operation& operation);
  llvm::Error ReadDot(Operation& operation);
  llvm::Error ReadDimLabels(Operation& operation);
  llvm::Error ReadWindow(Operation& operation);
  llvm::Error ReadFormat(Operation& operation);
  llvm::Error ReadSharding(Operation& operation);
  llvm::Error ReadConstant(Operation& operation);
  llvm::Error ReadReduce(Operation& operation);
  llvm::Error ReadReducer(Operation& operation);
  llvm::Error ReadApplied(Operation& operation, llvm::StringRef applied);
  llvm::Error ReadWhile(Operation& operation);
  llvm::Expected<std::vector<Attribute>> ReadList();

  bool ConsumeWord(llvm::StringRef word);
  llvm::Error ExpectWord(llvm::StringRef word);

  // The values that are visible, the innermost region last.
  llvm::Error Bind(const std::string& name, const Type& type, const SourceLocation& at);
  const Type* FindType(const std::string& name) const;

  std::vector<std::map<std::string, Type>> scopes_;
  int depth_ = 0;
};

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_READER_H_
