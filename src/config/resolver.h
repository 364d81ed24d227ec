// The names of a job while their expressions are evaluated: each once, when first asked for.
// For resolve.cpp only; see job.h for the rules.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "config/expression.h"
#include "config/job.h"

namespace heddle::config {

class Resolver : public Names {
 public:
  Resolver(const Job& job, const std::vector<NamedValue>& defaults);

  std::optional<Value> find(const std::string& name) override;
  std::vector<std::string> all() const override;
  std::vector<std::int64_t> shape(TensorReference tensor) override;
  std::vector<std::int64_t> strides(TensorReference tensor) override;
  std::int64_t element_bytes(TensorReference tensor) override;
  std::int64_t csr_nonzeros(std::int64_t rows, std::int64_t columns, double density,
                            std::uint64_t seed) override;

  /// The value of an expression; an error gets its place and quotes it.
  Value value(const Written& written);
  /// Does something with a written value: an error without a place gets this one.
  void at_place(const Written& written, const std::function<void()>& action) const;
  /// None negative; `what` is one of them in messages.
  std::vector<std::int64_t> integers(const WrittenList& list, const std::string& what);

 private:
  struct Slot {
    const Written* written = nullptr;  ///< null: value is known
    Value value;
    bool is_constexpr = false;
  };
  /// A value that is computed once. `name` is what a circle is reported with.
  template <class Item>
  const Item& once(std::map<std::string, Item>& known, const std::string& name,
                   const std::function<Item()>& compute);
  std::vector<std::int64_t> compute_strides(std::size_t index);

  const Job& job_;
  std::map<std::string, Slot> slots_;
  std::vector<std::string> order_;  ///< of the names, for hints
  std::map<std::string, Value> values_;
  std::map<std::string, std::vector<std::int64_t>> lists_;
  std::vector<std::string> active_;  ///< what is being computed, outermost first
  std::map<std::tuple<std::int64_t, std::int64_t, double, std::uint64_t>, std::int64_t> nonzeros_;
};

}  // namespace heddle::config
