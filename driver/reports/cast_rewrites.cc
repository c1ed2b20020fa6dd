// Decides each rewrite of index casts at each width, and prints a row for each.
#include "driver/reports/cast_rewrites.h"

#include <optional>
#include <string>
#include <vector>

#include "driver/exit_status.h"
#include "driver/json_text.h"
#include "driver/progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/width/casts.h"

namespace affirm::driver {
namespace {

using Kind = CastRewrite::Kind;

constexpr unsigned kLeast = 8, kMost = 64;

// The answer for one rewrite, with or without `exact` on the inner cast.
struct Row {
  CastRewrite rewrite;
  std::vector<unsigned> sound_at;        // widths of 8 to 64 bits
  std::vector<unsigned> sound_at_least;  // n of 8, 16, 32, 64: for every width of at least n bits
  bool unknown = false;
  std::optional<CastCounterexample> counterexample;  // at the least width that has one

  bool SoundEverywhere() const {
    return sound_at.size() == kMost - kLeast + 1 && sound_at_least.size() == 4;
  }
};

// The RFC's claim: pairs of one kind, and constants, fold if the (inner) cast is exact.
bool IsClaimed(const Row& row) { return row.rewrite.exact_inner && !row.rewrite.mixed; }

Row MakeRow(const CastRewrite& rewrite, const DecideOptions& options) {
  Row row{.rewrite = rewrite, .sound_at = {}, .sound_at_least = {}, .counterexample = {}};
  auto sound = [&](IndexWidths widths) {
    CastResult answer = ProveCastRewrite(rewrite, widths, options);
    row.unknown |= answer.verdict == Verdict::kUnknown;
    if (!row.counterexample) row.counterexample = answer.counterexample;
    return answer.verdict == Verdict::kProved;
  };
  for (unsigned n = kLeast; n <= kMost; ++n) {
    if (sound(IndexWidths::Exactly(n))) row.sound_at.push_back(n);
  }
  for (unsigned n : {8u, 16u, 32u, 64u}) {
    // Index constants are written in 64 bits.
    bool constant = rewrite.kind == Kind::kConstant;
    if (sound(constant ? IndexWidths{n, kMost} : IndexWidths::AtLeast(n))) {
      row.sound_at_least.push_back(n);
    }
  }
  return row;
}

std::vector<Row> MakeRows(const DecideOptions& options) {
  std::vector<Row> rows;
  Progress progress;
  auto add = [&](Kind kind, bool is_unsigned, bool mixed) {
    for (bool from_index : {true, false}) {
      for (unsigned bits : {8u, 16u, 32u, 64u}) {
        for (bool exact : {false, true}) {
          CastRewrite rewrite{kind, is_unsigned, from_index, bits, exact};
          rewrite.mixed = mixed;
          progress.Show(ToString(rewrite));
          rows.push_back(MakeRow(rewrite, options));
        }
      }
    }
  };
  for (bool mixed : {false, true}) {
    for (bool is_unsigned : {false, true}) add(Kind::kCastOfCast, is_unsigned, mixed);
  }
  for (bool is_unsigned : {false, true}) add(Kind::kConstant, is_unsigned, false);
  return rows;
}

// For which iM the types alone make a cast exact, at each width from least to most.
struct TypesRow {
  bool is_unsigned = false, from_index = false;
  IndexWidths widths;
  std::vector<unsigned> exact_for;  // M of 8, 16, 32, 64
  bool unknown = false;

  std::string Cast() const {
    return std::string(is_unsigned ? "index_castui" : "index_cast") +
           (from_index ? ", index -> iM" : ", iM -> index");
  }
};

std::vector<TypesRow> MakeTypesRows(const DecideOptions& options) {
  std::vector<TypesRow> rows;
  const IndexWidths bounds[] = {
      IndexWidths::Exactly(32), IndexWidths::Exactly(64), {16, 32}, {16, 64}, {32, 64},
      IndexWidths::AtLeast(32)};
  for (bool is_unsigned : {false, true}) {
    for (bool from_index : {false, true}) {
      for (IndexWidths widths : bounds) {
        TypesRow row{is_unsigned, from_index, widths, {}, false};
        for (unsigned bits : {8u, 16u, 32u, 64u}) {
          Verdict verdict = ProveLossless(from_index, is_unsigned, bits, widths, options).verdict;
          if (verdict == Verdict::kProved) row.exact_for.push_back(bits);
          row.unknown |= verdict == Verdict::kUnknown;
        }
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

// "8 to 16, 32"
std::string Ranges(llvm::ArrayRef<unsigned> numbers) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    parts.push_back(std::to_string(numbers[i]) +
                    (end > i ? " to " + std::to_string(numbers[end]) : ""));
    i = end + 1;
  }
  return llvm::join(parts, ", ");
}

std::string AtLeast(llvm::ArrayRef<unsigned> numbers) {
  if (numbers.empty()) return "for no least width";
  return "for at least " + std::to_string(numbers.front()) + " bits";
}

void PrintRow(const Row& row) {
  if (!row.rewrite.exact_inner) llvm::outs() << ToString(row.rewrite) << "\n";
  llvm::outs() << (row.rewrite.exact_inner ? "  exact:    " : "  no exact: ");
  if (row.sound_at.empty()) {
    llvm::outs() << "unsound at 8 to 64 bits";
  } else {
    llvm::outs() << "sound at " << Ranges(row.sound_at) << " bits, " << AtLeast(row.sound_at_least);
  }
  llvm::outs() << (row.unknown ? " (something stayed unknown)\n" : "\n");
  if (row.counterexample) llvm::outs() << "    " << row.counterexample->ToString() << "\n";
}

std::string WidthsText(IndexWidths widths) {
  if (widths.most == widths.least) return std::to_string(widths.least) + " bits";
  std::string from = std::to_string(widths.least);
  return widths.most ? from + " to " + std::to_string(*widths.most) + " bits"
                     : "at least " + from + " bits";
}

void PrintTypesRow(const TypesRow& row) {
  std::vector<std::string> types;
  types.reserve(row.exact_for.size());
  for (unsigned bits : row.exact_for) types.push_back("i" + std::to_string(bits));
  llvm::outs() << "  " << row.Cast() << ", index of " << WidthsText(row.widths) << ": "
               << (types.empty() ? "none" : llvm::join(types, ", "))
               << (row.unknown ? " (something stayed unknown)\n" : "\n");
}

std::string RfcExample() {
  CastRewrite rewrite{.bits = 8};
  llvm::APInt x(16, 0x8000);
  CastSides sides = EvaluateCasts(rewrite, 16, x);
  return CastCounterexample{16, x, *sides.before, sides.after}.ToString();
}

void PrintJson(llvm::ArrayRef<Row> rows, llvm::ArrayRef<TypesRow> types) {
  llvm::json::OStream json(llvm::outs());
  auto numbers = [&](const char* name, llvm::ArrayRef<unsigned> of) {
    WriteValues(json, name, of);
  };
  auto write_rows = [&] {
    for (const Row& row : rows) {
      json.object([&] {
        json.attribute("rewrite", ToString(row.rewrite));
        json.attribute("exact", row.rewrite.exact_inner);
        numbers("sound_at", row.sound_at);
        numbers("sound_at_least", row.sound_at_least);
        json.attribute("unknown", row.unknown);
        if (row.counterexample) {
          json.attributeObject("counterexample", [&] {
            json.attribute("index_bits", static_cast<int64_t>(row.counterexample->index_bits));
            json.attribute("text", row.counterexample->ToString());
          });
        }
      });
    }
  };
  auto write_types = [&] {
    for (const TypesRow& row : types) {
      json.object([&] {
        json.attribute("cast", row.Cast());
        json.attribute("least", static_cast<int64_t>(row.widths.least));
        if (row.widths.most) json.attribute("most", static_cast<int64_t>(*row.widths.most));
        numbers("exact_for", row.exact_for);
        json.attribute("unknown", row.unknown);
      });
    }
  };
  json.object([&] {
    json.attributeArray("rewrites", write_rows);
    json.attributeArray("by_types", write_types);
  });
  llvm::outs() << "\n";
}

}  // namespace

int ReportCasts(ReportOutput output, const DecideOptions& options, RunReport& report) {
  std::vector<Row> rows = MakeRows(options);
  for (const Row& row : rows) {
    // Without `exact` most are wrong, and so are mixed pairs. They are not claimed to be right.
    if (!IsClaimed(row) && !row.unknown) continue;
    const bool refuted = IsClaimed(row) && row.counterexample;
    ReportRecord record{.verdict = refuted       ? Verdict::kRefuted
                                   : row.unknown ? Verdict::kUnknown
                                                 : Verdict::kProved,
                        .claim = "cast-rewrite",
                        .subject = ToString(row.rewrite)};
    if (row.counterexample) record.text = row.counterexample->ToString();
    if (row.unknown && record.text.empty()) record.text = "not decided at every width";
    report.records.push_back(std::move(record));
  }
  std::vector<TypesRow> types = MakeTypesRows(options);
  for (const TypesRow& row : types) {
    if (!row.unknown) continue;
    report.records.push_back({.verdict = Verdict::kUnknown,
                              .claim = "cast-rewrite",
                              .subject = row.Cast(),
                              .text = "not decided for every type of the index"});
  }
  if (output == ReportOutput::kJson) PrintJson(rows, types);
  if (output != ReportOutput::kText) return kSuccess;
  for (const Row& row : rows) PrintRow(row);
  auto sound = [](const Row& row) { return IsClaimed(row) && row.SoundEverywhere(); };
  auto mixed = [](const Row& row) { return row.rewrite.exact_inner && row.rewrite.mixed; };
  auto sound_mixed = [&](const Row& row) { return mixed(row) && row.SoundEverywhere(); };
  llvm::outs() << "\nwith exact on the (inner) cast, " << llvm::count_if(rows, sound) << " of "
               << llvm::count_if(rows, IsClaimed) << " are sound at every width, and "
               << llvm::count_if(rows, sound_mixed) << " of " << llvm::count_if(rows, mixed)
               << " pairs of different casts\n"
               << "without it, 0x8000 through i8: " << RfcExample() << "\n"
               << "\nexact by the types alone, for iM of\n";
  for (const TypesRow& row : types) PrintTypesRow(row);
  return kSuccess;
}

}  // namespace affirm::driver
