#include "verify/logic/oracle.h"

#include <cassert>

namespace affirm::logic {

llvm::StringRef Name(Oracle oracle) {
  switch (oracle) {
    case Oracle::kRanges:
      return "ranges";
    case Oracle::kDeciders:
      return "deciders";
    case Oracle::kEnumeration:
      return "enumeration";
    case Oracle::kExhaustion:
      return "exhaustion";
    case Oracle::kDefinitions:
      return "definitions";
    case Oracle::kCorrespondences:
      return "correspondences";
    case Oracle::kIntegers:
      return "integers";
    case Oracle::kExtrema:
      return "extrema";
    case Oracle::kFolds:
      return "folds";
    case Oracle::kReindexing:
      return "reindexing";
    case Oracle::kConstants:
      return "constants";
    case Oracle::kChosenElements:
      return "chosen elements";
    case Oracle::kLicences:
      return "licences";
    case Oracle::kElements:
      return "elements";
    case Oracle::kNumOracles:
      break;
  }
  return "";
}

Oracles Oracles::One(Oracle oracle) {
  Oracles one;
  one.kinds_ = Bit(oracle);
  return one;
}

Oracles Oracles::Exhaustion(int bits) {
  assert(bits >= 0 && bits < 64);
  Oracles one = One(Oracle::kExhaustion);
  one.exhausted_ = uint64_t{1} << bits;
  return one;
}

Oracles Oracles::Correspondence(terms::Op op) {
  Oracles one = One(Oracle::kCorrespondences);
  one.operations_.set(static_cast<size_t>(op));
  return one;
}

std::vector<int> Oracles::exhausted() const {
  std::vector<int> bits;
  for (int k = 0; k < 64; ++k) {
    if ((exhausted_ >> k & 1) != 0) bits.push_back(k);
  }
  return bits;
}

std::vector<terms::Op> Oracles::correspondences() const {
  std::vector<terms::Op> operations;
  for (size_t k = 0; k < operations_.size(); ++k) {
    if (operations_.test(k)) operations.push_back(static_cast<terms::Op>(k));
  }
  return operations;
}

void Oracles::Add(const Oracles& other) {
  kinds_ |= other.kinds_;
  exhausted_ |= other.exhausted_;
  operations_ |= other.operations_;
}

std::string ToString(const Oracles& oracles) {
  std::string text;
  auto list = [&](const auto& items, auto text_of) {
    for (size_t k = 0; k < items.size(); ++k) {
      text += k == 0 ? "" : k + 1 == items.size() ? " and " : ", ";
      text += text_of(items[k]);
    }
  };
  for (int k = 0; k < static_cast<int>(Oracle::kNumOracles); ++k) {
    const auto oracle = static_cast<Oracle>(k);
    if (!oracles.Has(oracle)) continue;
    text += text.empty() ? "" : ", ";
    text += Name(oracle);
    if (oracle == Oracle::kCorrespondences) {
      text += " of ";
      list(oracles.correspondences(), [](terms::Op op) { return terms::Name(op).str(); });
    } else if (oracle == Oracle::kExhaustion) {
      text += " over ";
      list(oracles.exhausted(), [](int bits) { return "2^" + std::to_string(bits); });
      text += " values";
    }
  }
  return text;
}

}  // namespace affirm::logic
