#include "verify/kernel/scalar_value.h"

#include <string>

#include "core/symbolic/error.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace affirm::kernel {
namespace {

using hlo::PrimitiveType;
using llvm::APFloat;
using llvm::APInt;

constexpr size_t kMostDigits = 1200;  // the decimal expansion of any f64, and its exponent

bool HasNumbers(PrimitiveType type) { return hlo::BitWidth(type) >= 16; }

const llvm::fltSemantics& SemanticsOf(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF16:
      return APFloat::IEEEhalf();
    case PrimitiveType::kBF16:
      return APFloat::BFloat();
    case PrimitiveType::kF32:
      return APFloat::IEEEsingle();
    default:
      return APFloat::IEEEdouble();
  }
}

std::string IntegerText(WideInteger value) {
  const bool negative = value < 0;
  const auto magnitude = static_cast<uint64_t>(negative ? -value : value);
  return (negative ? "-" : "") + std::to_string(magnitude);
}

// "an integer in [-128, 127]"
std::string ExpectedText(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return "true or false";
  if (hlo::IsFloat(type)) {
    const int digits = static_cast<int>(llvm::divideCeil(hlo::BitWidth(type), 4));
    const std::string bits = "\"0x\" and " + std::to_string(digits) + " digits of its bits";
    return HasNumbers(type) ? R"(a number, "inf", "-inf", "nan", or )" + bits : bits;
  }
  const int width = hlo::BitWidth(type) - (hlo::IsSignedInt(type) ? 1 : 0);
  const WideInteger most = (WideInteger{1} << width) - 1;
  return "an integer in [" + IntegerText(hlo::IsSignedInt(type) ? -most - 1 : 0) + ", " +
         IntegerText(most) + "]";
}

llvm::Error Refuse(llvm::StringRef json, PrimitiveType type, llvm::StringRef why) {
  const bool long_text = json.size() > 40;
  return MakeError((json.take_front(40) + (long_text ? "..." : "") + " is no value of " +
                    hlo::Name(type) + why + ", expected " + ExpectedText(type))
                       .str());
}

bool IsInteger(llvm::StringRef json) {
  json.consume_front("-");
  return !json.empty() && json.size() < kMostDigits && llvm::all_of(json, llvm::isDigit);
}

llvm::Expected<uint64_t> ReadInteger(llvm::StringRef json, PrimitiveType type) {
  if (!IsInteger(json)) return Refuse(json, type, "");
  const auto wide = static_cast<unsigned>(4 * json.size() + 66);
  const APInt value(wide, json, 10);
  const auto width = static_cast<unsigned>(hlo::BitWidth(type));
  const bool fits = hlo::IsSignedInt(type) ? value.isSignedIntN(width)
                                           : !value.isNegative() && value.isIntN(width);
  if (!fits) return Refuse(json, type, "");
  return value.trunc(width).getZExtValue();
}

llvm::Expected<uint64_t> ReadBits(llvm::StringRef json, PrimitiveType type) {
  llvm::StringRef digits = json.drop_front(3).drop_back();
  const auto width = static_cast<unsigned>(hlo::BitWidth(type));
  uint64_t bits = 0;
  if (digits.size() != llvm::divideCeil(width, 4) || !llvm::all_of(digits, llvm::isHexDigit) ||
      digits.getAsInteger(16, bits) || !llvm::isUIntN(width, bits)) {
    return Refuse(json, type, "");
  }
  return bits;
}

llvm::Expected<uint64_t> ReadFloat(llvm::StringRef json, PrimitiveType type) {
  if (json.starts_with("\"0x")) return ReadBits(json, type);
  if (!HasNumbers(type)) return Refuse(json, type, "");
  const llvm::fltSemantics& semantics = SemanticsOf(type);
  auto bits_of = [](const APFloat& value) { return value.bitcastToAPInt().getZExtValue(); };
  if (json == "\"nan\"") return bits_of(APFloat::getQNaN(semantics));
  if (json == "\"inf\"") return bits_of(APFloat::getInf(semantics));
  if (json == "\"-inf\"") return bits_of(APFloat::getInf(semantics, /*Negative=*/true));
  const bool is_number =
      json.size() < kMostDigits && !json.empty() && (llvm::isDigit(json.front()) || json[0] == '-');
  if (!is_number) return Refuse(json, type, "");
  APFloat value(semantics);
  auto status = value.convertFromString(json, APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return Refuse(json, type, "");
  }
  if (!value.isFinite()) return Refuse(json, type, ", whose numbers are smaller");
  if (value.isZero() && (*status & APFloat::opInexact) != 0)
    return Refuse(json, type, ", whose numbers above zero are larger");
  return bits_of(value);
}

}  // namespace

bool IsScalarType(PrimitiveType type) {
  return type == PrimitiveType::kPred || hlo::IsInt(type) || hlo::IsFloat(type);
}

llvm::Expected<uint64_t> ReadScalarValue(llvm::StringRef json, PrimitiveType type) {
  if (type == PrimitiveType::kPred) {
    if (json == "true" || json == "1") return 1;
    if (json == "false" || json == "0") return 0;
    return Refuse(json, type, "");
  }
  return hlo::IsFloat(type) ? ReadFloat(json, type) : ReadInteger(json, type);
}

std::string ScalarValueText(uint64_t bits, PrimitiveType type) {
  if (type == PrimitiveType::kPred) return bits != 0 ? "true" : "false";
  if (!hlo::IsFloat(type)) return IntegerText(ScalarInteger(bits, type));
  auto reads_back = [&](llvm::StringRef json) {
    auto read = ReadScalarValue(json, type);
    if (read) return *read == bits;
    llvm::consumeError(read.takeError());
    return false;
  };
  for (const char* name : {"\"nan\"", "\"inf\"", "\"-inf\""}) {
    if (reads_back(name)) return name;
  }
  if (HasNumbers(type) && ScalarFloat(bits, type).isFinite()) {
    llvm::SmallString<32> number;
    ScalarFloat(bits, type).toString(number);
    // Readers that take "-0" for an integer lose its sign.
    if (number.find_first_of(".E") == llvm::StringRef::npos) number += ".0";
    if (reads_back(number)) return number.str().str();
  }
  const auto digits = static_cast<unsigned>(llvm::divideCeil(hlo::BitWidth(type), 4));
  return "\"0x" + llvm::utohexstr(bits, /*LowerCase=*/true, digits) + "\"";
}

WideInteger ScalarInteger(uint64_t bits, PrimitiveType type) {
  if (!hlo::IsSignedInt(type)) return bits;
  return llvm::SignExtend64(bits, static_cast<unsigned>(hlo::BitWidth(type)));
}

APFloat ScalarFloat(uint64_t bits, PrimitiveType type) {
  return APFloat(SemanticsOf(type), APInt(static_cast<unsigned>(hlo::BitWidth(type)), bits));
}

bool IsAtMost(uint64_t a, uint64_t b, PrimitiveType type) {
  if (!hlo::IsFloat(type)) return ScalarInteger(a, type) <= ScalarInteger(b, type);
  return ScalarFloat(a, type) <= ScalarFloat(b, type);
}

}  // namespace affirm::kernel
