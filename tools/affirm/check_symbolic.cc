#include "tools/affirm/check_symbolic.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "tools/affirm/cli.h"
#include "tools/affirm/parallel.h"

namespace affirm::cli {
namespace {

struct FormReport {
  std::string text;
  SymbolicAnswer answer;
  int64_t instances = 0, same = 0, printed_alike = 0;
  std::string problem;  // the first instance at which the formula is not the code's
  double ms = 0;

  int status() const {
    return Worse(same == instances ? kAllWell : kDifferent, StatusOf(answer.verdict));
  }
};

FormReport Check(const SymbolicOp& op, Context& context, const Budget& budget) {
  constexpr int64_t kInstances = 20;
  auto start = std::chrono::steady_clock::now();
  FormReport report;
  report.text = op.text;
  report.answer = ProveSymbolic(op, context, budget);
  for (const std::vector<int64_t>& values : InstanceParameters(op, kInstances)) {
    auto test = TestInstance(op, values, context);
    if (!test) continue;
    ++report.instances;
    report.same += test->same;
    report.printed_alike += test->same && test->same_text;
    if (!test->same && report.problem.empty()) report.problem = test->problem;
  }
  std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  report.ms = ms.count();
  return report;
}

void PrintText(const FormReport& report, llvm::raw_ostream& os) {
  os << "  " << report.text << ": " << Name(report.answer.verdict) << " (" << report.answer.queries
     << " queries, " << Fixed(report.ms, 1) << " ms); at " << report.same << " of "
     << report.instances << " sizes the map and the meaning of the code, " << report.printed_alike
     << " of them printed alike\n";
  if (!report.answer.reason.empty()) os << "    " << report.answer.reason << "\n";
  if (!report.problem.empty()) os << "    " << report.problem << "\n";
}

void WriteJson(const FormReport& report, llvm::json::OStream& json) {
  json.object([&] {
    json.attribute("form", report.text);
    json.attribute("verdict", Name(report.answer.verdict));
    json.attribute("queries", report.answer.queries);
    if (!report.answer.reason.empty()) json.attribute("reason", report.answer.reason);
    json.attribute("instances", report.instances);
    json.attribute("same", report.same);
    json.attribute("printed_alike", report.printed_alike);
    if (!report.problem.empty()) json.attribute("problem", JsonText(report.problem));
    json.attributeBegin("ms");
    json.rawValue(Fixed(report.ms, 3));
    json.attributeEnd();
  });
}

}  // namespace

int CheckSymbolic(const SymbolicQuestion& question, const Budget& budget, bool json,
                  unsigned jobs) {
  Context names;
  int64_t forms = static_cast<int64_t>(SymbolicOps(question.op, question.rank, names).size());
  int status = kAllWell;
  auto each = [&](llvm::function_ref<void(FormReport&)> write) {
    // Several forms share a context, which is one thread's own.
    constexpr int64_t kChunk = 16;
    InOrder<std::vector<FormReport>>(
        jobs, (forms + kChunk - 1) / kChunk,
        [&](int64_t chunk) {
          Context context;
          std::vector<SymbolicOp> ops = SymbolicOps(question.op, question.rank, context);
          std::vector<FormReport> reports;
          for (int64_t i = chunk * kChunk; i < std::min((chunk + 1) * kChunk, forms); ++i) {
            reports.push_back(Check(ops[i], context, budget));
          }
          return reports;
        },
        [&](std::vector<FormReport>& reports) {
          for (FormReport& report : reports) {
            status = Worse(status, report.status());
            write(report);
          }
        });
  };
  if (json) {
    llvm::json::OStream os(llvm::outs(), 1);
    os.object([&] {
      os.attribute("op", question.op);
      os.attribute("rank", question.rank);
      os.attributeArray("forms", [&] { each([&](FormReport& r) { WriteJson(r, os); }); });
      os.attribute("status", status);
    });
    llvm::outs() << "\n";
    return status;
  }
  llvm::outs() << question.op << " of rank " << question.rank << ": " << forms << " forms\n";
  each([&](FormReport& report) { PrintText(report, llvm::outs()); });
  const char* verdict = status == kAllWell     ? "proved for all sizes"
                        : status == kDifferent ? "MISMATCH: a formula is not the code's"
                                               : "UNKNOWN: a form is not proved";
  llvm::outs() << "\nverdict: " << verdict << "\n";
  return status;
}

}  // namespace affirm::cli
