#include "core/stablehlo/module_head.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo::stablehlo {

using llvm::StringRef;

std::string HeadOf(const Program& program, const Function& main) {
  std::string name = program.name.empty() ? "module" : program.name, aliases, donors;
  size_t results = 0;
  for (const Operation& op : main.body.operations) {
    if (op.results.empty()) results = op.operands.size();
  }
  for (const auto& [k, argument] : llvm::enumerate(main.body.arguments)) {
    auto alias = argument.attributes.find("tf.aliasing_output");
    const std::string number = std::to_string(k);
    if (alias != argument.attributes.end()) {
      const std::string result =
          results == 1 ? "" : StringRef(alias->second).split(' ').first.str();
      aliases +=
          (aliases.empty() ? "" : ", ") + ("{" + result + "}: (" + number) + ", {}, may-alias)";
    } else if (argument.attributes.contains("jax.buffer_donor")) {
      donors += (donors.empty() ? "" : ", ") + ("(" + number + ", {})");
    }
  }
  std::string text = "HloModule " + name;
  if (!aliases.empty()) text += ", input_output_alias={ " + aliases + " }";
  if (!donors.empty()) text += ", buffer_donor={ " + donors + " }";
  for (const char* kind : {"replica_count", "num_partitions"}) {
    const std::string attribute =
        std::string("mhlo.") + (StringRef(kind) == "replica_count" ? "num_replicas" : kind);
    auto found = program.attributes.find(attribute);
    if (found == program.attributes.end()) continue;
    const std::string count = StringRef(found->second).split(' ').first.str();
    if (count != "1") text += std::string(", ") + kind + "=" + count;
  }
  return text;
}

}  // namespace affirm::hlo::stablehlo
