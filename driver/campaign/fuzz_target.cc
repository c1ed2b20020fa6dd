// The list of fuzz targets, crash buckets by message, and the reduction of bytes.
#include "driver/campaign/fuzz_target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

namespace affirm::driver {

Outcome FindingIn(const std::string& what, const std::string& text) {
  return {Outcome::Kind::kFinding, what, what + ": " + text};
}

const char* Name(Outcome::Kind kind) {
  constexpr const char* kNames[] = {"fine", "unknown", "finding", "crash", "hang"};
  return kNames[static_cast<int>(kind)];
}

std::string BucketOf(const std::string& message) {
  constexpr size_t kMaxCause = 160;
  // The answers of two sides differ from one input to the next.
  std::string head = message.substr(0, message.find_first_of("{\n"));
  head = head.substr(0, head.find(": the interpreter says"));
  // Names of instructions and the computations and places that they are in.
  head = llvm::Regex("%[-A-Za-z0-9_.]+").sub("%", head);
  head = llvm::Regex(" in [-A-Za-z0-9_.]+ at [0-9]+:[0-9]+").sub("", head);
  // Files, with the folders they are in.
  head = llvm::Regex("(/[-A-Za-z0-9_.+]+)+:").sub(":", head);
  // The number of a result among several.
  head = llvm::Regex(" from output [0-9]+").sub("", head);
  // The name of a function of a kernel.
  head = llvm::Regex("[A-Za-z0-9_]+ (reads|writes) ").sub("\\1 ", head);
  std::string bucket;
  for (size_t i = 0; i < head.size() && bucket.size() < kMaxCause; ++i) {
    size_t close = head[i] == '\'' ? head.find('\'', i + 1) : std::string::npos;
    // An index: the rank may differ, too.
    size_t end = head[i] == '[' ? head.find_first_not_of("-0123456789, ", i + 1) : 0;
    if (close != std::string::npos) {
      bucket += "'...'";
      i = close;
    } else if (end > i && end < head.size() && head[end] == ']') {
      bucket += "[...]";
      i = end;
    } else if (head[i] == '-' && llvm::StringRef(bucket).ends_with(" ") && i + 1 < head.size() &&
               llvm::isDigit(head[i + 1])) {
      continue;  // the sign of a number
    } else if (llvm::isDigit(head[i])) {
      if (!llvm::StringRef(bucket).ends_with("#")) bucket += '#';
    } else {
      bucket += head[i];
    }
  }
  return llvm::StringRef(bucket).trim(" :;,(").str();
}

std::string FuzzTarget::Reduce(const std::string& text, llvm::ArrayRef<uint8_t> bytes,
                               const InterestingnessTest& is_interesting) const {
  std::vector<uint8_t> best = bytes.vec();
  std::string best_text = text;
  auto take = [&](std::vector<uint8_t> candidate) {
    std::string made = Generate(candidate);
    if (made.size() > best_text.size() || (made == best_text && candidate.size() >= best.size())) {
      return false;
    }
    if (made != best_text && !is_interesting(made)) return false;
    best = std::move(candidate);
    best_text = std::move(made);
    return true;
  };
  // Shorter, then bytes left out, then bytes at 0: each stands for the first alternative.
  for (size_t size = best.size() / 2; size > 0; size /= 2) {
    while (best.size() > size && take({best.begin(), best.end() - size})) continue;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = best.size(); i-- > 0;) {
      std::vector<uint8_t> without = best;
      without.erase(without.begin() + i);
      std::vector<uint8_t> zero = best;
      zero[i] = 0;
      size_t before = best_text.size();
      if (take(std::move(without)) || (best[i] != 0 && take(std::move(zero)))) {
        changed |= best_text.size() < before;
        if (i > best.size()) i = best.size();
      }
    }
  }
  return best_text;
}

llvm::ArrayRef<FuzzTargetInfo> FuzzTargets() {
  static constexpr FuzzTargetInfo kTargets[] = {
      {"hlo", "HLO modules through all that `affirm check` does", MakeHloTarget},
      {"maps", "maps: simplified, printed and read back, against enumeration", MakeMapsTarget},
      {"equiv", "pairs of maps: every engine against enumeration", MakeEquivTarget},
      {"rules", "mutants of the rules: what is proved must hold on random maps", MakeRulesTarget},
  };
  return kTargets;
}

}  // namespace affirm::driver
