#include "driver/certificates.h"

#include <optional>
#include <utility>

#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "driver/errors.h"
#include "driver/output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

std::string AsFileName(llvm::StringRef name) {
  std::string file = name.str();
  for (char& c : file) {
    if (!llvm::isAlnum(c) && c != '.' && c != '_' && c != '-') c = '_';
  }
  return file;
}

llvm::Error MakeCertificateFolder(const std::string& folder) {
  if (folder.empty()) return llvm::Error::success();
  const std::error_code code = llvm::sys::fs::create_directories(folder);
  if (!code) return llvm::Error::success();
  return ErrorAt(folder, {}, "cannot write the certificates: " + code.message());
}

llvm::Error WriteCertificateFile(const std::string& folder, llvm::StringRef name,
                                 llvm::StringRef text) {
  const std::string path = folder + "/" + AsFileName(name) + ".cert";
  std::error_code code = llvm::sys::fs::create_directories(folder);
  if (!code) code = WriteTextFile(path, text.str());
  if (code) return ErrorAt(path, {}, "cannot write the certificate: " + code.message());
  return llvm::Error::success();
}

llvm::Error WriteCertificate(const std::string& folder, llvm::StringRef name,
                             llvm::Expected<std::string> certificate) {
  if (certificate) return WriteCertificateFile(folder, name, *certificate);
  llvm::errs() << name << ": note: " << MessageOf(certificate.takeError()) << "\n";
  return llvm::Error::success();
}

namespace {

// Whether an instruction ends with the line: its brackets close, outside of strings, and it does
// not go on behind a comma. A bracket too many closes a computation.
enum class End : uint8_t { kHere, kLater, kBeyond };
End EndOf(llvm::StringRef line) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) in_string = !in_string;
    if (in_string) continue;
    depth += llvm::StringRef("({[").contains(line[i]);
    depth -= llvm::StringRef(")}]").contains(line[i]);
    if (depth < 0) return End::kBeyond;
  }
  return depth == 0 && !in_string && !line.ends_with(",") ? End::kHere : End::kLater;
}

}  // namespace

HloLines::HloLines(llvm::StringRef text) {
  for (llvm::StringRef line : llvm::split(text, "\n")) lines_.push_back(line.trim().str());
}

std::string HloLines::Of(const hlo::Instruction& instruction) const {
  constexpr size_t kMostLines = 1000;
  const int64_t first = instruction.location.line;
  std::string text;
  // An instruction may go on on the next lines.
  for (size_t k = 0; k < kMostLines && first >= 1 && first + k <= lines_.size(); ++k) {
    text += (k > 0 ? " " : "") + lines_[static_cast<size_t>(first) - 1 + k];
    if (EndOf(text) != End::kLater) break;
  }
  llvm::StringRef rest = text;
  rest.consume_front("ROOT ");
  rest.consume_front("%");
  if (EndOf(text) == End::kHere && rest.consume_front(instruction.name) &&
      rest.ltrim().starts_with("=") && rest.contains(" " + instruction.opcode_text + "("))
    return text;
  return hlo::ToString(instruction);
}

namespace {

// The reader and the source, where the maps of an operand are about one computation.
ReadsClaim ClaimOf(const hlo::Instruction& instruction, int64_t id, size_t operand, int64_t leaf) {
  ReadsClaim claim{.reader = &instruction, .source = instruction.operands[operand], .maps = {}};
  claim.directly = instruction.opcode != hlo::Opcode::kFusion;
  if (!claim.directly) {
    claim.reader = instruction.called.front()->root;
    claim.source = instruction.called.front()->parameters[operand];
  }
  claim.reader_leaf = id;
  claim.source_leaf = leaf;
  return claim;
}

bool IsArray(const hlo::Shape& shape, int64_t leaf) {
  const hlo::Shape* of_leaf = hlo::LeafShape(shape, leaf);
  return of_leaf != nullptr && of_leaf->IsArray();
}

}  // namespace

std::optional<ReadsClaim> ReadsClaimOf(const hlo::Instruction& instruction, int64_t id,
                                       size_t operand, int64_t leaf,
                                       const InstructionIndexing& indexing) {
  ReadsClaim claim = ClaimOf(instruction, id, operand, leaf);
  if (!IsArray(claim.reader->shape, id) || !IsArray(claim.source->shape, leaf)) return std::nullopt;
  for (size_t j = 0; j < indexing.maps.size(); ++j) {
    // An array that is several operands is read as each of them.
    if (j != operand && (!claim.directly || instruction.operands[j] != claim.source)) continue;
    for (const LabeledMap& labeled : indexing.maps[j]) {
      if (labeled.leaf != leaf) continue;
      if (labeled.exactness == Exactness::kUnknown || labeled.replica_id) return std::nullopt;
      claim.maps.push_back(labeled.map);
      claim.exact &= labeled.exactness == Exactness::kExact;
    }
  }
  return claim;
}

llvm::Error WriteReadsCertificates(const std::string& folder, const HloLines& lines,
                                   const hlo::Instruction& instruction, int64_t id,
                                   const InstructionIndexing& indexing) {
  const std::string name =
      instruction.parent->name + "." + instruction.name + "." + std::to_string(id) + ".";
  for (size_t k = 0; k < indexing.maps.size() && k < instruction.operands.size(); ++k) {
    const bool is_tuple = instruction.operands[k]->shape.IsTuple();
    for (int64_t leaf = 0; leaf < hlo::NumLeaves(instruction.operands[k]->shape); ++leaf) {
      auto claim = ReadsClaimOf(instruction, id, k, leaf, indexing);
      if (!claim || (is_tuple && claim->maps.empty())) continue;
      auto certificate =
          CertifyReads(*claim, [&](const hlo::Instruction& line) { return lines.Of(line); });
      const std::string of_leaf = is_tuple ? "." + std::to_string(leaf) : "";
      if (auto error =
              WriteCertificate(folder, name + std::to_string(k) + of_leaf, std::move(certificate)))
        return error;
    }
  }
  return llvm::Error::success();
}

}  // namespace affirm::driver
