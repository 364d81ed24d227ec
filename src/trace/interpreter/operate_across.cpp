// Operations that combine elements along an axis: whole blocks, lane by lane.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "config/rounding.h"
#include "trace/interpreter/lanes.h"
#include "trace/interpreter/operate.h"

namespace heddle::trace::interpreter {
namespace {

using kernel::Reduction;

/// A block seen along one axis: lines of `extent` elements that are `inner` apart.
struct Lines {
  std::int64_t outer = 1;
  std::int64_t extent = 1;
  std::int64_t inner = 1;

  Lines(const std::vector<std::int64_t>& shape, std::size_t axis) {
    for (std::size_t k = 0; k < axis; ++k) outer *= shape[k];
    extent = shape[axis];
    for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
  }
  std::int64_t count() const { return outer * inner; }
  /// The first element of a line.
  std::int64_t start(std::int64_t line) const {
    return line / inner * inner * extent + line % inner;
  }
};

std::int64_t combine(Reduction reduction, std::int64_t a, std::int64_t b, const IntegerType& type,
                     ArithmeticNote& note) {
  switch (reduction) {
    case Reduction::sum:
      return compute<Opcode::add>(a, b, type, note);
    case Reduction::product:
      return compute<Opcode::multiply>(a, b, type, note);
    case Reduction::minimum:
    case Reduction::arg_minimum:
      return compute<Opcode::minimum>(a, b, type, note);
    case Reduction::maximum:
    case Reduction::arg_maximum:
      return compute<Opcode::maximum>(a, b, type, note);
    case Reduction::bit_and:
      return a & b;
    case Reduction::bit_or:
      return a | b;
    case Reduction::bit_xor:
      return a ^ b;
  }
  return a;
}

double combine(Reduction reduction, double a, double b, DType type) {
  switch (reduction) {
    case Reduction::sum:
      return config::round_to(type, a + b);
    case Reduction::product:
      return config::round_to(type, a * b);
    case Reduction::minimum:
    case Reduction::arg_minimum:
      return std::fmin(a, b);
    case Reduction::maximum:
    case Reduction::arg_maximum:
      return std::fmax(a, b);
    default:
      throw Error("a bitwise reduction of floating values");
  }
}

/// The least or greatest of a line; the first of equals.
template <class T, class Less>
std::int64_t extreme_at(const T* line, const Lines& lines, Less less) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < lines.extent; ++i) {
    if (less(line[i * lines.inner], line[best * lines.inner])) best = i;
  }
  return best;
}

void reduce_to_index(Context& context, const Step& step, const Lines& lines, bool greatest) {
  const Value& a = *step.a;
  Value& out = *step.out;
  const Domain from = whole_of(*a.type);
  const Domain to = whole_of(*out.type);
  std::int64_t* result = write_integers(context, out, to);
  if (a.type->family == Family::real) {
    const double* reals = read_reals(context, a, *a.type, from, 0);
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      result[line] = extreme_at(reals + lines.start(line), lines,
                                [&](double x, double y) { return greatest ? x > y : x < y; });
    }
  } else {
    const std::int64_t* integers = read_integers(context, a, *a.type, from, 0);
    const IntegerType& type = a.type->integers;
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      result[line] =
          extreme_at(integers + lines.start(line), lines, [&](std::int64_t x, std::int64_t y) {
            return greatest ? detail::is_less(y, x, type) : detail::is_less(x, y, type);
          });
    }
  }
  finish_integers(context, out, to);
}

/// Calls store(line, i, running value) for every element of every line, in order of the scan.
template <class Store>
void run_integers(Context& context, const Step& step, const Lines& lines, bool backwards,
                  Store store) {
  const Value& a = *step.a;
  const auto reduction = static_cast<Reduction>(step.integers[0]);
  const IntegerType& type = step.out->type->integers;
  const std::int64_t* from = read_integers(context, a, *a.type, whole_of(*a.type), 0);
  ArithmeticNote note;
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    const std::int64_t start = lines.start(line);
    std::int64_t running = 0;
    for (std::int64_t k = 0; k < lines.extent; ++k) {
      const std::int64_t i = backwards ? lines.extent - 1 - k : k;
      const std::int64_t value = type.wrap(from[start + i * lines.inner]);
      running = k == 0 ? value : combine(reduction, running, value, type, note);
      store(line, start + i * lines.inner, running);
    }
  }
  context.record(note);
}

template <class Store>
void run_reals(Context& context, const Step& step, const Lines& lines, bool backwards,
               Store store) {
  const Value& a = *step.a;
  const auto reduction = static_cast<Reduction>(step.integers[0]);
  const double* from = read_reals(context, a, *a.type, whole_of(*a.type), 0);
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    const std::int64_t start = lines.start(line);
    double running = 0;
    for (std::int64_t k = 0; k < lines.extent; ++k) {
      const std::int64_t i = backwards ? lines.extent - 1 - k : k;
      const double value = from[start + i * lines.inner];
      running = k == 0 ? value : combine(reduction, running, value, step.out->type->element);
      store(line, start + i * lines.inner, running);
    }
  }
}

/// A reduction keeps the last value of each line, a scan all of them.
void run(Context& context, const Step& step, bool keeps_all, bool backwards) {
  Value& out = *step.out;
  const Lines lines(step.a->type->shape, static_cast<std::size_t>(step.integers[1]));
  const Domain to = whole_of(*out.type);
  context.spend_elements(step.a->type->elements);
  const auto place = [&](auto* result) {
    return [result, keeps_all](std::int64_t line, std::int64_t element, auto value) {
      using Entry = std::remove_pointer_t<decltype(result)>;
      result[keeps_all ? element : line] = static_cast<Entry>(value);
    };
  };
  switch (out.type->family) {
    case Family::integer:
      run_integers(context, step, lines, backwards, place(write_integers(context, out, to)));
      return finish_integers(context, out, to);
    case Family::boolean:
      run_integers(context, step, lines, backwards, place(write_flags(context, out, to)));
      return finish_flags(context, out, to);
    case Family::real:
      run_reals(context, step, lines, backwards, place(write_reals(context, out, to)));
      return finish_reals(context, out, to);
  }
}

/// The least or greatest element along an axis of a separable block: that of the term.
bool reduce_term(const Value& a, Reduction reduction, int axis, Value& out) {
  const bool least = reduction == Reduction::minimum;
  if (!a.is_separable() || (!least && reduction != Reduction::maximum)) return false;
  if (a.type->axes == 0 || out.type->family != Family::integer) return false;
  const Term& gone = a.terms[axis];
  std::int64_t base = 0;
  if (__builtin_add_overflow(a.base, least ? gone.low : gone.high, &base)) return false;
  std::int64_t low = base;
  std::int64_t high = base;
  for (int k = 0; k < out.type->axes; ++k) {
    const Term& term = a.terms[k < axis ? k : k + 1];
    out.terms[k] = term;
    if (__builtin_add_overflow(low, term.low, &low) ||
        __builtin_add_overflow(high, term.high, &high)) {
      return false;
    }
    if (term.table == nullptr) continue;
    std::int64_t* table = out.axis_table(k);
    std::copy_n(term.table, out.type->extents[k], table);
    out.terms[k].table = table;
  }
  out.form = Form::integer;
  out.tensor = -1;
  out.base = base;
  out.low = low;
  out.high = high;
  return true;
}

}  // namespace

void reduce(Context& context, const Step& step) {
  const auto reduction = static_cast<Reduction>(step.integers[0]);
  const auto axis = static_cast<int>(step.integers[1]);
  if (reduction == Reduction::arg_minimum || reduction == Reduction::arg_maximum) {
    const Lines lines(step.a->type->shape, static_cast<std::size_t>(axis));
    context.spend_elements(step.a->type->elements);
    return reduce_to_index(context, step, lines, reduction == Reduction::arg_maximum);
  }
  if (reduce_term(*step.a, reduction, axis, *step.out)) return;
  run(context, step, false, false);
}

void scan(Context& context, const Step& step) {
  run(context, step, true, step.integers.size() > 2 && step.integers[2] != 0);
}

namespace {

/// Sorts every line of `from` into `to`.
template <class T, class Less>
void sort_lines(const T* from, T* to, const Lines& lines, bool descending, Less less) {
  std::vector<T> line(static_cast<std::size_t>(lines.extent));
  for (std::int64_t k = 0; k < lines.count(); ++k) {
    const std::int64_t start = lines.start(k);
    for (std::size_t i = 0; i < line.size(); ++i)
      line[i] = from[start + static_cast<std::int64_t>(i) * lines.inner];
    std::ranges::stable_sort(
        line, [&](const T& x, const T& y) { return descending ? less(y, x) : less(x, y); });
    for (std::size_t i = 0; i < line.size(); ++i)
      to[start + static_cast<std::int64_t>(i) * lines.inner] = line[i];
  }
}

}  // namespace

void sort(Context& context, const Step& step) {
  const Value& a = *step.a;
  Value& out = *step.out;
  const Lines lines(a.type->shape, static_cast<std::size_t>(step.integers[0]));
  const bool descending = step.integers[1] != 0;
  const Domain whole = whole_of(*out.type);
  switch (out.type->family) {
    case Family::integer:
      sort_lines(read_integers(context, a, *a.type, whole, 0), write_integers(context, out, whole),
                 lines, descending, [&](std::int64_t x, std::int64_t y) {
                   return detail::is_less(x, y, out.type->integers);
                 });
      return finish_integers(context, out, whole);
    case Family::boolean:
      sort_lines(read_flags(context, a, *a.type, whole, 0), write_flags(context, out, whole), lines,
                 descending, std::less<>());
      return finish_flags(context, out, whole);
    case Family::real:
      // NaNs last, so that the order is one.
      sort_lines(read_reals(context, a, *a.type, whole, 0), write_reals(context, out, whole), lines,
                 descending,
                 [](double x, double y) { return std::isnan(y) ? !std::isnan(x) : x < y; });
      return finish_reals(context, out, whole);
  }
}

void gather_along(Context& context, const Step& step) {
  const Value& source = *step.a;
  Value& out = *step.out;
  const auto axis = static_cast<std::size_t>(step.integers[0]);
  const Lines lines(source.type->shape, axis);
  const Lines result_lines(out.type->shape, axis);
  const Domain from = whole_of(*source.type);
  const Domain to = whole_of(*out.type);
  const std::int64_t* index = read_integers(context, *step.b, *out.type, to, 1);
  std::int64_t outside = -1;  // the first bad index, as its place in `index`
  const auto pick = [&](const auto* elements, auto* result) {
    for (std::int64_t line = 0; line < result_lines.count(); ++line) {
      for (std::int64_t k = 0; k < result_lines.extent; ++k) {
        const std::int64_t at = result_lines.start(line) + k * result_lines.inner;
        const bool inside = index[at] >= 0 && index[at] < lines.extent;
        if (!inside && outside < 0) outside = at;
        result[at] = inside ? elements[lines.start(line) + index[at] * lines.inner] : 0;
      }
    }
  };
  switch (out.type->family) {
    case Family::integer:
      pick(read_integers(context, source, *source.type, from, 0), write_integers(context, out, to));
      finish_integers(context, out, to);
      break;
    case Family::boolean:
      pick(read_flags(context, source, *source.type, from, 0), write_flags(context, out, to));
      finish_flags(context, out, to);
      break;
    case Family::real:
      pick(read_reals(context, source, *source.type, from, 0), write_reals(context, out, to));
      finish_reals(context, out, to);
      break;
  }
  if (outside >= 0) {
    context.record(Fault::Kind::out_of_bounds, [&] {
      return fmt::format("gathers element {} of {}", index[outside], lines.extent);
    });
  }
}

void histogram(Context& context, const Step& step) {
  const Value& a = *step.a;
  Value& out = *step.out;
  const Domain from = whole_of(*a.type);
  const Domain to = whole_of(*out.type);
  const std::int64_t* values = read_integers(context, a, *a.type, from, 0);
  const std::uint8_t* mask =
      step.b == nullptr ? nullptr : read_flags(context, *step.b, *a.type, from, 1);
  std::int64_t* result = write_integers(context, out, to);
  std::fill_n(result, to.size, std::int64_t{0});
  for (std::int64_t i = 0; i < from.size; ++i) {
    if (mask != nullptr && mask[i] == 0) continue;
    if (values[i] >= 0 && values[i] < to.size) ++result[values[i]];
  }
  finish_integers(context, out, to);
}

void dot(Context& context, const Step& step) {
  const Value& a = *step.a;
  const Value& b = *step.b;
  Value& out = *step.out;
  const std::size_t rank = out.type->shape.size();
  const std::int64_t rows = out.type->shape[rank - 2];
  const std::int64_t columns = out.type->shape[rank - 1];
  const std::int64_t depth = a.type->shape[rank - 1];
  const Domain to = whole_of(*out.type);
  context.spend_elements(out.type->elements * depth);
  const double* x = read_reals(context, a, *a.type, whole_of(*a.type), 0);
  const double* y = read_reals(context, b, *b.type, whole_of(*b.type), 1);
  const double* added =
      step.c == nullptr ? nullptr : read_reals(context, *step.c, *out.type, to, 2);
  double* sums = context.scratch.reals(3, to.size);
  for (std::int64_t i = 0; i < to.size; ++i) {
    const std::int64_t batch = i / (rows * columns);
    const double* row = x + (batch * rows + i / columns % rows) * depth;
    const double* column = y + batch * depth * columns + i % columns;
    double total = added == nullptr ? 0 : added[i];
    for (std::int64_t k = 0; k < depth; ++k) total += row[k] * column[k * columns];
    sums[i] = total;
  }
  if (out.type->family == Family::real) {
    double* result = write_reals(context, out, to);
    std::transform(sums, sums + to.size, result,
                   [&](double sum) { return config::round_to(out.type->element, sum); });
    return finish_reals(context, out, to);
  }
  // Sums of products of 8-bit integers are exact in double.
  std::int64_t* result = write_integers(context, out, to);
  std::transform(sums, sums + to.size, result,
                 [&](double sum) { return out.type->integers.wrap(config::truncate(sum)); });
  finish_integers(context, out, to);
}

}  // namespace heddle::trace::interpreter
