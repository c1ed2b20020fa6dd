#include "core/stablehlo/computation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::hlo::stablehlo {

std::string TupleText(const std::vector<Type>& types) {
  std::string text = "(";
  for (const auto& [k, type] : llvm::enumerate(types)) text += (k ? ", " : "") + type.Text();
  return text + ")";
}

std::string Computation::Add(const SourceLocation& at, llvm::StringRef shape,
                             llvm::StringRef opcode, const std::vector<std::string>& operands,
                             llvm::StringRef attributes) {
  std::string name = opcode.str() + "." + std::to_string(++names_);
  lines_.push_back(
      {name, (shape + " " + opcode + "(" + llvm::join(operands, ", ") + ")" + attributes).str(),
       at});
  return name;
}

Value Computation::AddArray(const SourceLocation& at, const Type& type, llvm::StringRef opcode,
                            const std::vector<std::string>& operands, llvm::StringRef attributes) {
  return {Add(at, type.Text(), opcode, operands, attributes), type};
}

std::vector<Value> Computation::AddParameters(const SourceLocation& at,
                                              const std::vector<Type>& types, bool as_tuple) {
  if (as_tuple) return Unpack(at, Add(at, TupleText(types), "parameter", {"0"}), types);
  std::vector<Value> values;
  for (const auto& [k, type] : llvm::enumerate(types))
    values.push_back(AddArray(at, type, "parameter", {std::to_string(k)}));
  return values;
}

std::vector<Value> Computation::Unpack(const SourceLocation& at, const std::string& tuple,
                                       const std::vector<Type>& types) {
  std::vector<Value> values;
  for (const auto& [k, type] : llvm::enumerate(types))
    values.push_back(
        AddArray(at, type, "get-tuple-element", {tuple}, ", index=" + std::to_string(k)));
  return values;
}

std::string Computation::Pack(const SourceLocation& at, const std::vector<Value>& values) {
  std::vector<Type> types;
  std::vector<std::string> names;
  for (const Value& value : values) {
    types.push_back(value.type);
    names.push_back(value.name);
  }
  return Add(at, TupleText(types), "tuple", names);
}

const Value* Computation::Find(const std::string& stablehlo) const {
  auto found = values_.find(stablehlo);
  return found == values_.end() ? nullptr : &found->second;
}

const Operation* Computation::FindConstant(const std::string& stablehlo) const {
  auto found = constants_.find(stablehlo);
  if (found != constants_.end()) return found->second;
  return outer_ ? outer_->FindConstant(stablehlo) : nullptr;
}

void Computation::Print(llvm::StringRef head, const SourceLocation& at, const std::string& root,
                        std::string& text, std::vector<SourceLocation>& places) const {
  text += (head + " {\n").str();
  places.push_back(at);
  for (const Line& line : lines_) {
    text += (line.name == root ? "  ROOT " : "  ") + line.name + " = " + line.text + "\n";
    places.push_back(line.at);
  }
  text += "}\n\n";
  places.insert(places.end(), 2, at);
}

namespace {

// `known`: what is defined outside of the region and inside of the outermost one.
void AddTaken(const Region& region, std::set<std::string> known, const std::vector<bool>& stays,
              std::vector<std::string>& taken) {
  for (size_t k = 0; k < region.arguments.size(); ++k) {
    if (k >= stays.size() || !stays[k]) known.insert(region.arguments[k].name);
  }
  for (const Operation& operation : region.operations) {
    const bool returns = operation.row->types == TypesForm::kOperands;
    for (const auto& [k, operand] : llvm::enumerate(operation.operands)) {
      if (returns && k < stays.size() && stays[k]) continue;
      if (!known.contains(operand) && !llvm::is_contained(taken, operand)) taken.push_back(operand);
    }
    for (const Region& inside : operation.regions) AddTaken(inside, known, {}, taken);
    known.insert(operation.results.begin(), operation.results.end());
  }
}

}  // namespace

void AddTakenFromOutside(const Region& region, const std::vector<bool>& stays,
                         std::vector<std::string>& taken) {
  AddTaken(region, {}, stays, taken);
}

}  // namespace affirm::hlo::stablehlo
