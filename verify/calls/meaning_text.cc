// Instructions as lines of text.
#include "verify/calls/meaning_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::calls {

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

MeaningText::MeaningText(const hlo::Instruction& call) : call_(call) {
  for (size_t k = 0; k < call.operands.size(); ++k) {
    const Value value = Parameter(static_cast<int64_t>(k));
    body_ += "  " + value.name + " = " + value.shape.ToString() + " parameter(" +
             std::to_string(k) + ")\n";
  }
}

Value MeaningText::Parameter(int64_t number) const {
  return {"p" + std::to_string(number), call_.operands[number]->shape};
}

Value MeaningText::Op(hlo::Shape shape, llvm::StringRef opcode, llvm::ArrayRef<Value> operands,
                      const llvm::Twine& attributes) {
  Value value{"v" + std::to_string(count_++), std::move(shape)};
  body_ += "  " + value.name + " = " + value.shape.ToString() + " " + opcode.str() + "(" +
           llvm::join(llvm::map_range(operands, [](const Value& v) { return v.name; }), ", ") + ")";
  const std::string text = attributes.str();
  body_ += (text.empty() ? "" : ", " + text) + "\n";
  return value;
}

Value MeaningText::Convert(const Value& x, hlo::PrimitiveType type) {
  return x.shape.type == type ? x : Op(WithType(x.shape, type), "convert", {x});
}

Value MeaningText::Constant(const hlo::Shape& shape, double number, double imaginary) {
  Value scalar{"v" + std::to_string(count_++), hlo::Shape::Array(shape.type, {})};
  std::string text = NumberText(shape.type, number);
  if (hlo::IsComplex(shape.type))
    text = "(" + text + ", " + NumberText(shape.type, imaginary) + ")";
  body_ += "  " + scalar.name + " = " + scalar.shape.ToString() + " constant(" + text + ")\n";
  return shape.rank() == 0 ? scalar : Broadcast(scalar, shape, {});
}

Value MeaningText::Broadcast(const Value& x, const hlo::Shape& shape,
                             llvm::ArrayRef<int64_t> dimensions) {
  return Op(WithType(shape, x.shape.type), "broadcast", {x}, "dimensions=" + Braces(dimensions));
}

void MeaningText::AddComputation(llvm::StringRef text) {
  const std::string line = text.str() + "\n";
  if (!llvm::StringRef(computations_).contains(line)) computations_ += line;
}

// Of no elements all are defined.
Value MeaningText::Undefined(const hlo::Shape& shape) {
  if (shape.IsArray() && shape.NumElements() == 0) return Constant(shape, 0);
  return Op(shape, "custom-call", {}, "custom_call_target=\"" + kUndefinedTarget + "\"");
}

std::string MeaningText::Module(llvm::ArrayRef<std::optional<Value>> results) {
  std::vector<Value> elements;
  for (auto [k, result] : llvm::enumerate(results)) {
    elements.push_back(
        result ? *result : Undefined(call_.shape.IsTuple() ? call_.shape.tuple[k] : call_.shape));
  }
  const std::string root =
      call_.shape.IsTuple() ? Op(call_.shape, "tuple", elements).name : elements.front().name;
  // The root is the line that defines it.
  const std::string line = "\n  " + root + " = ";
  body_ = "\n" + body_;
  body_.insert(body_.rfind(line) + 3, "ROOT ");
  return "HloModule meaning\n" + computations_ + "ENTRY meaning {" + body_ + "}\n";
}

}  // namespace affirm::calls
