// affirm indexing --utilization
#include "core/analysis/uses/utilization.h"

#include "driver/json_text.h"
#include "driver/reports/map_analyses.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

std::string Percent(int64_t part, int64_t whole) {
  double share = whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
  return Fixed(100 * share, 2) + "%";
}

void WriteText(const Utilization& read, llvm::raw_ostream& os) {
  if (read.IsExact()) {
    os << read.at_most << " of " << read.elements << " elements are read ("
       << Percent(read.at_most, read.elements) << ")\n";
    return;
  }
  os << read.at_least << " to " << read.at_most << " of " << read.elements << " elements are read ("
     << Percent(read.at_least, read.elements) << " to " << Percent(read.at_most, read.elements)
     << "): " << read.reason << "\n";
}

void WriteJson(const hlo::Instruction& operand, const OperandUtilization& u,
               llvm::json::OStream& json) {
  json.object([&] {
    json.attribute("id", u.operand);
    json.attribute("leaf", u.leaf);
    json.attribute("name", JsonText(operand.name));
    json.attribute("elements", u.read.elements);
    json.attribute("at_least", u.read.at_least);
    json.attribute("at_most", u.read.at_most);
    json.attribute("exact", u.read.IsExact());
    if (!u.read.reason.empty()) json.attribute("reason", JsonText(u.read.reason));
  });
}

}  // namespace

llvm::Error PrintUtilization(const hlo::Instruction& instruction,
                             const AnalysisReportOptions& options) {
  Context context;
  std::vector<OperandUtilization> all = UtilizationOf(instruction, context);
  if (options.json) {
    PrintJsonObject([&](llvm::json::OStream& json) {
      json.attribute("instruction", JsonText(instruction.name));
      json.attributeArray("operands", [&] {
        for (const OperandUtilization& u : all) {
          WriteJson(*instruction.operands[u.operand], u, json);
        }
      });
    });
    return llvm::Error::success();
  }
  for (const OperandUtilization& u : all) {
    const hlo::Instruction& operand = *instruction.operands[u.operand];
    llvm::outs() << "operand " << u.operand << ", " << operand.name;
    if (operand.shape.IsTuple()) llvm::outs() << ", element " << u.leaf;
    llvm::outs() << ": ";
    WriteText(u.read, llvm::outs());
  }
  return llvm::Error::success();
}

}  // namespace affirm::driver
