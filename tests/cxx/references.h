// What the C++ kernels of examples are to compute, written the slow and obvious way: the twins that
// a traced run's memory is compared with.
//
//   std::vector<double> expected = yax_by_columns_reference(y, A, x, n, m);
//
// Rules
//   1. Inputs and outputs are numbers as they lie in memory, as doubles whatever the kernel's type.
//   2. Sums are made in double; kernels of float differ by their rounding.
//   3. Sizes are those of the kernel's parameters; vectors are as long as these say.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::test {

/// examples/kernels/yax_slow.hip: A lies column by column. One number.
inline std::vector<double> yax_by_columns_reference(const std::vector<double>& y,
                                                    const std::vector<double>& A,
                                                    const std::vector<double>& x, std::size_t n,
                                                    std::size_t m) {
  double result = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      result += y[i] * A[j * n + i] * x[j];
    }
  }
  return {result};
}

/// examples/kernels/yax_fast.hip: A lies row by row. One number.
inline std::vector<double> yax_by_rows_reference(const std::vector<double>& y,
                                                 const std::vector<double>& A,
                                                 const std::vector<double>& x, std::size_t n,
                                                 std::size_t m) {
  double result = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      result += y[i] * A[i * m + j] * x[j];
    }
  }
  return {result};
}

/// transpose_naive.hip and transpose_shared.cu: columns x rows numbers.
inline std::vector<double> transpose_reference(const std::vector<double>& in, std::size_t rows,
                                               std::size_t columns) {
  std::vector<double> out(in.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      out[column * rows + row] = in[row * columns + column];
    }
  }
  return out;
}

/// sgemm_tiled.hip: M x N numbers.
inline std::vector<double> sgemm_reference(const std::vector<double>& A,
                                           const std::vector<double>& B, std::size_t M,
                                           std::size_t N, std::size_t K) {
  std::vector<double> C(M * N);
  for (std::size_t row = 0; row < M; ++row) {
    for (std::size_t column = 0; column < N; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < K; ++k) {
        sum += A[row * K + k] * B[k * N + column];
      }
      C[row * N + column] = sum;
    }
  }
  return C;
}

/// reduction.cu: one number.
inline std::vector<double> reduction_reference(const std::vector<double>& input,
                                               std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += input[i];
  return {sum};
}

/// stencil_2d_hip.hip: rows x columns numbers; a neighbour outside counts as the cell itself.
inline std::vector<double> stencil_2d_reference(const std::vector<double>& in, std::size_t rows,
                                                std::size_t columns) {
  std::vector<double> out(in.size());
  const auto at = [&](std::size_t row, std::size_t column) { return in[row * columns + column]; };
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const double here = at(row, column);
      const double up = row > 0 ? at(row - 1, column) : here;
      const double down = row < rows - 1 ? at(row + 1, column) : here;
      const double left = column > 0 ? at(row, column - 1) : here;
      const double right = column < columns - 1 ? at(row, column + 1) : here;
      out[row * columns + column] = 0.5 * here + 0.125 * (up + down + left + right);
    }
  }
  return out;
}

/// spmv_csr.hip: a number for each row. `offsets` and `columns` hold whole numbers.
inline std::vector<double> spmv_csr_reference(const std::vector<double>& offsets,
                                              const std::vector<double>& columns,
                                              const std::vector<double>& values,
                                              const std::vector<double>& x, std::size_t rows) {
  std::vector<double> y(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto end = static_cast<std::size_t>(offsets[row + 1]);
    for (auto i = static_cast<std::size_t>(offsets[row]); i < end; ++i) {
      y[row] += values[i] * x[static_cast<std::size_t>(columns[i])];
    }
  }
  return y;
}

/// histogram_shared.cu: how often each of `bins` numbers occurs.
inline std::vector<double> histogram_reference(const std::vector<double>& input, std::size_t count,
                                               std::size_t bins) {
  std::vector<double> counts(bins);
  for (std::size_t i = 0; i < count; ++i) counts[static_cast<std::size_t>(input[i])] += 1;
  return counts;
}

}  // namespace heddle::test
