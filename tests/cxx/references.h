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
                                                    const std::vector<double>& x, int n, int m) {
  double result = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      result += y[i] * A[static_cast<std::size_t>(j) * n + i] * x[j];
    }
  }
  return {result};
}

/// examples/kernels/yax_fast.hip: A lies row by row. One number.
inline std::vector<double> yax_by_rows_reference(const std::vector<double>& y,
                                                 const std::vector<double>& A,
                                                 const std::vector<double>& x, int n, int m) {
  double result = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j) {
      result += y[i] * A[static_cast<std::size_t>(i) * m + j] * x[j];
    }
  }
  return {result};
}

/// transpose_naive.hip and transpose_shared.cu: columns x rows numbers.
inline std::vector<double> transpose_reference(const std::vector<double>& in, int rows,
                                               int columns) {
  std::vector<double> out(in.size());
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      out[static_cast<std::size_t>(column) * rows + row] =
          in[static_cast<std::size_t>(row) * columns + column];
    }
  }
  return out;
}

/// sgemm_tiled.hip: M x N numbers.
inline std::vector<double> sgemm_reference(const std::vector<double>& A,
                                           const std::vector<double>& B, int M, int N, int K) {
  std::vector<double> C(static_cast<std::size_t>(M) * N);
  for (int row = 0; row < M; ++row) {
    for (int column = 0; column < N; ++column) {
      double sum = 0;
      for (int k = 0; k < K; ++k) {
        sum +=
            A[static_cast<std::size_t>(row) * K + k] * B[static_cast<std::size_t>(k) * N + column];
      }
      C[static_cast<std::size_t>(row) * N + column] = sum;
    }
  }
  return C;
}

/// reduction.cu: one number.
inline std::vector<double> reduction_reference(const std::vector<double>& input, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += input[i];
  return {sum};
}

/// stencil_2d_hip.hip: rows x columns numbers; a neighbour outside counts as the cell itself.
inline std::vector<double> stencil_2d_reference(const std::vector<double>& in, int rows,
                                                int columns) {
  std::vector<double> out(in.size());
  const auto at = [&](int row, int column) {
    return in[static_cast<std::size_t>(row) * columns + column];
  };
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double here = at(row, column);
      const double up = row > 0 ? at(row - 1, column) : here;
      const double down = row < rows - 1 ? at(row + 1, column) : here;
      const double left = column > 0 ? at(row, column - 1) : here;
      const double right = column < columns - 1 ? at(row, column + 1) : here;
      out[static_cast<std::size_t>(row) * columns + column] =
          0.5 * here + 0.125 * (up + down + left + right);
    }
  }
  return out;
}

/// spmv_csr.hip: a number for each row. `offsets` and `columns` hold whole numbers.
inline std::vector<double> spmv_csr_reference(const std::vector<double>& offsets,
                                              const std::vector<double>& columns,
                                              const std::vector<double>& values,
                                              const std::vector<double>& x, int rows) {
  std::vector<double> y(rows);
  for (int row = 0; row < rows; ++row) {
    const auto end = static_cast<std::size_t>(offsets[row + 1]);
    for (auto i = static_cast<std::size_t>(offsets[row]); i < end; ++i) {
      y[row] += values[i] * x[static_cast<std::size_t>(columns[i])];
    }
  }
  return y;
}

/// histogram_shared.cu: how often each of `bins` numbers occurs.
inline std::vector<double> histogram_reference(const std::vector<double>& input, int count,
                                               int bins) {
  std::vector<double> counts(bins);
  for (int i = 0; i < count; ++i) counts[static_cast<std::size_t>(input[i])] += 1;
  return counts;
}

}  // namespace heddle::test
