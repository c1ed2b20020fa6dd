#include "core/stablehlo/module_head.h"

#include <set>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo::stablehlo {

using llvm::Expected;
using llvm::StringRef;

namespace {

// ", replica_count=2"; nothing for one.
Expected<std::string> CountOf(const Program& program, const std::string& attribute,
                              StringRef in_hlo) {
  auto found = program.attributes.find(attribute);
  if (found == program.attributes.end()) return "";
  if (found->second.kind != Attribute::Kind::kInteger || found->second.integer < 1)
    return MakeError("expected a number of 1 or more as '" + attribute + "' of the module");
  if (found->second.integer == 1) return "";
  return (", " + in_hlo + "=").str() + std::to_string(found->second.integer);
}

}  // namespace

std::string HloName(StringRef symbol) {
  std::string name;
  for (char c : symbol) name += llvm::isAlnum(c) || c == '.' || c == '-' ? c : '_';
  if (name.empty() || !(llvm::isAlpha(name[0]) || name[0] == '_')) name = "_" + name;
  // "->" ends a name.
  if (name.back() == '-') name.back() = '_';
  return name;
}

Expected<std::string> HeadOf(const Program& program, const Function& main) {
  std::string aliases, donors;
  std::set<int64_t> aliased;
  const int64_t results = static_cast<int64_t>(main.result_types.size());
  for (const auto& [k, argument] : llvm::enumerate(main.body.arguments)) {
    auto alias = argument.attributes.find("tf.aliasing_output");
    const bool donor = argument.attributes.contains("jax.buffer_donor");
    const std::string number = std::to_string(k);
    if (alias != argument.attributes.end()) {
      const int64_t result = alias->second.integer;
      if (alias->second.kind != Attribute::Kind::kInteger || result < 0 || result >= results)
        return MakeError("expected tf.aliasing_output of " + argument.name +
                         " to be the number of a result, less than " + llvm::Twine(results));
      if (!aliased.insert(result).second)
        return MakeError("expected one argument with tf.aliasing_output = " + llvm::Twine(result) +
                         ", found a second one, " + argument.name);
      if (donor)
        return MakeError("expected tf.aliasing_output or jax.buffer_donor of " + argument.name +
                         ", found both");
      aliases += (aliases.empty() ? "" : ", ") +
                 ("{" + (results == 1 ? "" : std::to_string(result)) + "}: (" + number) +
                 ", {}, may-alias)";
    } else if (donor) {
      donors += (donors.empty() ? "" : ", ") + ("(" + number + ", {})");
    }
  }
  std::string text = "HloModule " + (program.name.empty() ? "module" : HloName(program.name));
  if (!aliases.empty()) text += ", input_output_alias={ " + aliases + " }";
  if (!donors.empty()) text += ", buffer_donor={ " + donors + " }";
  for (auto [attribute, in_hlo] : {std::pair("mhlo.num_replicas", "replica_count"),
                                   std::pair("mhlo.num_partitions", "num_partitions")}) {
    auto count = CountOf(program, attribute, in_hlo);
    if (!count) return count.takeError();
    text += *count;
  }
  return text;
}

}  // namespace affirm::hlo::stablehlo
