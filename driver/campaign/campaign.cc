// Runs the inputs of a campaign in isolated processes, counts what came of them, reduces findings.
#include "driver/campaign/campaign.h"

#include <chrono>
#include <fstream>

#include "driver/campaign/isolated_process.h"
#include "driver/progress.h"
#include "fuzz/generators/choices.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

namespace affirm::driver {
namespace {

constexpr size_t kBytes = 2048;  // of choices

// An outcome as text and back, for the way out of a process.
std::string Pack(const Outcome& outcome) {
  std::string packed(1, static_cast<char>('0' + static_cast<int>(outcome.kind)));
  packed += outcome.bucket + '\0' + outcome.text;
  for (const std::string& note : outcome.notes) packed += '\0' + note;
  return packed;
}

Outcome Unpack(const ProcessOutcome& outcome, int cpu_seconds) {
  if (outcome.kind == ProcessOutcome::Kind::kHang) {
    std::string text = "more than " + std::to_string(cpu_seconds) + " s of processor time";
    return {Outcome::Kind::kHang, text, text};
  }
  if (outcome.kind == ProcessOutcome::Kind::kCrash) {
    return {Outcome::Kind::kCrash, outcome.text, "the process ended with " + outcome.text};
  }
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(outcome.text).split(parts, '\0');
  if (outcome.text.empty() || parts.size() < 2) {
    return {Outcome::Kind::kCrash, "no answer", "the process gave no answer"};
  }
  Outcome unpacked{static_cast<Outcome::Kind>(outcome.text[0] - '0'), parts[0].drop_front().str(),
                   parts[1].str()};
  for (llvm::StringRef note : llvm::ArrayRef(parts).drop_front(2))
    unpacked.notes.push_back(note.str());
  return unpacked;
}

class Campaign {
 public:
  Campaign(FuzzTarget& target, const CampaignOptions& options)
      : target_(target), options_(options), numbers_(options.shard, options.first, options.runs) {
    report_.target = options.target;
    report_.seed = options.seed;
    report_.asked = options.asked;
  }

  CampaignReport Run() {
    const size_t batch = target_.batch() > 0 ? target_.batch() : numbers_.size();
    bool more = true;
    for (size_t first = 0; more && first < numbers_.size(); first += batch) {
      const size_t count = std::min(batch, numbers_.size() - first);
      if (target_.batch() > 0) Prepare(first, count);
      more = RunInputs(first, count);
    }
    for (auto& [key, bucket] : report_.buckets) {
      progress_.Show("reducing: " + key.second);
      const bool reduces = options_.reduce && target_.ReducesUnknown();
      if (bucket.kind != Outcome::Kind::kUnknown || reduces) Explain(key.second, bucket);
    }
    return std::move(report_);
  }

 private:
  // Checks some inputs. False where that is enough.
  bool RunInputs(size_t first, size_t count) {
    bool more = true;
    RunIsolated(
        count, target_.cpu_seconds(),
        [&](uint64_t i) {
          return Pack(target_.Check(target_.Generate(BytesOf(options_.seed, numbers_[first + i]))));
        },
        [&](uint64_t i, const ProcessOutcome& process) {
          Count(numbers_[first + i], Unpack(process, target_.cpu_seconds()));
          progress_.Show(llvm::Twine(first + i + 1) + " of " + llvm::Twine(numbers_.size()) + ", " +
                         llvm::Twine(report_.buckets.size()) + " causes");
          more = options_.max_findings == 0 || NumFindings() < options_.max_findings;
          std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
          more = more && (options_.max_seconds == 0 || spent.count() < options_.max_seconds);
          return more;
        });
    return more;
  }

  // In a process as well, for it generates the inputs.
  void Prepare(size_t first, size_t count) {
    RunIsolated(
        1, target_.cpu_seconds(),
        [&](uint64_t) {
          std::vector<std::string> texts;
          for (size_t i = first; i < first + count; ++i)
            texts.push_back(target_.Generate(BytesOf(options_.seed, numbers_[i])));
          target_.Prepare(texts);
          return std::string();
        },
        [](uint64_t, const ProcessOutcome&) { return true; });
  }

  int64_t NumFindings() const {
    return report_.Count(Outcome::Kind::kFinding) + report_.Count(Outcome::Kind::kCrash) +
           report_.Count(Outcome::Kind::kHang);
  }

  void Count(uint64_t number, const Outcome& outcome) {
    ++report_.runs;
    for (const std::string& note : outcome.notes) ++report_.notes[note];
    if (outcome.kind == Outcome::Kind::kFine) {
      ++report_.fine;
      return;
    }
    Bucket& bucket = report_.buckets[{outcome.kind, outcome.bucket}];
    if (bucket.count++ > 0) return;
    bucket.kind = outcome.kind;
    bucket.first = number;
    bucket.text = outcome.text;
  }

  Outcome CheckAlone(const std::string& text) {
    Outcome outcome;
    RunIsolated(
        1, target_.cpu_seconds(), [&](uint64_t) { return Pack(target_.Check(text)); },
        [&](uint64_t, const ProcessOutcome& process) {
          outcome = Unpack(process, target_.cpu_seconds());
          return true;
        });
    return outcome;
  }

  // The input that the bytes give; empty if generating it crashes.
  std::string GenerateAlone(const std::vector<uint8_t>& bytes) {
    std::string text;
    RunIsolated(
        1, target_.cpu_seconds(), [&](uint64_t) { return target_.Generate(bytes); },
        [&](uint64_t, const ProcessOutcome& process) {
          if (process.kind == ProcessOutcome::Kind::kDone) text = process.text;
          return true;
        });
    return text;
  }

  // Reduces the first input of a bucket and writes it down.
  void Explain(const std::string& name, Bucket& bucket) {
    std::vector<uint8_t> bytes = BytesOf(options_.seed, bucket.first);
    std::string text = GenerateAlone(bytes);
    if (text.empty()) return;
    bool alike = true;
    auto is_interesting = [&](const std::string& candidate) {
      Outcome outcome = CheckAlone(candidate);
      return outcome.kind == bucket.kind && outcome.bucket == name;
    };
    if (options_.reduce) {
      alike = is_interesting(text);
      if (alike) text = target_.Reduce(text, bytes, is_interesting);
    }
    Outcome outcome = CheckAlone(text);
    if (alike && !outcome.text.empty()) bucket.text = outcome.text;
    if (bucket.kind != Outcome::Kind::kUnknown) bucket.file = Write(bucket, text);
  }

  std::string Write(const Bucket& bucket, const std::string& text) {
    if (options_.out.empty()) return "";
    if (llvm::sys::fs::create_directories(options_.out)) return "";
    std::string hash = llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
    std::string path = options_.out + "/" + options_.target + "_" + driver::Name(bucket.kind) +
                       "_" + hash.substr(0, 8) + "." + target_.extension();
    std::ofstream file(path, std::ios::binary);
    std::string said = bucket.text;
    for (size_t i = 0; (i = said.find('\n', i)) != std::string::npos; i += 4) {
      said.replace(i, 1, "\n//   ");
    }
    file << "// " << said << "\n// found by: " << report_.ReplayOf(bucket) << "\n";
    std::string replay = target_.Replay(path);
    if (!replay.empty()) file << "// replay: " << replay << "\n";
    file << text;
    return path;
  }

  FuzzTarget& target_;
  const CampaignOptions& options_;
  const ShardNumbers numbers_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  CampaignReport report_;
};

}  // namespace

std::vector<uint8_t> BytesOf(uint64_t seed, uint64_t index) {
  // A stream of its own for each number.
  std::vector<uint8_t> start = fuzz::SeededBytes(seed ^ (index * 0x9e3779b97f4a7c15ULL), 8);
  uint64_t state = 0;
  for (uint8_t byte : start) state = (state << 8) | byte;
  return fuzz::SeededBytes(state + seed, kBytes);
}

CampaignReport RunCampaign(FuzzTarget& target, const CampaignOptions& options) {
  return Campaign(target, options).Run();
}

}  // namespace affirm::driver
