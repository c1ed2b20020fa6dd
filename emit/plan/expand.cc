#include "emit/plan/expand.h"

#include "emit/plan/expander.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;

std::string HloBuilder::NameOf(const std::string& name) {
  return prefix_.empty() ? name : prefix_ + "." + std::to_string(made_++) + "." + name;
}

Instruction* HloBuilder::Add(Opcode opcode, const std::string& name, hlo::Shape shape,
                             std::vector<Instruction*> operands, hlo::Attributes attributes) {
  auto made = std::make_unique<Instruction>();
  made->name = NameOf(name);
  made->opcode = opcode;
  made->opcode_text = hlo::Name(opcode).str();
  made->shape = std::move(shape);
  made->operands = std::move(operands);
  made->attributes = std::move(attributes);
  return to_.Add(std::move(made));
}

Instruction* HloBuilder::Parameter(const std::string& name, const hlo::Shape& shape) {
  auto made = std::make_unique<Instruction>();
  made->name = NameOf(name);
  made->opcode = Opcode::kParameter;
  made->opcode_text = "parameter";
  made->shape = shape;
  made->parameter_number = std::ssize(to_.parameters);
  return to_.Add(std::move(made));
}

Instruction* HloBuilder::Scalar(const std::string& name, hlo::PrimitiveType type, int64_t value) {
  Instruction* made = Add(Opcode::kConstant, name, hlo::Shape::Array(type, {}), {});
  hlo::Literal literal(made->shape);
  literal.SetInt(0, value);
  made->literal = std::move(literal);
  return made;
}

Instruction* HloBuilder::Compare(const char* direction, Instruction* a, Instruction* b) {
  hlo::Attributes attributes;
  attributes.comparison_direction = direction;
  return Add(Opcode::kCompare, "compare",
             hlo::Shape::Array(hlo::PrimitiveType::kPred, a->shape.dims), {a, b},
             std::move(attributes));
}

Instruction* HloBuilder::Doubles(std::vector<int64_t> dims, llvm::ArrayRef<double> values) {
  Instruction* made = Add(Opcode::kConstant, "numbers",
                          hlo::Shape::Array(hlo::PrimitiveType::kF64, std::move(dims)), {});
  hlo::Literal literal(made->shape);
  for (auto [k, value] : llvm::enumerate(values)) literal.SetFloat(static_cast<int64_t>(k), value);
  made->literal = std::move(literal);
  return made;
}

Instruction* HloBuilder::Op(Opcode opcode, llvm::ArrayRef<Instruction*> operands) {
  const hlo::Shape& shape = operands.front()->shape;
  return Add(opcode, hlo::Name(opcode).str(), hlo::Shape::Array(shape.type, shape.dims),
             operands.vec());
}

Instruction* HloBuilder::Select(Instruction* condition, Instruction* a, Instruction* b) {
  return Add(Opcode::kSelect, "choose", hlo::Shape::Array(a->shape.type, a->shape.dims),
             {condition, a, b});
}

Instruction* HloBuilder::Convert(Instruction* value, hlo::PrimitiveType type) {
  if (value->shape.type == type) return value;
  return Add(Opcode::kConvert, "convert", hlo::Shape::Array(type, value->shape.dims), {value});
}

Instruction* HloBuilder::BroadcastInto(Instruction* value, const std::vector<int64_t>& dims,
                                       std::vector<int64_t> places) {
  hlo::Attributes attributes;
  attributes.dimensions = std::move(places);
  return Add(Opcode::kBroadcast, "broadcast", hlo::Shape::Array(value->shape.type, dims), {value},
             std::move(attributes));
}

Instruction* HloBuilder::Transpose(Instruction* value, std::vector<int64_t> dimensions) {
  if (llvm::is_sorted(dimensions)) return value;
  std::vector<int64_t> dims;
  dims.reserve(dimensions.size());
  for (int64_t d : dimensions) dims.push_back(value->shape.dims[d]);
  hlo::Attributes attributes;
  attributes.dimensions = std::move(dimensions);
  return Add(Opcode::kTranspose, "transpose", hlo::Shape::Array(value->shape.type, dims), {value},
             std::move(attributes));
}

Instruction* HloBuilder::Concatenate(const std::vector<Instruction*>& parts, int64_t dimension) {
  if (parts.size() == 1) return parts[0];
  std::vector<int64_t> dims = parts[0]->shape.dims;
  dims[dimension] = 0;
  for (const Instruction* part : parts) dims[dimension] += part->shape.dims[dimension];
  hlo::Attributes attributes;
  attributes.dimensions = {dimension};
  return Add(Opcode::kConcatenate, "parts", hlo::Shape::Array(parts[0]->shape.type, dims), parts,
             std::move(attributes));
}

Instruction* HloBuilder::Reshape(Instruction* value, std::vector<int64_t> dims) {
  if (value->shape.dims == dims) return value;
  return Add(Opcode::kReshape, "reshape", hlo::Shape::Array(value->shape.type, std::move(dims)),
             {value});
}

Instruction* HloBuilder::Iota(hlo::PrimitiveType type, std::vector<int64_t> dims,
                              int64_t dimension) {
  hlo::Attributes attributes;
  attributes.dimensions = {dimension};
  return Add(Opcode::kIota, "iota", hlo::Shape::Array(type, std::move(dims)), {},
             std::move(attributes));
}

Instruction* HloBuilder::Element(Instruction* tuple, int64_t k) {
  hlo::Attributes attributes;
  attributes.tuple_index = k;
  return Add(Opcode::kGetTupleElement, "element", tuple->shape.tuple[k], {tuple},
             std::move(attributes));
}

Instruction* HloBuilder::Tuple(std::vector<Instruction*> elements) {
  std::vector<hlo::Shape> shapes;
  shapes.reserve(elements.size());
  for (const Instruction* element : elements) shapes.push_back(element->shape);
  return Add(Opcode::kTuple, "tuple", hlo::Shape::Tuple(std::move(shapes)), std::move(elements));
}

Instruction* HloBuilder::Broadcast(Instruction* scalar, const std::vector<int64_t>& dims) {
  return Add(Opcode::kBroadcast, "broadcast", hlo::Shape::Array(scalar->shape.type, dims),
             {scalar});
}

Instruction* HloBuilder::Reverse(Instruction* value, std::vector<int64_t> dimensions) {
  hlo::Attributes attributes;
  attributes.dimensions = std::move(dimensions);
  return Add(Opcode::kReverse, "reverse", hlo::Shape::Array(value->shape.type, value->shape.dims),
             {value}, std::move(attributes));
}

Instruction* HloBuilder::Part(Instruction* array, int64_t dimension, int64_t start, int64_t limit) {
  if (start == 0 && limit == array->shape.dims[dimension]) return array;
  hlo::Attributes attributes;
  std::vector<int64_t> dims = array->shape.dims;
  for (int64_t size : dims) attributes.slice.push_back({0, size, 1});
  attributes.slice[dimension] = {start, limit, 1};
  dims[dimension] = limit - start;
  return Add(Opcode::kSlice, "part", hlo::Shape::Array(array->shape.type, std::move(dims)), {array},
             std::move(attributes));
}

bool IsOfElements(const hlo::Computation& computation) {
  return llvm::all_of(computation.instructions, [&](const auto& op) {
    if (op->opcode == Opcode::kTuple) return op.get() == computation.root;
    if (!op->shape.IsScalar()) return false;
    return op->opcode == Opcode::kParameter || (op->opcode == Opcode::kConstant && op->literal) ||
           (hlo::IsElementwise(op->opcode) && op->called.empty());
  });
}

std::vector<Instruction*> HloBuilder::Apply(const hlo::Computation& computation,
                                            llvm::ArrayRef<Instruction*> arrays) {
  const std::vector<int64_t> dims = arrays.front()->shape.dims;
  llvm::DenseMap<const Instruction*, Instruction*> values;
  for (const auto& op : computation.instructions) {
    if (op->opcode == Opcode::kParameter) {
      values[op.get()] = arrays[op->parameter_number];
    } else if (op->opcode != Opcode::kTuple) {
      auto copy = hlo::CopyOf(*op);
      copy->name = NameOf(op->name);
      const bool is_constant = op->opcode == Opcode::kConstant;
      if (!is_constant) copy->shape = hlo::Shape::Array(op->shape.type, dims);
      for (const Instruction* operand : op->operands)
        copy->operands.push_back(values.lookup(operand));
      Instruction* made = to_.Add(std::move(copy));
      values[op.get()] = is_constant ? Broadcast(made, dims) : made;
    }
  }
  std::vector<Instruction*> results;
  if (computation.root->opcode != Opcode::kTuple) return {values.lookup(computation.root)};
  results.reserve(computation.root->operands.size());
  for (const Instruction* leaf : computation.root->operands) results.push_back(values.lookup(leaf));
  return results;
}

Instruction* HloBuilder::Inline(const hlo::Computation& computation,
                                llvm::ArrayRef<Instruction*> arguments) {
  llvm::DenseMap<const Instruction*, Instruction*> copies;
  for (const auto& op : computation.instructions) {
    if (op->opcode == Opcode::kParameter) {
      copies[op.get()] = arguments[op->parameter_number];
      continue;
    }
    auto copy = hlo::CopyOf(*op);
    copy->name = NameOf(op->name);
    for (const Instruction* operand : op->operands) {
      copy->operands.push_back(copies.lookup(operand));
    }
    copies[op.get()] = to_.Add(std::move(copy));
  }
  return copies.lookup(computation.root);
}

hlo::Computation* Expander::NewComputation(const std::string& name) {
  called_.push_back(std::make_unique<hlo::Computation>());
  called_.back()->module = result_.module.get();
  called_.back()->name = name;
  return called_.back().get();
}

void Expander::Materialize(llvm::ArrayRef<Instruction*> values) {
  for (const Instruction* value : values) result_.kernels[value] = kernels_;
  ++kernels_;
}

namespace {

using ExpandOp = Instruction* (*)(Expander&, const Instruction&, llvm::ArrayRef<Instruction*>);

// The function that expands an instruction; null where none does.
ExpandOp ExpansionOf(const Instruction& op) {
  if (op.opcode == Opcode::kSort && ExpandsSort(op)) return ExpandSort;
  if (op.opcode == Opcode::kTopk && ExpandsTopK(op)) return ExpandTopK;
  if (op.opcode == Opcode::kReduce && ExpandsReduce(op)) return ExpandReduce;
  if (op.opcode == Opcode::kGather && ExpandsRowGather(op)) return ExpandRowGather;
  if (op.opcode == Opcode::kScatter && ExpandsRowScatter(op)) return ExpandRowScatter;
  if (op.opcode == Opcode::kReduceWindow && ExpandsCumulative(op)) return ExpandCumulative;
  if (op.opcode == Opcode::kSelectAndScatter && ExpandsSelectAndScatter(op))
    return ExpandSelectAndScatter;
  if (op.opcode == Opcode::kRngBitGenerator && ExpandsRngBitGenerator(op))
    return ExpandRngBitGenerator;
  if (op.opcode == Opcode::kScaledDot && ExpandsScaledDot(op)) return ExpandScaledDot;
  if (op.opcode == Opcode::kRaggedDot && ExpandsRaggedDot(op)) return ExpandRaggedDot;
  if (op.opcode == Opcode::kFft && ExpandsFft(op)) return ExpandFft;
  if (op.opcode == Opcode::kScan && ExpandsScan(op)) return ExpandScan;
  return nullptr;
}

// The most instructions of a computation with all its calls inlined; a larger one keeps its calls.
constexpr int64_t kMostInlined = 20'000;

bool SameLayouts(const hlo::Shape& a, const hlo::Shape& b) {
  if (!a.IsTuple() || !b.IsTuple()) return a.MinorToMajor() == b.MinorToMajor();
  return a.tuple.size() == b.tuple.size() &&
         llvm::all_of(llvm::zip(a.tuple, b.tuple),
                      [](const auto& pair) { return std::apply(SameLayouts, pair); });
}

// Whether the value of an op is that of a computation on its operands. An array whose layout
// differs from the computation's can be copied; a call with a tuple of such arrays is left alone.
bool IsCall(const Instruction& op) {
  if (op.opcode != Opcode::kCall && op.opcode != Opcode::kFusion) return false;
  if (op.called.size() != 1 || op.called[0]->parameters.size() != op.operands.size()) return false;
  auto fits = [](const hlo::Shape& given, const hlo::Shape& taken) {
    return given.IsArray() ? given.SameIgnoringLayout(taken) : SameLayouts(given, taken);
  };
  return fits(op.called[0]->root->shape, op.shape) &&
         llvm::all_of(llvm::zip(op.operands, op.called[0]->parameters), [&](const auto& pair) {
           return fits(std::get<0>(pair)->shape, std::get<1>(pair)->shape);
         });
}

// The number of instructions of a computation with its calls inlined, at most kMostInlined.
class InlinedSize {
 public:
  int64_t Of(const hlo::Computation& computation) {
    auto [known, is_new] = sizes_.try_emplace(&computation, kMostInlined);
    if (!is_new) return known->second;  // also of one that calls itself
    int64_t size = 0;
    for (const auto& op : computation.instructions) {
      size = std::min(kMostInlined, size + (IsCall(*op) ? Of(*op->called[0]) : 1));
    }
    return sizes_[&computation] = size;
  }

 private:
  llvm::DenseMap<const hlo::Computation*, int64_t> sizes_;
};

bool CallsAreInlined(const hlo::Computation& computation) {
  return InlinedSize().Of(computation) < kMostInlined;
}

}  // namespace

Instruction* Expander::InLayoutOf(const hlo::Shape& shape, Instruction* value) {
  if (SameLayouts(value->shape, shape)) return value;
  return builder_->Add(Opcode::kCopy, "copy", shape, {value});
}

Instruction* Expander::CopyOf(const hlo::Computation& computation,
                              llvm::ArrayRef<Instruction*> arguments, const Instruction* call) {
  llvm::DenseMap<const Instruction*, Instruction*> values;
  for (const auto& op : computation.instructions) {
    if (call != nullptr && op->opcode == Opcode::kParameter) {
      builder_->set_prefix(call->name);
      values[op.get()] = InLayoutOf(op->shape, arguments[op->parameter_number]);
      continue;
    }
    std::vector<Instruction*> operands;
    for (const Instruction* operand : op->operands) operands.push_back(values.lookup(operand));
    values[op.get()] = CopyOf(*op, std::move(operands), call);
  }
  return values.lookup(computation.root);
}

Instruction* Expander::CopyOf(const Instruction& op, std::vector<Instruction*> operands,
                              const Instruction* call) {
  if (ExpandOp expand = ExpansionOf(op)) {
    builder_->set_prefix(op.name);
    Instruction* result = expand(*this, op, operands);
    if (op.shape.IsArray() && !llvm::is_contained(operands, result)) result->shape = op.shape;
    return result;
  }
  if (inlines_ && IsCall(op)) {
    Instruction* result = CopyOf(*op.called[0], operands, &op);
    builder_->set_prefix(op.name);
    return InLayoutOf(op.shape, result);
  }
  // An element of a call's tuple is taken directly, so that no user has to compute the others.
  if (op.opcode == Opcode::kGetTupleElement && operands[0]->opcode == Opcode::kTuple) {
    Instruction* element = operands[0]->operands[op.attributes.tuple_index];
    if (SameLayouts(element->shape, op.shape)) return element;
  }
  auto copy = hlo::CopyOf(op);
  copy->operands = std::move(operands);
  while (call != nullptr && !names_.insert(copy->name).second) {
    copy->name = call->name + "." + std::to_string(calls_++) + "." + op.name;
  }
  Instruction* made = builder_->computation().Add(std::move(copy));
  result_.originals[made] = &op;
  return made;
}

void Expander::DropUnused() {
  hlo::Computation& made = builder_->computation();
  llvm::DenseSet<const Instruction*> needed = {made.root};
  for (const auto& op : llvm::reverse(made.instructions)) {
    if (needed.contains(op.get())) needed.insert(op->operands.begin(), op->operands.end());
  }
  auto is_unused = [&](const Instruction* op) {
    return !needed.contains(op) && op->opcode != Opcode::kParameter;
  };
  for (const auto& op : made.instructions) {
    if (is_unused(op.get())) {
      result_.originals.erase(op.get());
      result_.kernels.erase(op.get());
    }
    llvm::erase_if(op->users, is_unused);
  }
  llvm::erase_if(made.instructions, [&](const auto& op) { return is_unused(op.get()); });
}

Expansion Expander::Run() {
  result_.module = std::make_unique<hlo::Module>();
  result_.module->name = from_.name;
  auto made = std::make_unique<hlo::Computation>();
  made->module = result_.module.get();
  made->name = from_.name;
  made->location = from_.location;
  builder_ = std::make_unique<HloBuilder>(*made);
  inlines_ = CallsAreInlined(from_);
  for (const auto& op : from_.instructions) names_.insert(op->name);
  made->root = CopyOf(from_, {}, nullptr);
  DropUnused();
  for (auto& computation : called_) result_.module->computations.push_back(std::move(computation));
  result_.module->entry = made.get();
  result_.computation = made.get();
  result_.module->computations.push_back(std::move(made));
  return std::move(result_);
}

bool CallsAreInlined(const hlo::Module& module) {
  InlinedSize size;
  return llvm::all_of(module.computations,
                      [&](const auto& c) { return size.Of(*c) < kMostInlined; });
}

bool IsExpanded(const Instruction& op) { return ExpansionOf(op) != nullptr; }

Expansion Expand(const hlo::Computation& computation) {
  const bool any = llvm::any_of(computation.instructions, [&](const auto& op) {
    return ExpansionOf(*op) != nullptr || (IsCall(*op) && CallsAreInlined(computation));
  });
  if (!any) {
    Expansion same;
    same.computation = &computation;
    return same;
  }
  return Expander(computation).Run();
}

}  // namespace affirm::emit
