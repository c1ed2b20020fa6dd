#include "driver/explore/refutation_json.h"

#include <algorithm>

#include "driver/json_text.h"
#include "driver/validate/buffers.h"

namespace affirm::driver {

using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr int64_t kMostValues = 8192;  // of an array that is shown with its values

// The parameter that a counterexample names: by its own name if it has one, else by the name that
// the emulator gives it.
const kernel::Param* FindParam(const KernelCounterexample& example, const kernel::Launch& launch) {
  llvm::StringRef buffer = example.buffer;
  for (const kernel::Param& param : launch.params) {
    if (!param.name.empty() && buffer == param.name) return &param;
  }
  size_t number = 0;
  if (buffer.consume_front("parameter ")) {
    if (buffer.consumeInteger(10, number)) return nullptr;
    for (size_t k = 0; k < launch.params.size(); ++k) {
      if (launch.PlaceOf(k) == number) return &launch.params[k];
    }
    return nullptr;
  }
  if (!buffer.consume_front("output ") || buffer.getAsInteger(10, number)) return nullptr;
  for (const kernel::Param& param : launch.params) {
    if (param.role == kernel::Param::kOutput && number-- == 0) return &param;
  }
  return nullptr;
}

}  // namespace

Object WrongElement(llvm::StringRef name, const hlo::Shape& shape, int64_t element) {
  return Object{{"array", JsonText(name)},
                {"shape", JsonText(shape.ToString())},
                {"dims", Array(shape.dims)},
                {"element", element}};
}

void AddValues(Object& json, const hlo::Literal& expected, const hlo::Literal& actual,
               int64_t element) {
  const int64_t count = std::min(expected.shape().NumElements(), actual.shape().NumElements());
  const int64_t from =
      std::max<int64_t>(0, std::min(element - kMostValues / 2, count - kMostValues));
  Array want, got;
  for (int64_t k = from; k < std::min(count, from + kMostValues); ++k) {
    want.push_back(JsonText(expected.ElementToString(k)));
    got.push_back(JsonText(actual.ElementToString(k)));
  }
  json["values"] =
      Object{{"from", from}, {"expected", std::move(want)}, {"actual", std::move(got)}};
}

void AddRefutations(const Validation& validation, const kernel::Launch& launch, int64_t kernel,
                    Array& refutations) {
  for (const ClaimResult& claim : validation.claims) {
    if (claim.verdict != Verdict::kRefuted) continue;
    Object json{{"kernel", kernel},
                {"claim", kernel::Name(claim.claim)},
                {"reason", JsonText(claim.reason)}};
    if (claim.counterexample) {
      const KernelCounterexample& example = *claim.counterexample;
      json["block"] = example.block;
      json["thread"] = example.thread;
      json["line"] = example.line;
      json["instruction"] = JsonText(example.instruction);
      json["expected"] = JsonText(example.expected);
      json["actual"] = JsonText(example.actual);
      if (const kernel::Param* param = FindParam(example, launch)) {
        // The emulator names places in memory; values are named by element.
        const bool inside = example.element >= 0 && example.element < param->shape.NumElements();
        const bool is_place = claim.claim != kernel::Claim::kValues && inside;
        const int64_t element =
            is_place ? LinearAtPosition(param->shape, example.element) : example.element;
        json["at"] = WrongElement(example.buffer, param->shape, element);
        int64_t output = 0;
        for (const kernel::Param& other : launch.params) {
          if (&other == param) break;
          output += other.role == kernel::Param::kOutput;
        }
        if (claim.claim == kernel::Claim::kValues && validation.refuted_run &&
            output < std::ssize(validation.refuted_run->expected)) {
          AddValues(*json.getObject("at"), validation.refuted_run->expected[output],
                    validation.refuted_run->actual[output], element);
        }
      }
    }
    refutations.push_back(std::move(json));
  }
}

}  // namespace affirm::driver
