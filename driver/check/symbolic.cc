// Proves the formulas of an op for all sizes, compares the code with them at some, and reports
// both.
#include "driver/check/symbolic.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "driver/certificates.h"
#include "driver/check/check.h"
#include "driver/check/symbolic_certificates.h"
#include "driver/errors.h"
#include "driver/exit_status.h"
#include "driver/json_text.h"
#include "driver/parallel.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

// One form of the op: a proof of its formula, for all sizes, and a comparison of the code's maps
// with the formula, at some.
struct FormReport {
  std::string text;
  std::string parameters;  // "n0 >= 0, stride0 >= 1": what the proof is for
  SymbolicAnswer answer;
  int64_t sizes = 0, with_elements = 0, same = 0, printed_alike = 0;
  std::string problem;  // at the first sizes where the formula is not the code's
  CertificatesCheck certificates;
  double ms = 0;

  // The code has been compared nowhere when there was no element that could have been misplaced.
  Verdict CodeVerdict() const {
    if (same != sizes) return Verdict::kRefuted;
    return with_elements > 0 ? Verdict::kProved : Verdict::kUnknown;
  }
  Verdict verdict() const { return Meet(CodeVerdict(), answer.verdict); }
};

// Totals over all forms.
struct Totals {
  affirm::Verdict meet = affirm::Verdict::kProved;
  int64_t forms = 0, sizes = 0, with_elements = 0;
  CertificatesCheck certificates;

  void Add(const FormReport& report) {
    meet = Meet(meet, report.verdict());
    ++forms;
    sizes += report.sizes;
    with_elements += report.with_elements;
    certificates.Add(report.certificates);
  }
  affirm::Verdict outcome() const { return forms == 0 ? affirm::Verdict::kUnknown : meet; }
  std::string Text() const {
    if (outcome() == affirm::Verdict::kRefuted) return "MISMATCH: a formula is not the code's";
    if (outcome() != affirm::Verdict::kProved) {
      return "UNKNOWN: a formula is not proved, or the code was compared with it nowhere";
    }
    return "the formulas are proved for all sizes that they name; the code's maps equal them at "
           "the " +
           std::to_string(sizes) + " sizes compared, " + std::to_string(with_elements) +
           " of them with elements";
  }
};

std::string ParametersOf(const SymbolicOp& op) {
  std::string text;
  for (const SizeParameter& p : op.parameters) {
    text += (text.empty() ? "" : ", ") + p.name;
    if (p.lower) text += " >= " + std::to_string(*p.lower);
  }
  return text;
}

// Certificates of a form whose formula is proved.
CertificatesCheck Certify(const SymbolicOp& op, const std::string& folder, Context& context) {
  CertificatesCheck certificates;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    auto text = CertifySymbolic(op, op.operands[k], context);
    llvm::Error error = text
                            ? WriteCertificateFile(folder, op.text + "." + std::to_string(k), *text)
                            : text.takeError();
    if (error)
      ++certificates.without[MessageOf(std::move(error))];
    else
      ++certificates.written;
  }
  return certificates;
}

FormReport Check(const SymbolicOp& op, const SymbolicQuery& query, Context& context,
                 const Budget& budget) {
  constexpr int64_t kInstances = 20;
  auto start = std::chrono::steady_clock::now();
  FormReport report;
  report.text = op.text;
  report.parameters = ParametersOf(op);
  report.answer = ProveSymbolic(op, context, budget);
  if (!query.certificates.empty() && report.answer.verdict == Verdict::kProved)
    report.certificates = Certify(op, query.certificates, context);
  for (const std::vector<int64_t>& values : InstanceParameters(op, kInstances)) {
    auto test = TestInstance(op, values, context);
    if (!test) continue;
    ++report.sizes;
    report.same += test->same;
    report.with_elements += test->same && test->has_elements;
    report.printed_alike += test->same && test->same_text;
    if (!test->same && report.problem.empty()) report.problem = test->problem;
  }
  std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  report.ms = ms.count();
  return report;
}

void PrintText(const FormReport& report, llvm::raw_ostream& os) {
  os << "  " << report.text << ": the formula " << Name(report.answer.verdict) << " for all "
     << report.parameters << " (" << report.answer.queries << " queries, " << Fixed(report.ms, 1)
     << " ms); the code's map and access relation equal it at " << report.same << " of "
     << report.sizes << " sizes compared, " << report.with_elements << " of them with elements, "
     << report.printed_alike << " printed alike\n";
  if (!report.answer.reason.empty()) os << "    " << report.answer.reason << "\n";
  if (!report.problem.empty()) os << "    " << report.problem << "\n";
  if (report.certificates.NumClaims() > 0) {
    os << "    of " << report.certificates.NumClaims() << " claims " << report.certificates.written
       << " have a certificate\n";
  }
}

void WriteJson(const FormReport& report, llvm::json::OStream& json) {
  json.object([&] {
    json.attribute("form", report.text);
    json.attributeObject("formula", [&] {
      json.attribute("verdict_for_all_sizes", Name(report.answer.verdict));
      json.attribute("sizes", report.parameters);
      json.attribute("queries", report.answer.queries);
      if (!report.answer.reason.empty()) json.attribute("reason", report.answer.reason);
    });
    json.attributeObject("code", [&] {
      json.attribute("sizes_compared", report.sizes);
      json.attribute("equal", report.same);
      json.attribute("with_elements", report.with_elements);
      json.attribute("printed_alike", report.printed_alike);
    });
    if (!report.problem.empty()) json.attribute("problem", JsonText(report.problem));
    if (report.certificates.NumClaims() > 0) WriteCertificates(json, report.certificates);
    WriteFixed(json, "ms", report.ms, 3);
  });
}

ReportRecord RecordOf(const FormReport& form, const std::string& scope) {
  ReportRecord record{.verdict = form.verdict(),
                      .claim = "formula",
                      .scope = scope,
                      .subject = form.text,
                      .text = "for all " + form.parameters,
                      .ms = form.ms,
                      .replay = "affirm check --symbolic " + scope};
  for (const std::string& why : {form.answer.reason, form.problem}) {
    if (!why.empty()) record.text += "; " + why;
  }
  if (form.verdict() == Verdict::kUnknown && form.with_elements == 0)
    record.text += "; the code was compared with it nowhere";
  return record;
}

}  // namespace

RunReport CheckSymbolic(const SymbolicQuery& query, const Budget& budget, ReportOutput output,
                        unsigned jobs) {
  const std::string scope = query.op + " --rank " + std::to_string(query.rank);
  RunReport report{.verb = "check",
                   .file = query.op,
                   .headline = query.op + " of rank " + std::to_string(query.rank)};
  Context names;
  int64_t forms = static_cast<int64_t>(SymbolicOps(query.op, query.rank, names).size());
  Totals totals;
  auto each = [&](llvm::function_ref<void(FormReport&)> write) {
    // Several forms share a context, which is one thread's own.
    constexpr int64_t kChunk = 16;
    OrderedParallelFor<std::vector<FormReport>>(
        jobs, (forms + kChunk - 1) / kChunk,
        [&](int64_t chunk) {
          Context context;
          std::vector<SymbolicOp> ops = SymbolicOps(query.op, query.rank, context);
          std::vector<FormReport> reports;
          for (int64_t i = chunk * kChunk; i < std::min((chunk + 1) * kChunk, forms); ++i) {
            reports.push_back(Check(ops[i], query, context, budget));
          }
          return reports;
        },
        [&](std::vector<FormReport>& reports) {
          for (FormReport& form : reports) {
            totals.Add(form);
            report.records.push_back(RecordOf(form, scope));
            write(form);
          }
        });
  };
  if (output == ReportOutput::kJson) {
    llvm::json::OStream os(llvm::outs(), 1);
    os.object([&] {
      os.attribute("op", query.op);
      os.attribute("rank", query.rank);
      os.attributeArray("forms", [&] { each([&](FormReport& r) { WriteJson(r, os); }); });
      os.attribute("verdict", totals.Text());
      os.attribute("status", StatusOf(totals.outcome()));
    });
    llvm::outs() << "\n";
  } else if (output == ReportOutput::kText) {
    llvm::outs() << query.op << " of rank " << query.rank << ": " << forms << " forms\n";
    each([&](FormReport& form) { PrintText(form, llvm::outs()); });
    if (!query.certificates.empty())
      llvm::outs() << "\ncertificates: " << CertificatesRow(totals.certificates).text << "\n";
    llvm::outs() << "\nverdict: " << totals.Text() << "\n";
  } else {
    each([](FormReport&) {});
  }
  report.coverage.push_back({"formulas", std::to_string(report.Count(Verdict::kProved)) + " of " +
                                             std::to_string(forms) +
                                             " are proved, and the code's"});
  if (!query.certificates.empty()) report.coverage.push_back(CertificatesRow(totals.certificates));
  report.outcome = totals.outcome();
  report.verdict = report.verdict_line = totals.Text();
  return report;
}

}  // namespace affirm::driver
