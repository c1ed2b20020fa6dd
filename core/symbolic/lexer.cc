#include "core/symbolic/lexer.h"

#include <algorithm>
#include <array>

namespace affirm {
namespace {

constexpr char kSpace = 's';

// The kind of the token that starts with a character; kSpace where none does.
constexpr std::array<char, 256> MakeKinds() {
  std::array<char, 256> kinds{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    kinds[c] = letter || c == '_' || c == '.' ? Lexer::kWord
               : c >= '0' && c <= '9'         ? Lexer::kNumber
               : space                        ? kSpace
               : c > ' ' && c < 127           ? static_cast<char>(c)
                                              : Lexer::kOther;
  }
  return kinds;
}

constexpr std::array<char, 256> kKinds = MakeKinds();

char KindOf(char c) { return kKinds[static_cast<unsigned char>(c)]; }

}  // namespace

void Lexer::Next() {
  end_before_ = end_;
  const char *at = text_.data() + end_, *const end = text_.end();
  kind_ = kEnd;
  for (; at != end; ++at) {
    kind_ = KindOf(*at);
    if (kind_ == kSpace) continue;
    if (kind_ != '/' || end - at < 2 || at[1] != '/') break;
    at = std::find(at, end, '\n');
    if (at == end) break;
  }
  at_ = at - text_.data();
  if (at == end) {
    kind_ = kEnd;
  } else if (++at; kind_ == kWord) {
    while (at != end && (KindOf(*at) == kWord || KindOf(*at) == kNumber)) ++at;
  } else if (kind_ == kNumber) {
    number_ = static_cast<uint64_t>(at[-1] - '0');
    for (; at != end && KindOf(*at) == kNumber; ++at)
      number_ = number_ * 10 + static_cast<uint64_t>(*at - '0');
  } else if (kind_ == '-' && at != end && *at == '>') {
    kind_ = kArrow;
    ++at;
  }
  end_ = at - text_.data();
}

bool Lexer::IsSign() const {
  return kind_ == '-' && end_ < text_.size() && KindOf(text_[end_]) == kNumber;
}

std::optional<int64_t> Lexer::TakeInteger() {
  const Lexer before = *this;
  const bool minus = kind_ == '-';
  if (minus) Next();
  auto value = static_cast<int64_t>(number_);
  constexpr size_t kDigitsThatFit = 18;
  if (end_ - at_ <= kDigitsThatFit) {
    if (minus) value = -value;
  } else if (text_.slice(before.at_, end_).getAsInteger(10, value)) {
    *this = before;
    return std::nullopt;
  }
  Next();
  return value;
}

}  // namespace affirm
