// Writes a module of StableHLO as HLO.
#include "core/stablehlo/to_hlo.h"

#include <algorithm>

#include "core/hlo/diagnostic.h"
#include "core/hlo/scanner.h"
#include "core/stablehlo/attributes.h"
#include "core/stablehlo/computation.h"
#include "core/stablehlo/module_head.h"
#include "core/stablehlo/op_text.h"
#include "core/stablehlo/program.h"
#include "core/stablehlo/read_types.h"
#include "core/stablehlo/writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

std::vector<Type> TypesOf(const std::vector<Argument>& arguments) {
  std::vector<Type> types;
  types.reserve(arguments.size());
  for (const Argument& argument : arguments) types.push_back(argument.type);
  return types;
}

std::vector<Type> TypesOf(const std::vector<Value>& values) {
  std::vector<Type> types;
  types.reserve(values.size());
  for (const Value& value : values) types.push_back(value.type);
  return types;
}

namespace {

std::vector<std::string> NamesOf(const std::vector<Value>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const Value& value : values) names.push_back(value.name);
  return names;
}

int64_t ElementsOf(const Type& type) {
  int64_t count = 1;
  for (int64_t size : type.sizes) count = llvm::SaturatingMultiply<uint64_t>(count, size);
  return count;
}

// The types of `dense<[0, 1]>` and others, a layout for each, of which HLO's is `{0,1}`.
void AddLayouts(StringRef text, std::vector<Type>& types) {
  for (Type& type : types) {
    text = text.drop_front(std::min(text.find("dense<"), text.size()));
    const std::vector<int64_t> order = Integers(text);
    text = text.drop_front(std::min<size_t>(text.size(), 6));
    if (!order.empty() && order.size() == type.sizes.size()) type.layout = InBraces(order);
  }
}

std::string Unknown(const Operation& op) {
  if (StringRef(op.name).starts_with("chlo."))
    return op.name +
           " has no HLO of its own: XLA computes it by others. "
           "`jax.jit(f).lower(..).compiler_ir(\"hlo\")"
           ".as_hlo_text()` prints the module with these";
  return "unknown operation '" + op.name + "', expected one of StableHLO's that HLO has";
}

}  // namespace

Expected<HloText> Writer::Run() {
  const Function* main = FindFunction("main");
  if (main == nullptr && program_.functions.size() == 1) main = &program_.functions.front();
  if (main == nullptr)
    return MakeErrorAt(where_, {1, 1}, "expected a function @main in the module");
  out_.text = HeadOf(program_, *main) + "\n\n";
  out_.places = {{1, 1}, {1, 1}};
  if (Error error = WriteFunction(*main, "ENTRY ")) return error;
  return std::move(out_);
}

Error Writer::Fail(const Operation& op, const llvm::Twine& message) const {
  return MakeErrorAt(where_, op.location, message);
}

const Function* Writer::FindFunction(StringRef name) const {
  auto found = llvm::find_if(program_.functions, [&](const Function& f) { return f.name == name; });
  return found == program_.functions.end() ? nullptr : &*found;
}

Error Writer::WriteCustomCall(const Operation& op, const std::vector<Value>& operands,
                              Computation& in) {
  Operation call = op;
  AddLayouts(Attribute(op, "result_layouts"), call.result_types);
  std::vector<Type> types = TypesOf(operands);
  AddLayouts(Attribute(op, "operand_layouts"), types);
  auto text = TextOf(op, types);
  if (!text) return Fail(op, llvm::toString(text.takeError()));
  std::string attributes = (*text)->attributes;
  if (op.attributes.contains("operand_layouts"))
    attributes += ", operand_layout_constraints={" +
                  StringRef(TupleText(types)).drop_front().drop_back().str() + "}";
  return AddAndBind(call, "custom-call", operands, attributes, in);
}

Error Writer::WriteFunction(const Function& function, const std::string& before) {
  Computation computation(names_, nullptr);
  const auto parameters =
      computation.AddParameters(function.location, TypesOf(function.body.arguments), false);
  for (const auto& [k, argument] : llvm::enumerate(function.body.arguments))
    computation.Bind(argument.name, parameters[k]);
  auto returned = WriteOperations(function.body, computation);
  if (!returned) return returned.takeError();
  // A parameter or a value that is returned alone is the root.
  const std::string root = returned->size() == 1 ? returned->front().name
                                                 : computation.Pack(function.location, *returned);
  computation.Print(before + function.name, function.location, root, out_.text, out_.places);
  return Error::success();
}

Expected<std::vector<Value>> Writer::WriteOperations(const Region& region, Computation& in,
                                                     const std::vector<bool>& stays) {
  for (const Operation& op : region.operations) {
    if (op.name == "return" || op.name == "func.return" || op.name == "stablehlo.return") {
      std::vector<std::string> names;
      for (const auto& [k, name] : llvm::enumerate(op.operands)) {
        if (k >= stays.size() || !stays[k]) names.push_back(name);
      }
      return ValuesOf(op, names, in);
    }
    if (Error error = WriteOperation(op, in)) return error;
  }
  return MakeErrorAt(
      where_, region.operations.empty() ? SourceLocation{1, 1} : region.operations.back().location,
      "expected a region that ends in `return`");
}

Expected<std::vector<Value>> Writer::ValuesOf(const Operation& op,
                                              const std::vector<std::string>& names,
                                              Computation& in) {
  std::vector<Value> values;
  for (const std::string& name : names) {
    if (in.Find(name) == nullptr) {
      const Operation* constant = in.FindConstant(name);
      if (constant == nullptr) {
        return Fail(op,
                    "no value " + name +
                        " here; the region of a combiner may take constants alone from outside");
      }
      if (Error error = WriteConstant(*constant, in)) return error;
    }
    values.push_back(*in.Find(name));
  }
  return values;
}

Error Writer::WriteConstant(const Operation& op, Computation& in) {
  if (op.results.size() != 1 || op.result_types.size() != 1)
    return Fail(op, "expected one result and its type");
  const Type& type = op.result_types.front();
  auto value = op.attributes.find("value");
  StringRef text = value == op.attributes.end() ? StringRef() : StringRef(value->second);
  auto literal = LiteralOf(text.split(" : ").first, type);
  if (!literal) return Fail(op, llvm::toString(literal.takeError()));
  const bool fills = literal->is_splat && !type.sizes.empty();
  const Type written = fills ? Type{type.element, {}} : type;
  Value made = in.AddArray(op.location, written, "constant", {literal->text});
  if (fills) made = in.AddArray(op.location, type, "broadcast", {made.name}, ", dimensions={}");
  in.Bind(op.results.front(), made);
  in.BindConstant(op);
  return Error::success();
}

void Writer::BindResults(const Operation& op, const std::string& name, bool is_tuple,
                         Computation& in) {
  if (!is_tuple) return in.Bind(op.results.front(), {name, op.result_types.front()});
  const auto values = in.Unpack(op.location, name, op.result_types);
  for (const auto& [k, result] : llvm::enumerate(op.results)) in.Bind(result, values[k]);
}

Error Writer::AddAndBind(const Operation& op, StringRef opcode, const std::vector<Value>& operands,
                         StringRef attributes, Computation& in, bool always_tuple) {
  const bool is_tuple = always_tuple || op.results.size() != 1;
  const std::string shape = is_tuple ? TupleText(op.result_types) : op.result_types.front().Text();
  BindResults(op, in.Add(op.location, shape, opcode, NamesOf(operands), attributes), is_tuple, in);
  return Error::success();
}

Error Writer::WriteOperation(const Operation& op, Computation& in) {
  if (op.results.size() != op.result_types.size())
    return Fail(op, "expected a type for each of the " + llvm::Twine(op.results.size()) +
                        " results of " + op.name);
  if (op.name == "stablehlo.constant") return WriteConstant(op, in);
  auto operands = ValuesOf(op, op.operands, in);
  if (!operands) return operands.takeError();
  if (op.name == "call" || op.name == "func.call") return WriteCall(op, *operands, in);
  if (op.name == "stablehlo.while") return WriteWhile(op, *operands, in);
  if (op.name == "stablehlo.case" || op.name == "stablehlo.if")
    return WriteBranches(op, *operands, in);
  if (op.name == "stablehlo.broadcast_in_dim") return WriteBroadcast(op, *operands, in);
  if (operands->empty() && op.name != "stablehlo.iota" && op.name != "stablehlo.custom_call")
    return Fail(op, "expected operands of " + op.name);
  if (auto attributes = FoldAttributes(op, TypesOf(*operands)))
    return WriteFold(op, *operands, *attributes, in);
  // On which devices parts of an array lie changes no value.
  if (op.name == "sdy.sharding_constraint" && operands->size() == 1 && op.results.size() == 1) {
    in.Bind(op.results.front(), operands->front());
    return Error::success();
  }
  if (op.name == "chlo.square")
    return AddAndBind(op, "multiply", {operands->front(), operands->front()}, "", in);
  if (op.name == "chlo.top_k") {
    const auto k = IntegersOf(op, "k");
    if (k.size() != 1) return Fail(op, "expected k = a number");
    return AddAndBind(op, "topk", *operands, ", k=" + std::to_string(k[0]) + ", largest=true", in);
  }
  if (op.name == "stablehlo.rng_bit_generator") return WriteRandomBits(op, *operands, in);
  if (op.name == "stablehlo.optimization_barrier") return WriteBarrier(op, *operands, in);
  if (op.results.empty())
    return Fail(op, "an operation without results, " + op.name + ", is not read");
  if (op.name == "stablehlo.custom_call") return WriteCustomCall(op, *operands, in);
  auto text = TextOf(op, TypesOf(*operands));
  if (!text) return Fail(op, llvm::toString(text.takeError()));
  if (!*text || !op.regions.empty()) return Fail(op, Unknown(op));
  if ((*text)->operands) operands->resize(std::min(operands->size(), *(*text)->operands));
  return AddAndBind(op, (*text)->opcode, *operands, (*text)->attributes, in);
}

Error Writer::WriteBroadcast(const Operation& op, std::vector<Value> operands, Computation& in) {
  if (operands.size() != 1 || op.results.size() != 1) return Fail(op, "expected one operand");
  auto dims = IntegersOf(op, op.attributes.contains("dims") ? "dims" : "broadcast_dimensions");
  Value value = operands.front();
  const Type& result = op.result_types.front();
  if (dims.size() != value.type.sizes.size())
    return Fail(op, "expected a dimension for each of the operand's");
  Type kept{value.type.element, {}};
  std::vector<int64_t> kept_dims;
  for (const auto& [k, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= static_cast<int64_t>(result.sizes.size()))
      return Fail(op, "no dimension " + llvm::Twine(dim) + " in the result");
    if (value.type.sizes[k] == 1 && result.sizes[dim] != 1) continue;
    kept.sizes.push_back(value.type.sizes[k]);
    kept_dims.push_back(dim);
  }
  const bool in_order = llvm::is_sorted(dims);
  if (in_order && value.type.sizes == result.sizes) {
    in.Bind(op.results.front(), value);
    return Error::success();
  }
  if (in_order && ElementsOf(value.type) == ElementsOf(result))
    return AddAndBind(op, "reshape", {value}, "", in);
  if (kept_dims.size() != dims.size())
    value = in.AddArray(op.location, kept, "reshape", {value.name});
  return AddAndBind(op, "broadcast", {value}, ", dimensions=" + InBraces(kept_dims), in);
}

Error Writer::WriteRandomBits(const Operation& op, const std::vector<Value>& operands,
                              Computation& in) {
  auto found =
      op.attributes.find(op.attributes.contains("algorithm") ? "algorithm" : "rng_algorithm");
  StringRef name = found == op.attributes.end() ? StringRef("DEFAULT") : StringRef(found->second);
  name = name.rtrim("> ");
  name = name.drop_front(name.rfind(' ') + 1);
  return AddAndBind(op, "rng-bit-generator", operands, ", algorithm=rng_" + name.lower(), in,
                    /*always_tuple=*/true);
}

Error Writer::WriteBarrier(const Operation& op, const std::vector<Value>& operands,
                           Computation& in) {
  if (operands.size() == 1) return AddAndBind(op, "opt-barrier", operands, "", in);
  const Value all{in.Pack(op.location, operands), {}};
  return AddAndBind(op, "opt-barrier", {all}, "", in);
}

Expected<HloText> ToHlo(StringRef text, StringRef where) {
  Scanner scanner(text, where, 0, text.size());
  auto program = ReadProgram(scanner);
  if (!program) return program.takeError();
  if (!scanner.AtEnd())
    return scanner.FailHere("expected the end of the module, found " + scanner.Found());
  return Writer(*program, where).Run();
}

}  // namespace affirm::hlo::stablehlo
