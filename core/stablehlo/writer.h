// Writes a program of StableHLO as HLO, computation by computation. Internal to the reader.
#ifndef AFFIRM_CORE_STABLEHLO_WRITER_H_
#define AFFIRM_CORE_STABLEHLO_WRITER_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/stablehlo/computation.h"
#include "core/stablehlo/program.h"
#include "core/stablehlo/to_hlo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo::stablehlo {

std::vector<Type> TypesOf(const std::vector<Argument>& arguments);
std::vector<Type> TypesOf(const std::vector<Value>& values);

class Writer {
 public:
  Writer(const Program& program, llvm::StringRef where);

  // The module whose entry is a function, with all that it calls.
  llvm::Expected<HloText> WriteModule(const Function& entry);
  bool HasWritten(const Function& function) const { return written_.contains(function.name); }

 private:
  llvm::Error Fail(const Operation& op, const llvm::Twine& message) const;
  const Function* FindFunction(llvm::StringRef name) const;
  // A call of a library, with the layouts that it wants.
  llvm::Error WriteCustomCall(const Operation& op, const std::vector<Value>& operands,
                              Computation& in);
  llvm::Error WriteFunction(const Function& function, const std::string& before);
  // The parameters of a function, those of the entry with their attributes.
  llvm::Error WriteParameters(const Function& function, bool is_entry, Computation& in);
  // A function as a computation, once; gives its name.
  llvm::Expected<std::string> WriteCallee(const Operation& op, const std::string& symbol);
  // Each operation of a region; gives what the region returns, without the values that stay.
  llvm::Expected<std::vector<Value>> WriteOperations(const Region& region, Computation& in,
                                                     const std::vector<bool>& stays = {});
  // The values of operands; a constant from outside of a region is made again in it.
  llvm::Expected<std::vector<Value>> ValuesOf(const Operation& op,
                                              const std::vector<std::string>& names,
                                              Computation& in);
  llvm::Error WriteConstant(const Operation& op, Computation& in);
  // The result of an operation: one array, or a tuple.
  void BindResults(const Operation& op, const std::string& name, bool is_tuple, Computation& in);
  llvm::Error AddAndBind(const Operation& op, llvm::StringRef opcode,
                         const std::vector<Value>& operands, llvm::StringRef attributes,
                         Computation& in, bool always_tuple = false);
  llvm::Error WriteOperation(const Operation& op, Computation& in);
  // A call of a function of these operands and results.
  llvm::Error WriteCall(const Operation& op, const std::string& symbol,
                        const std::vector<Value>& operands, Computation& in);
  llvm::Error WriteRng(const Operation& op, const std::vector<Value>& operands, Computation& in);
  // A region whose arguments are parameters, as a computation; gives its name.
  llvm::Expected<std::string> WriteCombiner(const Operation& op, const Region& region,
                                            const Computation& in);
  std::string Finish(const Operation& op, Computation& inside, const std::string& root);
  // A region of a loop: its arguments are the values that change and then those of `taken`.
  llvm::Expected<std::string> WriteLoopRegion(const Operation& op, size_t which,
                                              const std::vector<Type>& state,
                                              const std::vector<bool>& stays,
                                              const std::vector<std::string>& taken,
                                              const Computation& in);
  // A loop: what it takes from outside is further values that stay, as are its own that do.
  llvm::Error WriteWhile(const Operation& op, const std::vector<Value>& operands, Computation& in);
  // Branches: what one takes from outside is its operand.
  llvm::Error WriteBranches(const Operation& op, const std::vector<Value>& operands,
                            Computation& in);
  // Replaces a complex operand of a conversion to real numbers by its real part.
  static void DropImaginaryPart(const Operation& op, Value& operand, Computation& in);
  // HLO's broadcast does not repeat dimensions of one element: these are dropped before.
  llvm::Error WriteBroadcast(const Operation& op, std::vector<Value> operands, Computation& in);
  llvm::Error WriteRandomBits(const Operation& op, const std::vector<Value>& operands,
                              Computation& in);
  llvm::Error WriteAllToAll(const Operation& op, const std::vector<Value>& operands,
                            const std::string& attributes, Computation& in);
  llvm::Error WriteBarrier(const Operation& op, const std::vector<Value>& operands,
                           Computation& in);
  // An operation that combines elements: by its region, or by an operation that is named.
  llvm::Error WriteFold(const Operation& op, const std::vector<Value>& operands,
                        const std::string& attributes, Computation& in);
  // A name like this one that no computation has.
  std::string NewName(const std::string& name);

  const Program& program_;
  llvm::StringRef where_;
  HloText out_;
  int64_t names_ = 0;
  std::map<std::string, std::string> names_of_functions_;
  std::set<std::string> taken_names_;
  std::map<std::string, bool> written_;  // functions; false: one that is being written
};

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_WRITER_H_
