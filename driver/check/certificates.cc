// Certificates of the claims about maps that a check proves.
#include "driver/certificates.h"

#include <set>

#include "core/hlo/text.h"
#include "driver/check/steps.h"
#include "driver/errors.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/prover/certify_maps.h"

namespace affirm::driver {

int64_t CertificatesCheck::NumClaims() const {
  int64_t claims = written;
  for (const auto& [why, count] : without) claims += count;
  return claims;
}

void CertificatesCheck::Add(const CertificatesCheck& more) {
  written += more.written;
  for (const auto& [why, count] : more.without) without[why] += count;
  if (problem.empty()) problem = more.problem;
}

CertificatesCheck CertificatesCheck::Since(const CertificatesCheck& before) const {
  CertificatesCheck since{written - before.written, {}, problem};
  for (const auto& [why, count] : without) {
    const auto known = before.without.find(why);
    const int64_t more = count - (known == before.without.end() ? 0 : known->second);
    if (more > 0) since.without[why] = more;
  }
  return since;
}

std::unique_ptr<CertificateFolder> CertificatesOf(const std::string& folder, llvm::StringRef file,
                                                  size_t number, llvm::StringRef text) {
  if (folder.empty()) return nullptr;
  std::string path = folder + "/" + AsFileName(file);
  if (number > 0) path += "." + std::to_string(number);
  return std::make_unique<CertificateFolder>(CertificateFolder{std::move(path), HloLines(text)});
}

namespace {

// Writes the certificate, or counts why there is none, without the name of an instruction.
void Write(State& state, const std::string& name, llvm::Expected<std::string> certificate) {
  CertificatesCheck& all = *state.report.certificates;
  if (!certificate) {
    const std::string why = MessageOf(certificate.takeError());
    llvm::StringRef rest = why;
    rest.consume_front("no certificate: ");
    ++all.without[rest.substr(0, rest.find(", in '")).str()];
    return;
  }
  llvm::Error error = WriteCertificateFile(state.certificates->path, name, *certificate);
  if (!error) {
    ++all.written;
    return;
  }
  const std::string problem = MessageOf(std::move(error));
  if (all.problem.empty()) all.problem = problem;
}

void WriteReads(State& state, const std::string& name, const std::optional<ReadsClaim>& claim) {
  if (!claim) {
    ++state.report.certificates->without["the claim is about tuples or about several devices"];
    return;
  }
  // A computation that the check made has no lines in the file.
  const auto line_of = [&](const hlo::Instruction& instruction) {
    const bool is_of_module = llvm::any_of(state.module.computations, [&](const auto& known) {
      return known.get() == instruction.parent;
    });
    return is_of_module ? state.certificates->lines.Of(instruction) : hlo::ToString(instruction);
  };
  Write(state, name, affirm::CertifyReads(*claim, line_of));
}

// COMPUTATION.INSTRUCTION.OUTPUT.OPERAND, with the number of the array of an operand that is a
// tuple.
std::string NameOf(const hlo::Instruction& instruction, int64_t output, int64_t operand,
                   int64_t leaf) {
  std::string name = instruction.parent != nullptr ? instruction.parent->name + "." : "";
  name += instruction.name + "." + std::to_string(output) + "." + std::to_string(operand);
  if (instruction.operands[operand]->shape.IsTuple()) name += "." + std::to_string(leaf);
  return name;
}

}  // namespace

void CertifyLeafReads(State& state, const hlo::Instruction& instruction, int64_t output,
                      int64_t operand, int64_t leaf, const InstructionIndexing& indexing,
                      llvm::StringRef kind) {
  if (state.certificates == nullptr) return;
  WriteReads(state, NameOf(instruction, output, operand, leaf) + kind.str(),
             ReadsClaimOf(instruction, output, static_cast<size_t>(operand), leaf, indexing));
}

void CertifyReads(State& state, const hlo::Instruction& instruction, int64_t output,
                  int64_t operand, const InstructionIndexing& indexing, llvm::StringRef kind) {
  std::set<int64_t> leaves;
  for (const LabeledMap& map : indexing.maps[operand]) leaves.insert(map.leaf);
  for (int64_t leaf : leaves)
    CertifyLeafReads(state, instruction, output, operand, leaf, indexing, kind);
}

void CertifyInverses(State& state, const hlo::Instruction& fusion, int64_t output, int64_t operand,
                     const std::vector<LabeledMap>& inverses) {
  InstructionIndexing indexing;
  indexing.maps.resize(fusion.operands.size());
  indexing.maps[operand] = inverses;
  CertifyReads(state, fusion, output, operand, indexing, ".composed.inverse");
}

void CertifySimplification(State& state, const std::string& name, const IndexingMap& before,
                           const IndexingMap& after) {
  if (state.certificates == nullptr) return;
  Write(state, name, CertifyEqual(before, after));
}

void CertifyBijection(State& state, const std::string& name, const IndexingMap& map,
                      llvm::ArrayRef<int64_t> shape) {
  if (state.certificates == nullptr) return;
  Write(state, name, affirm::CertifyBijection(map, shape));
}

}  // namespace affirm::driver
