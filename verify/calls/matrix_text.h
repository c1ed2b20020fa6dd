// Lines of HLO about batches of matrices, [batch, rows, columns], in loops over rows or columns.
#ifndef AFFIRM_VERIFY_CALLS_MATRIX_TEXT_H_
#define AFFIRM_VERIFY_CALLS_MATRIX_TEXT_H_

#include "verify/calls/meaning_text.h"

namespace affirm::calls {

// f32 or f64.
bool IsReal(hlo::PrimitiveType type);

// An array of the element type of x; an array of indices.
hlo::Shape Like(const Value& x, std::vector<int64_t> dims);
hlo::Shape NumbersOf(std::vector<int64_t> dims);

// An array whose last two dimensions are matrices as [batch, rows, columns].
Value Matrices(Lines& lines, const Value& x);
// Row or column `at`, s32[], of each matrix, as [batch, elements].
Value RowOf(Lines& lines, const Value& a, const Value& at);
Value ColumnOf(Lines& lines, const Value& a, const Value& at);
// Element `at` of each row of [batch, elements], as often as `shape`, [batch, ...], has it.
Value ElementOf(Lines& lines, const Value& x, const Value& at, const hlo::Shape& shape);
// Whether the index in a dimension of an array of that shape is before (LT), at (EQ) or behind (GT)
// `at`: s32[], or an array of as many numbers.
Value Where(Lines& lines, const hlo::Shape& shape, int64_t dimension, llvm::StringRef direction,
            const Value& at);
// The sum, or the combination by another op from another number, over a dimension.
Value Sum(Lines& lines, const Value& x, int64_t dimension, hlo::Opcode combine = hlo::Opcode::kAdd,
          double from = 0);
// [batch, rows, columns] with ones on the diagonal; or where that is.
Value Identity(Lines& text, const hlo::Shape& shape);
Value IsDiagonal(Lines& text, const hlo::Shape& shape);
// The products of the matrices of two batches.
Value Product(Lines& lines, const Value& a, const Value& b);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_MATRIX_TEXT_H_
