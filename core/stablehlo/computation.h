// One computation of HLO while it is written. Internal to the reader of StableHLO.
#ifndef AFFIRM_CORE_STABLEHLO_COMPUTATION_H_
#define AFFIRM_CORE_STABLEHLO_COMPUTATION_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/stablehlo/program.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo::stablehlo {

// A value by its name in HLO.
struct Value {
  std::string name;
  Type type;
};

// The shape of several values together: "(f32[2], s32[])".
std::string TupleText(const std::vector<Type>& types);

class Computation {
 public:
  // `outer`: that of the operation whose region this is; null for a function.
  Computation(int64_t& names, const Computation* outer) : names_(names), outer_(outer) {}

  // Adds `name = shape opcode(operands)attributes` and gives the name.
  std::string Add(const SourceLocation& at, llvm::StringRef shape, llvm::StringRef opcode,
                  const std::vector<std::string>& operands, llvm::StringRef attributes = "");
  Value AddArray(const SourceLocation& at, const Type& type, llvm::StringRef opcode,
                 const std::vector<std::string>& operands, llvm::StringRef attributes = "");
  // The parameter of several values, or one of each.
  std::vector<Value> AddParameters(const SourceLocation& at, const std::vector<Type>& types,
                                   bool as_tuple);
  std::vector<Value> Unpack(const SourceLocation& at, const std::string& tuple,
                            const std::vector<Type>& types);
  std::string Pack(const SourceLocation& at, const std::vector<Value>& values);

  void Bind(const std::string& stablehlo, Value value) { values_[stablehlo] = std::move(value); }
  void BindConstant(const Operation& op) { constants_[op.results.front()] = &op; }
  const Value* Find(const std::string& stablehlo) const;
  // The operation of a constant here or outside, or null.
  const Operation* FindConstant(const std::string& stablehlo) const;

  // Appends the computation, whose root has that name, to a text.
  void Print(llvm::StringRef head, const SourceLocation& at, const std::string& root,
             std::string& text, std::vector<SourceLocation>& places) const;

 private:
  struct Line {
    std::string name, text;
    SourceLocation at;
  };

  int64_t& names_;  // how many the module has
  const Computation* outer_;
  std::vector<Line> lines_;
  std::map<std::string, Value> values_;
  std::map<std::string, const Operation*> constants_;
};

// Adds the names of values that a region takes from outside, each once, in the order of their first
// use. `stays`: arguments of a loop that its body returns as they are; they count as from outside
// where something uses them.
void AddTakenFromOutside(const Region& region, const std::vector<bool>& stays,
                         std::vector<std::string>& taken);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_COMPUTATION_H_
