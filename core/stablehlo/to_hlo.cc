// Writes a module of StableHLO as HLO.
#include "core/stablehlo/to_hlo.h"

#include "core/hlo/diagnostic.h"
#include "core/hlo/scanner.h"
#include "core/stablehlo/computation.h"
#include "core/stablehlo/constant.h"
#include "core/stablehlo/custom_call.h"
#include "core/stablehlo/expand.h"
#include "core/stablehlo/module_head.h"
#include "core/stablehlo/op_text.h"
#include "core/stablehlo/program.h"
#include "core/stablehlo/writer.h"
#include "llvm/ADT/STLExtras.h"
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

}  // namespace

Writer::Writer(const Program& program, StringRef where) : program_(program), where_(where) {
  for (const Function& function : program.functions)
    names_of_functions_[function.name] = NewName(HloName(function.name));
}

std::string Writer::NewName(const std::string& name) {
  if (taken_names_.insert(name).second) return name;
  for (int64_t k = 0;; ++k) {
    std::string numbered = name + "_" + std::to_string(k);
    if (taken_names_.insert(numbered).second) return numbered;
  }
}

Expected<HloText> Writer::WriteModule(const Function& entry) {
  auto head = HeadOf(program_, entry);
  if (!head) return MakeErrorAt(where_, entry.location, llvm::toString(head.takeError()));
  out_.text = *head + "\n\n";
  out_.places = {{1, 1}, {1, 1}};
  written_[entry.name] = false;
  if (Error error = WriteFunction(entry, "ENTRY ")) return error;
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
  auto topk = TopKAttributes(op);
  if (!topk) return Fail(op, llvm::toString(topk.takeError()));
  if (*topk) return AddAndBind(op, "topk", operands, **topk, in);
  auto attributes = CustomCallAttributes(op);
  if (!attributes) return Fail(op, llvm::toString(attributes.takeError()));
  if (const Attribute* called = op.Find("called_computations"); called && !called->list.empty()) {
    std::string names;
    for (const Attribute& symbol : called->list) {
      auto name = WriteCallee(op, symbol.text);
      if (!name) return name.takeError();
      names += (names.empty() ? "" : ", ") + *name;
    }
    *attributes += ", called_computations={" + names + "}";
  }
  Operation call = op;
  call.result_types = ResultTypesWithLayouts(op);
  return AddAndBind(call, "custom-call", operands, *attributes, in);
}

Error Writer::WriteParameters(const Function& function, bool is_entry, Computation& in) {
  for (const auto& [k, argument] : llvm::enumerate(function.body.arguments)) {
    std::string attributes;
    auto replication = argument.attributes.find("mhlo.parameter_replication");
    if (is_entry && replication != argument.attributes.end()) {
      const std::vector<Attribute>& list = replication->second.list;
      if (replication->second.kind != Attribute::Kind::kList ||
          llvm::any_of(list,
                       [](const Attribute& same) { return same.kind != Attribute::Kind::kBool; }))
        return MakeErrorAt(where_, function.location,
                           "expected mhlo.parameter_replication of " + argument.name +
                               " to be a list of true and false");
      for (const Attribute& same : list)
        attributes +=
            (attributes.empty() ? "" : ",") + std::string(same.integer ? "true" : "false");
      if (!attributes.empty()) attributes = ", parameter_replication={" + attributes + "}";
    }
    in.Bind(argument.name, in.AddArray(function.location, argument.type, "parameter",
                                       {std::to_string(k)}, attributes));
  }
  return Error::success();
}

Error Writer::WriteFunction(const Function& function, const std::string& before) {
  Computation computation(names_, nullptr);
  if (Error error = WriteParameters(function, !before.empty(), computation)) return error;
  auto returned = WriteOperations(function.body, computation);
  if (!returned) return returned.takeError();
  // A parameter or a value that is returned alone is the root.
  const std::string root = returned->size() == 1 ? returned->front().name
                                                 : computation.Pack(function.location, *returned);
  computation.Print(before + names_of_functions_[function.name], function.location, root, out_.text,
                    out_.places);
  return Error::success();
}

Expected<std::vector<Value>> Writer::WriteOperations(const Region& region, Computation& in,
                                                     const std::vector<bool>& stays) {
  const Operation& last = region.operations.back();
  for (const Operation& op : llvm::ArrayRef(region.operations).drop_back()) {
    if (Error error = WriteOperation(op, in)) return error;
  }
  std::vector<std::string> names;
  for (const auto& [k, name] : llvm::enumerate(last.operands)) {
    if (k >= stays.size() || !stays[k]) names.push_back(name);
  }
  return ValuesOf(last, names, in);
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
  const Type& type = op.result_types.front();
  auto literal = LiteralOf(op.Word("value"), type);
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
  if (op.name == "stablehlo.constant") return WriteConstant(op, in);
  auto operands = ValuesOf(op, op.operands, in);
  if (!operands) return operands.takeError();
  if (op.name == "func.call") return WriteCall(op, op.Word("callee"), *operands, in);
  if (op.name == "stablehlo.composite")
    return WriteCall(op, op.Word("decomposition"), *operands, in);
  if (op.name == "stablehlo.custom_call") return WriteCustomCall(op, *operands, in);
  if (op.name == "stablehlo.while") return WriteWhile(op, *operands, in);
  if (op.name == "stablehlo.case" || op.name == "stablehlo.if")
    return WriteBranches(op, *operands, in);
  if (op.name == "stablehlo.broadcast_in_dim") return WriteBroadcast(op, *operands, in);
  if (op.name == "stablehlo.rng_bit_generator") return WriteRandomBits(op, *operands, in);
  if (op.name == "stablehlo.optimization_barrier") return WriteBarrier(op, *operands, in);
  if (op.name == "stablehlo.rng") return WriteRng(op, *operands, in);
  // On which devices parts of an array lie changes no value.
  if (op.name == "sdy.sharding_constraint") {
    in.Bind(op.results.front(), operands->front());
    return Error::success();
  }
  if (op.row->opcode.empty()) {
    auto value = ExpandChlo(op, operands->front(), in);
    if (!value) return Fail(op, llvm::toString(value.takeError()));
    in.Bind(op.results.front(), *value);
    return Error::success();
  }
  if (op.operands.empty() && op.row->operands != 0)
    return Fail(op, "expected operands of " + op.name);
  if (op.results.empty())
    return Fail(op, "an operation without results, " + op.name + ", is not read");
  auto attributes = HloAttributes(op);
  if (!attributes) return Fail(op, llvm::toString(attributes.takeError()));
  if (!op.regions.empty()) return WriteFold(op, *operands, *attributes, in);
  if (op.name == "stablehlo.all_to_all") return WriteAllToAll(op, *operands, *attributes, in);
  if (op.name == "stablehlo.convert") DropImaginaryPart(op, operands->front(), in);
  return AddAndBind(op, op.row->opcode, *operands, *attributes, in);
}

// HLO converts no complex number to a real one: as jaxlib does, its real part is converted.
void Writer::DropImaginaryPart(const Operation& op, Value& operand, Computation& in) {
  const PrimitiveType from = operand.type.Primitive();
  if (!IsComplex(from) || IsComplex(op.result_types.front().Primitive())) return;
  const Type part{from == PrimitiveType::kC64 ? "f32" : "f64", operand.type.sizes};
  operand = in.AddArray(op.location, part, "real", {operand.name});
}

Error Writer::WriteBroadcast(const Operation& op, std::vector<Value> operands, Computation& in) {
  const std::vector<int64_t> dims = op.Integers("broadcast_dimensions");
  Value value = operands.front();
  const Type& result = op.result_types.front();
  Type kept{value.type.element, {}};
  std::vector<int64_t> kept_dims;
  for (const auto& [k, dim] : llvm::enumerate(dims)) {
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

// HLO exchanges parts of one dimension. Where they are concatenated along another one, as XLA does
// (XlaBuilder::AllToAllArray), the parts become a dimension, which is moved.
Error Writer::WriteAllToAll(const Operation& op, const std::vector<Value>& operands,
                            const std::string& attributes, Computation& in) {
  const int64_t split = op.Find("split_dimension")->integer,
                concat = op.Find("concat_dimension")->integer,
                count = op.Find("split_count")->integer;
  if (split == concat) return AddAndBind(op, "all-to-all", operands, attributes, in);
  if (operands.size() != 1)
    return Fail(op,
                "expected one operand of an all_to_all that concatenates along another "
                "dimension than it splits");
  Type type = operands[0].type;
  const int64_t rank = type.rank();
  if (split < 0 || split >= rank || concat < 0 || concat >= rank || count < 1 ||
      type.sizes[split] % count != 0)
    return Fail(op, "expected dimensions of " + type.Source() + ", and a part of equal size for " +
                        "each of split_count devices");
  Value value = in.AddArray(op.location, type, "all-to-all", {operands[0].name}, attributes);
  type.sizes[split] /= count;
  type.sizes.insert(type.sizes.begin() + split, count);
  value = in.AddArray(op.location, type, "reshape", {value.name});
  std::vector<int64_t> order;
  Type moved{type.element, {}};
  for (int64_t k = 0; k < rank; ++k) {
    if (k == concat) order.push_back(split);
    order.push_back(k < split ? k : k + 1);
  }
  for (int64_t dim : order) moved.sizes.push_back(type.sizes[dim]);
  value =
      in.AddArray(op.location, moved, "transpose", {value.name}, ", dimensions=" + InBraces(order));
  return AddAndBind(op, "reshape", {value}, "", in);
}

// The shape, which HLO has in the result alone, is a constant.
Error Writer::WriteRng(const Operation& op, const std::vector<Value>& operands, Computation& in) {
  const Operation* shape = in.FindConstant(op.operands[2]);
  if (shape == nullptr) return Fail(op, "expected a constant as the shape of stablehlo.rng");
  if (shape->Integers("value") != op.result_types[0].sizes)
    return Fail(op,
                "expected the shape of stablehlo.rng to be that of " + op.result_types[0].Source());
  auto attributes = HloAttributes(op);
  if (!attributes) return Fail(op, llvm::toString(attributes.takeError()));
  return AddAndBind(op, "rng", {operands[0], operands[1]}, *attributes, in);
}

Error Writer::WriteRandomBits(const Operation& op, const std::vector<Value>& operands,
                              Computation& in) {
  return AddAndBind(op, "rng-bit-generator", operands,
                    ", algorithm=rng_" + StringRef(op.Word("rng_algorithm")).lower(), in,
                    /*always_tuple=*/true);
}

Error Writer::WriteBarrier(const Operation& op, const std::vector<Value>& operands,
                           Computation& in) {
  if (operands.empty()) return Error::success();
  if (operands.size() == 1) return AddAndBind(op, "opt-barrier", operands, "", in);
  const Value all{in.Pack(op.location, operands), {}};
  return AddAndBind(op, "opt-barrier", {all}, "", in);
}

Expected<std::vector<HloText>> ToHlo(StringRef text, StringRef where) {
  Scanner scanner(text, where, 0, text.size());
  auto program = ReadProgram(scanner);
  if (!program) return program.takeError();
  if (!scanner.AtEnd())
    return scanner.FailHere("expected the end of the module, found " + scanner.Found());
  const std::vector<Function>& functions = program->functions;
  auto main = llvm::find_if(functions, [](const Function& f) { return f.name == "main"; });
  if (main == functions.end() && functions.size() == 1) main = functions.begin();
  if (main == functions.end())
    return MakeErrorAt(where, {1, 1}, "expected a function @main in the module");
  std::vector<HloText> modules;
  std::set<std::string> written;
  auto write = [&](const Function& entry) -> Error {
    Writer writer(*program, where);
    auto module = writer.WriteModule(entry);
    if (!module) return module.takeError();
    for (const Function& function : functions) {
      if (writer.HasWritten(function)) written.insert(function.name);
    }
    modules.push_back(std::move(*module));
    return Error::success();
  };
  if (Error error = write(*main)) return error;
  for (const Function& function : functions) {
    if (written.contains(function.name)) continue;
    if (Error error = write(function)) return error;
  }
  return modules;
}

}  // namespace affirm::hlo::stablehlo
