// Writes the HLO text of what a custom call means.
//
//   MeaningText text(call);                       // parameters as the call's operands
//   Value sum = text.Binary("add", text.Parameter(0), text.Parameter(1));
//   return text.Module({sum, std::nullopt});      // a tuple, if the call's result is one
// gives, of a call with the result (f32[8], s8[64]),
//   ENTRY meaning {
//     p0 = f32[8] parameter(0)
//     p1 = f32[8] parameter(1)
//     v0 = f32[8] add(p0, p1)
//     v1 = s8[64] custom-call(), custom_call_target="AllocateBuffer"
//     ROOT v2 = (f32[8], s8[64]) tuple(v0, v1)
//   }
// The text is read and verified as any other module, so that a mistake here is an error there.
#ifndef AFFIRM_VERIFY_CALLS_MEANING_TEXT_H_
#define AFFIRM_VERIFY_CALLS_MEANING_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

namespace affirm::calls {

// The target of a call, known to XLA, whose result has no defined contents.
inline constexpr llvm::StringLiteral kUndefinedTarget = "AllocateBuffer";

struct Value {
  std::string name;
  hlo::Shape shape;
};

// The shape with another element type; the layout is kept.
hlo::Shape WithType(hlo::Shape shape, hlo::PrimitiveType type);

// The type in which a library computes everything up to a result of this type, which is rounded to
// it once: narrow floats are computed in f32.
hlo::PrimitiveType AccumulatorType(hlo::PrimitiveType type);

class MeaningText {
 public:
  explicit MeaningText(const hlo::Instruction& call);

  Value Parameter(int64_t number) const;
  Value Op(hlo::Shape shape, llvm::StringRef opcode, llvm::ArrayRef<Value> operands,
           const llvm::Twine& attributes = "");
  Value Unary(llvm::StringRef opcode, const Value& x) { return Op(x.shape, opcode, {x}); }
  Value Binary(llvm::StringRef opcode, const Value& x, const Value& y) {
    return Op(x.shape, opcode, {x, y});
  }
  // The value itself where it has the type already.
  Value Convert(const Value& x, hlo::PrimitiveType type);
  // An array of one number; of a complex type, of `number` + `imaginary` i.
  Value Constant(const hlo::Shape& shape, double number, double imaginary = 0);
  // Dimension k of x is dimension `dimensions[k]` of the result.
  Value Broadcast(const Value& x, const hlo::Shape& shape, llvm::ArrayRef<int64_t> dimensions);

  // A computation that the entry calls, as text.
  // The same text is added once.
  void AddComputation(llvm::StringRef text);
  // The whole module. The results are the elements of the call's result, which is one array or a
  // tuple of arrays; those that are absent have no defined contents.
  std::string Module(llvm::ArrayRef<std::optional<Value>> results);

 private:
  Value Undefined(const hlo::Shape& shape);

  const hlo::Instruction& call_;
  std::string computations_, body_;
  int64_t count_ = 0;
};

// "{1,2}"
std::string Braces(llvm::ArrayRef<int64_t> numbers);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_MEANING_TEXT_H_
