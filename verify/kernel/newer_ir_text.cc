// Finds float literals token by token, with the float type that stands before each, and attributes
// with a syntax of their own.
#include "verify/kernel/newer_ir_text.h"

#include <vector>

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::kernel {
namespace {

const llvm::fltSemantics* SemanticsOf(llvm::StringRef type) {
  if (type == "half") return &llvm::APFloat::IEEEhalf();
  if (type == "bfloat") return &llvm::APFloat::BFloat();
  if (type == "float") return &llvm::APFloat::IEEEsingle();
  if (type == "double") return &llvm::APFloat::IEEEdouble();
  return nullptr;
}

// The hexadecimal form that every version reads: of half and bfloat their own bits, of float those
// of the double that it is.
std::string Hexadecimal(llvm::APFloat value) {
  const llvm::fltSemantics* semantics = &value.getSemantics();
  if (semantics == &llvm::APFloat::IEEEhalf() || semantics == &llvm::APFloat::BFloat()) {
    const bool half = semantics == &llvm::APFloat::IEEEhalf();
    std::string digits = llvm::utohexstr(value.bitcastToAPInt().getZExtValue(), false, 4);
    return (half ? "0xH" : "0xR") + digits;
  }
  if (semantics == &llvm::APFloat::IEEEsingle() && value.isSignaling()) {
    // A conversion would make it quiet. The payload is at the front of both mantissas.
    llvm::APInt payload = value.bitcastToAPInt().zext(64);
    payload <<= 52 - 23;
    value = llvm::APFloat::getSNaN(llvm::APFloat::IEEEdouble(), value.isNegative(), &payload);
    return "0x" + llvm::utohexstr(value.bitcastToAPInt().getZExtValue(), false, 16);
  }
  bool lost = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return "0x" + llvm::utohexstr(value.bitcastToAPInt().getZExtValue(), false, 16);
}

bool IsWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

class Rewriter {
 public:
  explicit Rewriter(llvm::StringRef text) : text_(text) { out_.reserve(text.size()); }

  std::string Run() {
    while (pos_ < text_.size()) Step();
    return std::move(out_);
  }

 private:
  void Copy(size_t count) {
    out_ += text_.substr(pos_, count);
    pos_ += count;
  }

  void Step() {
    const char c = text_[pos_];
    if (c == ';')
      return Copy(text_.find('\n', pos_) == llvm::StringRef::npos ? text_.size() - pos_
                                                                  : text_.find('\n', pos_) - pos_);
    if (c == '"') {
      size_t end = text_.find('"', pos_ + 1);
      return Copy(end == llvm::StringRef::npos ? text_.size() - pos_ : end + 1 - pos_);
    }
    const bool starts_name = c == '%' || c == '@' || c == '!' || c == '#';
    const bool starts_literal = c == '+' || c == '-';
    if (!starts_name && !starts_literal && !IsWord(c)) return Copy(1);
    size_t end = pos_ + 1;
    while (end < text_.size() && IsExtension(end)) ++end;
    llvm::StringRef token = text_.slice(pos_, end);
    if (starts_name) return Copy(token.size());
    if (token == "denormal_fpenv" && Denormals(end)) return;
    if (const llvm::fltSemantics* type = SemanticsOf(token)) {
      type_ = type;
      return Copy(token.size());
    }
    if (type_ != nullptr && Literal(token, end)) return;
    Copy(token.size());
  }

  // denormal_fpenv(preservesign, float: ieee|dynamic), of outputs and inputs, as the two attributes
  // that it was before; false where it is none.
  bool Denormals(size_t end) {
    const size_t close = text_.find(')', end);
    if (end >= text_.size() || text_[end] != '(' || close == llvm::StringRef::npos) return false;
    llvm::SmallVector<llvm::StringRef, 2> parts;
    text_.slice(end + 1, close).split(parts, ',');
    for (llvm::StringRef part : parts) {
      part = part.trim();
      const bool of_float = part.consume_front("float:");
      llvm::SmallVector<llvm::StringRef, 2> modes;
      part.split(modes, '|');
      std::vector<std::string> words;
      for (llvm::StringRef mode : modes) words.push_back(DenormalMode(mode.trim()));
      if (!out_.empty() && out_.back() == '"') out_ += ' ';
      out_ += of_float ? "\"denormal-fp-math-f32\"=\"" : "\"denormal-fp-math\"=\"";
      out_ += llvm::join(words, ",") + "\"";
    }
    pos_ = close + 1;
    return true;
  }

  static std::string DenormalMode(llvm::StringRef mode) {
    if (mode == "preservesign") return "preserve-sign";
    if (mode == "positivezero") return "positive-zero";
    return mode.str();
  }

  // '-' continues a name, and the exponent of a decimal as '+' does.
  bool IsExtension(size_t at) const {
    const char c = text_[at];
    if (IsWord(c)) return true;
    if (c != '-' && c != '+') return false;
    return text_[at - 1] == 'e' && at >= 2 && llvm::isDigit(text_[at - 2]);
  }

  // Writes a literal in the form that is read everywhere; false when the token is none that needs
  // it.
  bool Literal(llvm::StringRef token, size_t end) {
    llvm::APFloat value(*type_);
    llvm::StringRef body = token;
    const bool negative = body.consume_front("-");
    const bool is_signed = negative || body.consume_front("+");
    if (body.consume_front("f0x")) {
      llvm::APInt bits(llvm::APFloat::getSizeInBits(*type_), 0);
      if (body.empty() || body.size() * 4 > bits.getBitWidth() ||
          !llvm::all_of(body, llvm::isHexDigit)) {
        return false;
      }
      value = llvm::APFloat(*type_, llvm::APInt(bits.getBitWidth(), body, 16));
      if (negative) value.changeSign();
    } else if (body == "inf" && is_signed) {  // without a sign: a class of nofpclass
      value = llvm::APFloat::getInf(*type_, negative);
    } else if (body == "qnan") {
      value = llvm::APFloat::getQNaN(*type_, negative);
    } else if (body == "nan" || body == "snan") {
      return Nan(body == "snan", negative, end);
    } else if (body.contains('.') && !body.empty() && llvm::isDigit(body.front())) {
      auto status = value.convertFromString(token, llvm::APFloat::rmNearestTiesToEven);
      if (!status) {
        llvm::consumeError(status.takeError());
        return false;
      }
      if (*status == llvm::APFloat::opOK) return false;
    } else {
      return false;
    }
    out_ += Hexadecimal(value);
    pos_ = end;
    return true;
  }

  // nan(0x1): a NaN with this payload.
  bool Nan(bool signaling, bool negative, size_t end) {
    size_t close = text_.find(')', end);
    if (end >= text_.size() || text_[end] != '(' || close == llvm::StringRef::npos) return false;
    llvm::StringRef payload = text_.slice(end + 1, close);
    uint64_t bits = 0;
    if (payload.getAsInteger(0, bits)) return false;
    llvm::APInt fill(64, bits);
    out_ += Hexadecimal(signaling ? llvm::APFloat::getSNaN(*type_, negative, &fill)
                                  : llvm::APFloat::getQNaN(*type_, negative, &fill));
    pos_ = close + 1;
    return true;
  }

  llvm::StringRef text_;
  size_t pos_ = 0;
  std::string out_;
  const llvm::fltSemantics* type_ = nullptr;
};

}  // namespace

std::string RewriteNewerText(llvm::StringRef text) { return Rewriter(text).Run(); }

}  // namespace affirm::kernel
