// StableHLO's constraints that HLO's verifier does not have (StableHLO specification, "Ops").
#include "core/stablehlo/attribute.h"
#include "core/stablehlo/program.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo::stablehlo {

using llvm::Error;
using llvm::StringRef;

namespace {

std::string Listed(const std::vector<Type>& types) {
  std::string text;
  for (const Type& type : types) text += (text.empty() ? "" : ", ") + type.Source();
  return "(" + text + ")";
}

Error Differ(const llvm::Twine& what, const std::vector<Type>& expected,
             const std::vector<Type>& found) {
  if (expected == found) return Error::success();
  return MakeError("expected " + what + " to be " + Listed(expected) + ", found " + Listed(found));
}

std::vector<Type> ArgumentTypes(const Region& region) {
  std::vector<Type> types;
  types.reserve(region.arguments.size());
  for (const Argument& argument : region.arguments) types.push_back(argument.type);
  return types;
}

const std::vector<Type>& ReturnedTypes(const Region& region) {
  return region.operations.back().operand_types;
}

// A type of comparison fits the elements; an order is one of numbers that have one.
Error CheckCompare(const Operation& op) {
  const PrimitiveType type = op.operand_types[0].Primitive();
  const std::string kind = op.Word("compare_type"), direction = op.Word("comparison_direction");
  const bool fits = kind == "FLOAT"        ? IsFloat(type) || IsComplex(type)
                    : kind == "TOTALORDER" ? IsFloat(type)
                    : kind == "SIGNED"     ? IsSignedInt(type)
                    : kind == "UNSIGNED"   ? IsUnsignedInt(type) || type == PrimitiveType::kPred
                                           : true;
  if (!fits)
    return MakeError("a comparison of type " + kind + " is not for elements of " +
                     op.operand_types[0].Source());
  if (IsComplex(type) && direction != "EQ" && direction != "NE")
    return MakeError("complex numbers have no order, found the direction " + direction);
  return Error::success();
}

Error CheckBroadcast(const Operation& op) {
  const Type &from = op.operand_types[0], &to = op.result_types[0];
  const std::vector<int64_t> dims = op.Integers("broadcast_dimensions");
  if (from.element != to.element)
    return MakeError("expected a result of the operand's element type, found " + to.Source() +
                     " of " + from.Source());
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] < 0 || dims[k] >= to.rank())
      return MakeError("no dimension " + llvm::Twine(dims[k]) + " in the result");
    if (llvm::is_contained(llvm::ArrayRef(dims).take_front(k), dims[k]))
      return MakeError("the dimension " + llvm::Twine(dims[k]) + " of the result is given twice");
    if (from.sizes[k] != 1 && from.sizes[k] != to.sizes[dims[k]])
      return MakeError("expected size 1 or " + llvm::Twine(to.sizes[dims[k]]) +
                       " of the operand's dimension " + llvm::Twine(k) + ", found " +
                       llvm::Twine(from.sizes[k]));
  }
  return Error::success();
}

Error CheckWhile(const Operation& op) {
  const std::vector<Type>& state = op.operand_types;
  const std::vector<Type> decision = {{"pred", {}}};
  if (Error error = Differ("the results of the loop", state, op.result_types)) return error;
  if (Error error = Differ("the arguments of the condition", state, ArgumentTypes(op.regions[0])))
    return error;
  if (Error error = Differ("the arguments of the body", state, ArgumentTypes(op.regions[1])))
    return error;
  if (Error error = Differ("what the condition returns", decision, ReturnedTypes(op.regions[0])))
    return error;
  return Differ("what the body returns", state, ReturnedTypes(op.regions[1]));
}

Error CheckBranches(const Operation& op) {
  const std::vector<Type> index = {{op.name == "stablehlo.if" ? "pred" : "s32", {}}};
  if (Error error = Differ("the choice of " + op.name, index, op.operand_types)) return error;
  if (op.regions.empty()) return MakeError("expected at least one branch of " + op.name);
  for (const Region& branch : op.regions) {
    if (!branch.arguments.empty()) return MakeError("expected branches without arguments");
    if (Error error = Differ("what a branch returns", op.result_types, ReturnedTypes(branch)))
      return error;
  }
  return Error::success();
}

Error CheckBitcast(const Operation& op) {
  const PrimitiveType from = op.operand_types[0].Primitive(), to = op.result_types[0].Primitive();
  auto odd = [](PrimitiveType type) { return type == PrimitiveType::kPred || IsComplex(type); };
  if (from == to) return Differ("the result of " + op.name, op.operand_types, op.result_types);
  if (!odd(from) && !odd(to)) return Error::success();
  return MakeError("the bits of " + op.operand_types[0].Source() + " are not those of " +
                   op.result_types[0].Source());
}

Error CheckPart(const Operation& op) {
  Type part = op.operand_types[0];
  part.element = Name(PartType(part.Primitive())).str();
  return Differ("the result of " + op.name, {part}, op.result_types);
}

// One to three lengths, of the last dimensions; a real side of the transform has half of the last.
Error CheckFft(const Operation& op) {
  const Type& from = op.operand_types[0];
  const std::vector<int64_t> lengths = op.Integers("fft_length");
  const std::string kind = op.Word("fft_type");
  if (IsComplex(from.Primitive()) != (kind != "RFFT"))
    return MakeError(kind + " is not for elements of " + from.Source());
  const int64_t count = static_cast<int64_t>(lengths.size());
  if (count < 1 || count > 3 || count > from.rank())
    return MakeError("expected one to three lengths of the last dimensions of " + from.Source() +
                     ", found " + llvm::Twine(count));
  Type result = from;
  if (kind == "RFFT") result.element = from.element == "f64" ? "c128" : "c64";
  if (kind == "IRFFT") result.element = Name(PartType(from.Primitive())).str();
  for (int64_t k = 0; k < count; ++k) {
    const size_t dim = static_cast<size_t>(from.rank() - count + k);
    const int64_t half = k + 1 == count ? lengths[k] / 2 + 1 : lengths[k];
    const int64_t expected =
        kind == "IRFFT" ? (lengths[k] == 0 && k + 1 == count ? 0 : half) : lengths[k];
    if (from.sizes[dim] != expected)
      return MakeError("expected size " + llvm::Twine(expected) + " of dimension " +
                       llvm::Twine(dim) + " of " + from.Source() + " for " + kind);
    result.sizes[dim] = kind == "RFFT" && lengths[k] != 0 ? half : lengths[k];
  }
  return Differ("the result of " + kind, {result}, op.result_types);
}

// A list with a value for each dimension of the window.
Error CheckConvolution(const Operation& op) {
  const size_t rank = op.operand_types[0].sizes.size(), spatial = rank - 2;
  if (rank < 2)
    return MakeError("expected two dimensions or more of each operand of a convolution");
  for (const char* count : {"feature_group_count", "batch_group_count"}) {
    if (op.Find(count)->integer < 1)
      return MakeError("expected '" + llvm::Twine(count) + "' of a convolution to be 1 or more");
  }
  for (const char* name :
       {"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"}) {
    const Attribute* found = op.Find(name);
    if (found == nullptr) continue;
    const size_t length = found->kind == Attribute::Kind::kDense
                              ? static_cast<size_t>(found->type.sizes[0])
                              : found->list.size();
    if (length != spatial)
      return MakeError("expected '" + llvm::Twine(name) + "' to have " + llvm::Twine(spatial) +
                       " items, one for each dimension of the window, found " +
                       llvm::Twine(length));
  }
  return Error::success();
}

// The combiner of scalars of the operand's element type.
Error CheckCombiner(const Operation& op) {
  const Type scalar{op.operand_types[0].element, {}};
  if (Error error = Differ("the arguments of the region of " + op.name, {scalar, scalar},
                           ArgumentTypes(op.regions[0])))
    return error;
  return Differ("what the region of " + op.name + " returns", {scalar},
                ReturnedTypes(op.regions[0]));
}

// The larger type, with parts of one size along a dimension: one or more for each device of a
// group, as devices of several partitions may be in it.
Error CheckParts(const Operation& op, StringRef dimension, const Type& whole, const Type& part) {
  const int64_t dim = op.Find(dimension)->integer,
                devices = op.Find("replica_groups")->type.sizes[1];
  bool fits = dim >= 0 && dim < whole.rank() && whole.rank() == part.rank() && devices > 0;
  if (fits) {
    Type same = part;
    same.sizes[dim] = whole.sizes[dim];
    fits = same == whole &&
           (part.sizes[dim] == 0 ? whole.sizes[dim] == 0
                                 : whole.sizes[dim] % part.sizes[dim] == 0 &&
                                       whole.sizes[dim] / part.sizes[dim] % devices == 0);
  }
  if (fits) return Error::success();
  return MakeError("expected " + whole.Source() + " to be parts " + part.Source() + " along '" +
                   dimension + "', as many as a group has devices");
}

// Each operand is cut into parts, which devices exchange.
Error CheckAllToAll(const Operation& op) {
  const int64_t split = op.Find("split_dimension")->integer,
                concat = op.Find("concat_dimension")->integer,
                count = op.Find("split_count")->integer,
                devices = op.Find("replica_groups")->type.sizes[1];
  if (devices != 0 && devices != count)
    return MakeError("expected 'split_count' to be the devices of a group, " +
                     llvm::Twine(devices) + ", found " + llvm::Twine(count));
  std::vector<Type> results;
  for (Type type : op.operand_types) {
    const bool fits = split >= 0 && split < type.rank() && concat >= 0 && concat < type.rank() &&
                      count >= 1 && type.sizes[split] % count == 0;
    if (!fits)
      return MakeError("expected dimensions of " + type.Source() +
                       ", and a part of equal size for each of split_count devices");
    type.sizes[split] /= count;
    type.sizes[concat] *= count;
    results.push_back(std::move(type));
  }
  return Differ("the results of " + op.name, results, op.result_types);
}

Error CheckCollective(const Operation& op) {
  const StringRef name = StringRef(op.name).split('.').second;
  if (name == "partition_id" || name == "replica_id")
    return Differ("the result of " + op.name, {{"u32", {}}}, op.result_types);
  if (op.operand_types.empty() || op.operand_types.size() != op.result_types.size())
    return MakeError("expected a result for each operand of " + op.name + ", one or more");
  if (!op.regions.empty()) {
    if (Error error = CheckCombiner(op)) return error;
  }
  if (const Attribute* channel = op.Find("channel_handle");
      channel != nullptr && channel->fields.at("handle").integer < 0)
    return MakeError("expected the handle of 'channel_handle' to be 0 or more");
  if (const Attribute* groups = op.Find("replica_groups");
      groups != nullptr && groups->type.sizes[0] != 0 && groups->type.sizes[1] == 0)
    return MakeError("expected a device in each group of 'replica_groups', found none");
  if (name == "all_to_all") return CheckAllToAll(op);
  for (const auto& [operand, result] : llvm::zip(op.operand_types, op.result_types)) {
    Error error = name == "all_gather" ? CheckParts(op, "all_gather_dim", result, operand)
                  : name == "reduce_scatter"
                      ? CheckParts(op, "scatter_dimension", operand, result)
                      : Differ("the results of " + op.name, {operand}, {result});
    if (error) return error;
  }
  return Error::success();
}

// A layout for each type, each with every dimension once.
Error CheckLayouts(const Operation& op, StringRef name, const std::vector<Type>& types) {
  const Attribute* found = op.Find(name);
  if (found == nullptr) return Error::success();
  if (found->list.size() != types.size())
    return MakeError("expected " + llvm::Twine(types.size()) + " layouts in '" + name +
                     "', found " + llvm::Twine(found->list.size()));
  for (const auto& [layout, type] : llvm::zip(found->list, types)) {
    auto order = IntegersOf(layout);
    if (!order) return order.takeError();
    llvm::sort(*order);
    bool complete = order->size() == type.sizes.size();
    for (size_t k = 0; complete && k < order->size(); ++k)
      complete = (*order)[k] == static_cast<int64_t>(k);
    if (!complete)
      return MakeError("expected a layout of the dimensions of " + type.Source() + " in '" + name +
                       "'");
  }
  return Error::success();
}

Error CheckCustomCall(const Operation& op) {
  if (op.Word("call_target_name").empty())
    return MakeError("expected the name of what stablehlo.custom_call calls");
  if ((op.Find("operand_layouts") == nullptr) != (op.Find("result_layouts") == nullptr))
    return MakeError("expected layouts of operands and of results, or of none");
  if (Error error = CheckLayouts(op, "operand_layouts", op.operand_types)) return error;
  return CheckLayouts(op, "result_layouts", op.result_types);
}

}  // namespace

Error CheckOperation(const Operation& op) {
  const StringRef name = op.name;
  if (const Attribute* padding = op.Find("padding")) {
    if (auto values = IntegersOf(*padding); !values) return values.takeError();
  }
  if (const Attribute* precision = op.Find("precision_config")) {
    if (!precision->list.empty() && precision->list.size() != 2)
      return MakeError("expected a precision of each of the two operands");
  }
  if (name == "stablehlo.compare") return CheckCompare(op);
  if (name == "stablehlo.broadcast_in_dim") return CheckBroadcast(op);
  if (name == "stablehlo.while") return CheckWhile(op);
  if (name == "stablehlo.case" || name == "stablehlo.if") return CheckBranches(op);
  if (name == "stablehlo.bitcast_convert") return CheckBitcast(op);
  if (name == "stablehlo.real" || name == "stablehlo.imag") return CheckPart(op);
  if (name == "stablehlo.fft") return CheckFft(op);
  if (name == "stablehlo.convolution") return CheckConvolution(op);
  if (name == "stablehlo.custom_call") return CheckCustomCall(op);
  if (name == "stablehlo.constant")
    return Differ("the type of the value", op.result_types, {op.Find("value")->type});
  if (name.starts_with("stablehlo.all_") || name.starts_with("stablehlo.collective_") ||
      name == "stablehlo.reduce_scatter" || name == "stablehlo.partition_id" ||
      name == "stablehlo.replica_id")
    return CheckCollective(op);
  const bool same = name == "sdy.sharding_constraint" || name == "stablehlo.optimization_barrier" ||
                    (name.starts_with("chlo.") && name != "chlo.top_k");
  if (same) return Differ("the results of " + name, op.operand_types, op.result_types);
  return Error::success();
}

}  // namespace affirm::hlo::stablehlo
