// A set of rules, compiled and indexed for the engine.
//
//   const Rule* rule = RuleTable::Builtin().Find("floordiv.split");
#ifndef AFFIRM_CORE_SIMPLIFY_RULE_TABLE_H_
#define AFFIRM_CORE_SIMPLIFY_RULE_TABLE_H_

#include <memory>
#include <vector>

#include "core/simplify/features.h"
#include "core/simplify/program.h"
#include "core/simplify/rule.h"
#include "core/symbolic/expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace affirm {

inline constexpr int kNumKinds = static_cast<int>(ExprKind::kMax) + 1;

class RuleTable {
 public:
  explicit RuleTable(std::vector<Rule> rules);
  RuleTable(RuleTable&&) = default;
  RuleTable(const RuleTable&) = delete;
  // The rules of core/simplify/rules/*.rules; read once, immutable.
  static const RuleTable& Builtin();

  const std::vector<Rule>& rules() const { return rules_; }
  // The same rules as the engine has them, in the same order.
  llvm::ArrayRef<CompiledRule> compiled() const { return compiled_; }
  const Rule* Find(llvm::StringRef name) const;
  // A rule and the features of an expression without which it need not be tried.
  struct Entry {
    Features required;
    const CompiledRule* rule;
  };
  // In the order of the table: the expression rules whose left side has this head, and the
  // constraint rules with one or two premises of which the last may have it. Rules that the engine
  // can't match (CompiledRule::problem) are not among them.
  struct List {
    std::vector<Entry> entries;
    bool only_point_rules = true;  // each entry requires a range of one value
    bool same_variables = true;    // each entry has premises over the same variables

    // Sets of them as 64 bits: bit i the i-th one, the last bit all that follow as well.
    static constexpr size_t kLastBit = 63;
    // The entries that these features admit.
    uint64_t Admitted(Features features) const;
    llvm::ArrayRef<Entry> At(size_t bit) const {
      llvm::ArrayRef<Entry> from = llvm::ArrayRef(entries).drop_front(bit);
      return bit == kLastBit ? from : from.take_front(1);
    }
    // The entries (except the last bit) that require a range of one value or within one period.
    uint64_t points = 0, periods = 0;
    uint64_t near_periods = 0;  // or near to one period

    void Append(Entry entry);

   private:
    uint64_t all_ = 0;           // of them
    Features any_ = 0;           // what some of them require
    uint64_t without_[64] = {};  // by feature: those that do not require it
  };
  const List& ForHead(ExprKind head) const { return lists_[0][static_cast<int>(head)]; }
  const List& ForFact(ExprKind head) const { return lists_[1][static_cast<int>(head)]; }
  const List& ForFactPair(ExprKind head) const { return lists_[2][static_cast<int>(head)]; }

 private:
  std::vector<Rule> rules_;
  std::vector<CompiledRule> compiled_;
  List lists_[3][kNumKinds];  // by number of premises and kind
};

// The files that make up the built-in table: name and text, for docs and errors.
struct RuleFile {
  llvm::StringRef name;
  llvm::StringRef text;
};
llvm::ArrayRef<RuleFile> BuiltinRuleFiles();

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_RULE_TABLE_H_
