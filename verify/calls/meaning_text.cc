// Instructions as lines of text.
#include "verify/calls/meaning_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::calls {

using hlo::Opcode;

namespace {

std::string NumberText(hlo::PrimitiveType type, double number) {
  std::string text;
  // All digits of a double; HLO's integers have no point.
  llvm::raw_string_ostream(text) << llvm::format(hlo::IsInt(type) ? "%.0f" : "%.17g", number);
  return text;
}

}  // namespace

std::string Braces(llvm::ArrayRef<int64_t> numbers) {
  return "{" +
         llvm::join(llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }), ",") +
         "}";
}

hlo::Shape WithType(hlo::Shape shape, hlo::PrimitiveType type) {
  shape.type = type;
  return shape;
}

hlo::PrimitiveType AccumulatorType(hlo::PrimitiveType type) {
  return hlo::IsFloat(type) && hlo::BitWidth(type) < 32 ? hlo::PrimitiveType::kF32 : type;
}

MeaningText::MeaningText(const hlo::Instruction& call) : Lines(before_), call_(call) {
  for (size_t k = 0; k < call.operands.size(); ++k) {
    const Value value = Parameter(static_cast<int64_t>(k));
    body_ += "  " + value.name + " = " + value.shape.ToString() + " parameter(" +
             std::to_string(k) + ")\n";
  }
}

Value MeaningText::Parameter(int64_t number) const {
  return {"p" + std::to_string(number), call_.operands[number]->shape};
}

Value Lines::Op(hlo::Shape shape, hlo::Opcode opcode, llvm::ArrayRef<Value> operands,
                const llvm::Twine& attributes) {
  Value value{"v" + std::to_string(count_++), std::move(shape)};
  body_ += "  " + value.name + " = " + value.shape.ToString() + " " + hlo::Name(opcode).str() +
           "(" +
           llvm::join(llvm::map_range(operands, [](const Value& v) { return v.name; }), ", ") + ")";
  const std::string text = attributes.str();
  body_ += (text.empty() ? "" : ", " + text) + "\n";
  return value;
}

Value Lines::Convert(const Value& x, hlo::PrimitiveType type) {
  return x.shape.type == type ? x : Op(WithType(x.shape, type), Opcode::kConvert, {x});
}

Value Lines::Constant(const hlo::Shape& shape, double number, double imaginary) {
  Value scalar{"v" + std::to_string(count_++), hlo::Shape::Array(shape.type, {})};
  std::string text = NumberText(shape.type, number);
  if (hlo::IsComplex(shape.type))
    text = "(" + text + ", " + NumberText(shape.type, imaginary) + ")";
  body_ += "  " + scalar.name + " = " + scalar.shape.ToString() + " constant(" + text + ")\n";
  return shape.rank() == 0 ? scalar : Broadcast(scalar, shape, {});
}

Value Lines::Broadcast(const Value& x, const hlo::Shape& shape,
                       llvm::ArrayRef<int64_t> dimensions) {
  return Op(WithType(shape, x.shape.type), Opcode::kBroadcast, {x},
            "dimensions=" + Braces(dimensions));
}

void Lines::AddComputation(llvm::StringRef text) {
  const std::string line = text.str() + "\n";
  if (!llvm::StringRef(computations_).contains(line)) computations_ += line;
}

Value Lines::Reshape(const Value& x, std::vector<int64_t> dims) {
  if (x.shape.dims == dims) return x;
  return Op(hlo::Shape::Array(x.shape.type, std::move(dims)), Opcode::kReshape, {x});
}

Value Lines::Transpose(const Value& x, llvm::ArrayRef<int64_t> order) {
  std::vector<int64_t> dims;
  dims.reserve(order.size());
  for (int64_t d : order) dims.push_back(x.shape.dims[d]);
  return Op(hlo::Shape::Array(x.shape.type, std::move(dims)), Opcode::kTranspose, {x},
            "dimensions=" + Braces(order));
}

std::vector<Value> Lines::Loop(llvm::StringRef name, int64_t count, llvm::ArrayRef<Value> start,
                               Body body) {
  const hlo::Shape number = hlo::Shape::Array(hlo::PrimitiveType::kS32, {});
  std::vector<hlo::Shape> shapes = {number};
  std::vector<Value> values = {Constant(number, 0)};
  for (const Value& value : start) {
    shapes.push_back(value.shape);
    values.push_back(value);
  }
  const hlo::Shape state = hlo::Shape::Tuple(shapes);
  const std::string parameter = "  state = " + state.ToString() + " parameter(0)\n";
  auto element = [&](Lines& lines, size_t k) {
    return lines.Op(shapes[k], Opcode::kGetTupleElement, {{"state", state}},
                    "index=" + std::to_string(k));
  };
  Lines step(computations_), again(computations_);
  const Value trip = element(step, 0);
  std::vector<Value> before, next;
  for (size_t k = 1; k < shapes.size(); ++k) before.push_back(element(step, k));
  next = body(step, trip, before);
  next.insert(next.begin(), step.Binary(Opcode::kAdd, trip, step.Constant(number, 1)));
  step.Op(state, Opcode::kTuple, next);
  again.Compare(element(again, 0), again.Constant(number, static_cast<double>(count)), "LT");
  for (auto [lines, suffix] : {std::pair(&step, "_step"), std::pair(&again, "_again")}) {
    std::string& text = lines->body_;
    text.insert(text.rfind('\n', text.size() - 2) + 3, "ROOT ");
    AddComputation(name.str() + suffix + " {\n" + parameter + text + "}");
  }
  const Value loop = Op(state, Opcode::kWhile, {Op(state, Opcode::kTuple, values)},
                        "condition=" + name + "_again, body=" + name + "_step");
  std::vector<Value> made;
  for (size_t k = 1; k < shapes.size(); ++k)
    made.push_back(Op(shapes[k], Opcode::kGetTupleElement, {loop}, "index=" + std::to_string(k)));
  return made;
}

// An array without elements is defined.
Value MeaningText::Undefined(const hlo::Shape& shape) {
  if (shape.IsArray() && shape.NumElements() == 0) return Constant(shape, 0);
  return Op(shape, Opcode::kCustomCall, {}, "custom_call_target=\"" + kUndefinedTarget + "\"");
}

std::string MeaningText::Module(llvm::ArrayRef<std::optional<Value>> results) {
  std::vector<Value> elements;
  for (auto [k, result] : llvm::enumerate(results)) {
    elements.push_back(
        result ? *result : Undefined(call_.shape.IsTuple() ? call_.shape.tuple[k] : call_.shape));
  }
  const std::string root = call_.shape.IsTuple() ? Op(call_.shape, Opcode::kTuple, elements).name
                                                 : elements.front().name;
  // The root is the line that defines it.
  const std::string line = "\n  " + root + " = ";
  body_ = "\n" + body_;
  body_.insert(body_.rfind(line) + 3, "ROOT ");
  return "HloModule meaning\n" + computations_ + "ENTRY meaning {" + body_ + "}\n";
}

}  // namespace affirm::calls
