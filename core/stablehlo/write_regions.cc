// Operations with regions, and calls of functions.
#include "core/hlo/diagnostic.h"
#include "core/stablehlo/writer.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

// The names that are no constants of `in`.
std::vector<std::string> WithoutConstants(std::vector<std::string> names, const Computation& in) {
  llvm::erase_if(names, [&](const std::string& name) { return in.FindConstant(name) != nullptr; });
  return names;
}

// Which values of a loop its body returns as they are, where there are others.
std::vector<bool> Staying(const Operation& op) {
  const Region& body = op.regions[1];
  std::vector<bool> stays(op.operands.size(), false);
  const std::vector<std::string>& returned = body.operations.back().operands;
  for (size_t k = 0; k < returned.size() && k < stays.size(); ++k)
    stays[k] = returned[k] == body.arguments[k].name;
  return llvm::all_of(stays, [](bool s) { return s; }) ? std::vector<bool>(stays.size(), false)
                                                       : stays;
}

// The outer values that both regions of a loop use. They keep their names there.
std::vector<std::string> TakenByLoop(const Operation& op, const std::vector<bool>& stays,
                                     const Computation& in) {
  std::vector<std::string> taken;
  for (const Region& region : op.regions) {
    std::vector<std::string> names;
    AddTakenFromOutside(region, stays, names);
    for (std::string& name : names) {
      for (const auto& [k, argument] : llvm::enumerate(region.arguments)) {
        if (argument.name == name) name = op.operands[k];
      }
      if (!llvm::is_contained(taken, name)) taken.push_back(name);
    }
  }
  return WithoutConstants(std::move(taken), in);
}

}  // namespace

Expected<std::string> Writer::WriteCallee(const Operation& op, const std::string& symbol) {
  const Function* function = FindFunction(symbol);
  if (function == nullptr) return Fail(op, "no function @" + symbol);
  auto [known, fresh] = written_.try_emplace(symbol, false);
  if (fresh) {
    if (Error error = WriteFunction(*function, "")) return error;
    written_[symbol] = true;
  } else if (!known->second) {
    return Fail(op, "@" + symbol + " calls itself, which HLO cannot");
  }
  return names_of_functions_[symbol];
}

Error Writer::WriteCall(const Operation& op, const std::string& symbol,
                        const std::vector<Value>& operands, Computation& in) {
  auto name = WriteCallee(op, symbol);
  if (!name) return name.takeError();
  const Function& function = *FindFunction(symbol);
  if (op.operand_types != TypesOf(function.body.arguments) ||
      op.result_types != function.result_types)
    return Fail(op, "expected the types of @" + symbol + " in line " +
                        llvm::Twine(function.location.line) + " at this call");
  return AddAndBind(op, "call", operands, ", to_apply=" + *name, in);
}

Expected<std::string> Writer::WriteCombiner(const Operation& op, const Region& region,
                                            const Computation& in) {
  Computation inside(names_, &in);
  const auto parameters = inside.AddParameters(op.location, TypesOf(region.arguments), false);
  for (const auto& [k, argument] : llvm::enumerate(region.arguments))
    inside.Bind(argument.name, parameters[k]);
  auto returned = WriteOperations(region, inside);
  if (!returned) return returned.takeError();
  return Finish(
      op, inside,
      returned->size() == 1 ? returned->front().name : inside.Pack(op.location, *returned));
}

std::string Writer::Finish(const Operation& op, Computation& inside, const std::string& root) {
  const std::string name = NewName("region." + std::to_string(++names_));
  inside.Print(name, op.location, root, out_.text, out_.places);
  return name;
}

Expected<std::string> Writer::WriteLoopRegion(const Operation& op, size_t which,
                                              const std::vector<Type>& state,
                                              const std::vector<bool>& stays,
                                              const std::vector<std::string>& taken,
                                              const Computation& in) {
  const Region& region = op.regions[which];
  Computation inside(names_, &in);
  const auto values = inside.AddParameters(op.location, state, true);
  const size_t changing = values.size() - taken.size();
  for (const auto& [k, name] : llvm::enumerate(taken)) inside.Bind(name, values[changing + k]);
  size_t next = 0;
  for (const auto& [k, argument] : llvm::enumerate(region.arguments)) {
    if (!stays[k]) {
      inside.Bind(argument.name, values[next++]);
    } else if (inside.Find(op.operands[k]) != nullptr || in.FindConstant(op.operands[k])) {
      auto value = ValuesOf(op, {op.operands[k]}, inside);
      if (!value) return value.takeError();
      inside.Bind(argument.name, value->front());
    }
  }
  auto returned = WriteOperations(region, inside, which == 1 ? stays : std::vector<bool>());
  if (!returned) return returned.takeError();
  if (which == 0) return Finish(op, inside, returned->front().name);
  returned->insert(returned->end(), values.begin() + changing, values.end());
  return Finish(op, inside, inside.Pack(op.location, *returned));
}

Error Writer::WriteWhile(const Operation& op, const std::vector<Value>& operands, Computation& in) {
  const std::vector<bool> stays = Staying(op);
  const auto taken = TakenByLoop(op, stays, in);
  auto further = ValuesOf(op, taken, in);
  if (!further) return further.takeError();
  std::vector<Value> state;
  for (const auto& [k, operand] : llvm::enumerate(operands)) {
    if (!stays[k]) state.push_back(operand);
  }
  llvm::append_range(state, *further);
  auto condition = WriteLoopRegion(op, 0, TypesOf(state), stays, taken, in);
  if (!condition) return condition.takeError();
  auto body = WriteLoopRegion(op, 1, TypesOf(state), stays, taken, in);
  if (!body) return body.takeError();
  const std::string loop =
      in.Add(op.location, TupleText(TypesOf(state)), "while", {in.Pack(op.location, state)},
             ", condition=" + *condition + ", body=" + *body);
  const auto ends = in.Unpack(op.location, loop, TypesOf(state));
  size_t next = 0;
  for (const auto& [k, result] : llvm::enumerate(op.results))
    in.Bind(result, stays[k] ? operands[k] : ends[next++]);
  return Error::success();
}

Error Writer::WriteBranches(const Operation& op, const std::vector<Value>& operands,
                            Computation& in) {
  if (op.results.empty()) return Fail(op, "branches without results are not read");
  std::vector<Value> arguments = operands;
  std::string names;
  for (const Region& region : op.regions) {
    std::vector<std::string> taken;
    AddTakenFromOutside(region, {}, taken);
    taken = WithoutConstants(std::move(taken), in);
    auto values = ValuesOf(op, taken, in);
    if (!values) return values.takeError();
    const bool as_tuple = values->size() != 1;
    Computation inside(names_, &in);
    const auto parameters = inside.AddParameters(op.location, TypesOf(*values), as_tuple);
    for (const auto& [i, name] : llvm::enumerate(taken)) inside.Bind(name, parameters[i]);
    auto returned = WriteOperations(region, inside);
    if (!returned) return returned.takeError();
    names += (names.empty() ? "" : ", ") + Finish(op, inside,
                                                  returned->size() == 1
                                                      ? returned->front().name
                                                      : inside.Pack(op.location, *returned));
    arguments.push_back(as_tuple ? Value{in.Pack(op.location, *values), {}} : values->front());
  }
  std::string attributes = ", branch_computations={" + names + "}";
  if (op.name == "stablehlo.if") {
    auto [yes, no] = StringRef(names).split(", ");
    attributes = (", true_computation=" + yes + ", false_computation=" + no).str();
  }
  return AddAndBind(op, "conditional", arguments, attributes, in);
}

Error Writer::WriteFold(const Operation& op, const std::vector<Value>& operands,
                        const std::string& attributes, Computation& in) {
  auto combiner = WriteCombiner(op, op.regions.front(), in);
  if (!combiner) return combiner.takeError();
  const StringRef opcode = op.row->opcode;
  if (op.name != "stablehlo.select_and_scatter")
    return AddAndBind(op, opcode, operands, attributes + ", to_apply=" + *combiner, in);
  auto scatter = WriteCombiner(op, op.regions[1], in);
  if (!scatter) return scatter.takeError();
  return AddAndBind(op, opcode, operands,
                    attributes + ", select=" + *combiner + ", scatter=" + *scatter, in);
}

}  // namespace affirm::hlo::stablehlo
