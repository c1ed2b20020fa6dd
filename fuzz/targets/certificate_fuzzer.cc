// libFuzzer: the bytes choose a map; the certificate of its simplification is accepted, and with a
// digit changed it is rejected, or still says something true.
#include "core/simplify/simplify.h"
#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/enumerated_map.h"
#include "fuzz/targets/abort_if_wrong.h"
#include "llvm/ADT/StringExtras.h"
#include "verify/certificate/check.h"
#include "verify/rules/certify.h"

namespace affirm::fuzz {
namespace {

// Empty unless enumeration says that the two maps of an accepted certificate differ.
std::string Claim(const certificate::CheckResult& verdict) {
  Context context;
  auto first = ParseIndexingMap(verdict.first, context);
  auto last = ParseIndexingMap(verdict.last, context);
  if (!first || !last) {
    llvm::consumeError(first.takeError());
    llvm::consumeError(last.takeError());
    return "";  // variables without bounds, which only certificates may have
  }
  constexpr int64_t kMaxPoints = 5000;
  auto before = Enumerate(*first, kMaxPoints), after = Enumerate(*last, kMaxPoints);
  return before && after ? Difference(*before, *after) : "";
}

std::string CheckCertificate(const IndexingMap& map, Choices& choices, std::string& text) {
  Trace trace;
  const IndexingMap after = Simplify(map, &trace);
  auto certified = Certify(map, after, trace, RuleTable::Builtin());
  if (!certified) {
    llvm::consumeError(certified.takeError());  // a step has none
    return "";
  }
  text = *certified;
  certificate::CheckResult verdict = certificate::Check(text);
  if (!verdict.accepted) return "the certificate is rejected: " + verdict.problem;
  std::vector<size_t> digits;
  for (size_t i = 0; i < text.size(); ++i) {
    if (llvm::isDigit(text[i])) digits.push_back(i);
  }
  text[digits[choices.Below(digits.size())]] = static_cast<char>('0' + choices.Below(10));
  verdict = certificate::Check(text);
  return verdict.accepted ? Claim(verdict) : "";
}

}  // namespace
}  // namespace affirm::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace affirm;
  Context context;
  fuzz::Choices choices({data, size});
  const IndexingMap map = fuzz::GenerateMap(choices, context, {.max_points = 300});
  if (map.IsUndefined()) return 0;
  std::string text;
  const std::string wrong = fuzz::CheckCertificate(map, choices, text);
  fuzz::AbortIfWrong(map.ToString() + "\n" + text, wrong);
  return 0;
}
