// affirm bijection: does a map write every element of an array exactly once?
#include "driver/certificates.h"
#include "driver/reports/equiv.h"
#include "driver/shell_command.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"
#include "verify/prover/certify_maps.h"

namespace affirm::cli {
namespace {

struct Options {
  std::string map, certificates;
  std::vector<int64_t> shape;
  ReportFlags report;
  DecideFlags decide;
};

std::string ShapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape) text += (text.empty() ? "" : ",") + std::to_string(size);
  return text;
}

driver::RunReport ReportOf(const Options& options, const IndexingMap& map,
                           const MapProofResult& answer) {
  const std::string shape = ShapeText(options.shape);
  driver::ReportRecord record = driver::RecordOf("bijection", answer, map, options.map, {});
  record.aspect = map.ToString();  // a file may hold another map the next time
  record.replay = "affirm bijection " +
                  driver::ShellQuoted(options.map == "-" ? record.aspect : options.map) +
                  " --shape " + driver::ShellQuoted(shape);
  return {.verb = "bijection",
          .file = options.map,
          .asked = "--shape " + shape,
          .headline = options.map + " into [" + shape + "]",
          .coverage = {{"maps", "one, into an array of sizes [" + shape + "]", answer.ms}},
          .records = {std::move(record)},
          .verdict = Name(answer.verdict),
          .verdict_line = Name(answer.verdict),
          .outcome = answer.verdict};
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  Context context;
  auto map = ReadMap(options.map, context);
  if (!map) return Report(map.takeError());
  MapProofResult answer = ProveBijection(*map, options.shape, *decide);
  if (!options.certificates.empty() && answer.verdict == Verdict::kProved) {
    auto certificate = CertifyBijection(*map, options.shape);
    if (llvm::Error error =
            driver::WriteCertificate(options.certificates, "bijection", std::move(certificate)))
      return Report(std::move(error));
  }
  if (options.report.json()) {
    PrintJsonObject([&](llvm::json::OStream& json) {
      json.attribute("verdict", Name(answer.verdict));
      if (answer.counterexample) {
        json.attributeObject("counterexample",
                             [&] { WriteCounterexample(json, *answer.counterexample); });
      }
      if (!answer.reason.empty()) json.attribute("reason", JsonText(answer.reason));
      json.attribute("engine", Name(answer.engine));
      WriteFixed(json, "ms", answer.ms, 3);
    });
  } else if (options.report.text()) {
    llvm::outs() << Name(answer.verdict) << " (" << Name(answer.engine) << ", "
                 << Fixed(answer.ms, 1) << " ms)\n";
    if (answer.counterexample)
      llvm::outs() << "  " << answer.counterexample->ToString(*map) << "\n";
    if (!answer.reason.empty()) llvm::outs() << "  " << answer.reason << "\n";
  }
  driver::RunReport report = ReportOf(options, *map, answer);
  options.report.Compare(report);
  return options.report.Finish({std::move(report)});
}

}  // namespace

void AddBijection(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("bijection", "Decide whether every element is written exactly once");
  verb.Option("MAP", options->map, "A map text, a file that holds one map, or -").Required();
  verb.Sizes("--shape", options->shape,
             "Sizes of the array that is written, as 4,8; '' for a scalar")
      .Required();
  verb.Option("--certificates", options->certificates,
              "Write a certificate to this folder if it is proved, for affirm-check");
  options->report.AddTo(verb);
  options->decide.AddTo(verb);
  verb.Footer(
      "Example:\n"
      "  $ affirm bijection '(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]' --shape "
      "4,8\n"
      "  proved (enumeration, 0.1 ms)");
  verb.Run([options] { return options->report.Complete("bijection", Run(*options)); });
}

}  // namespace affirm::cli
