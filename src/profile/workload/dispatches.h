// Rows of a table of counters as dispatches: ids, kernels, GPUs, times.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/workload/counter_table.h"
#include "results/panel.h"

namespace heddle::profile {

/// A text that many dispatches have: they share it. As small as a pointer, for there may be millions.
class SharedName {
 public:
  SharedName() = default;
  SharedName(std::string text)  // NOLINT(google-explicit-constructor): it is one
      : text_(text.empty() ? nullptr : new Counted{std::move(text), 1}) {}
  SharedName(const SharedName& other) : text_(other.text_) {
    if (text_ != nullptr) text_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedName(SharedName&& other) noexcept : text_(std::exchange(other.text_, nullptr)) {}
  SharedName& operator=(SharedName other) noexcept {
    std::swap(text_, other.text_);
    return *this;
  }
  ~SharedName() {
    if (text_ != nullptr && text_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete text_;
  }

  const std::string& text() const {
    static const std::string kNone;
    return text_ != nullptr ? text_->text : kNone;
  }
  operator const std::string&() const { return text(); }  // NOLINT(google-explicit-constructor)
  bool empty() const { return text_ == nullptr; }
  friend bool operator==(const SharedName& a, const SharedName& b) {
    return a.text_ == b.text_ || a.text() == b.text();
  }
  friend bool operator==(const SharedName& a, std::string_view b) { return a.text() == b; }

 private:
  struct Counted {
    std::string text;
    std::atomic<std::size_t> owners;
  };
  Counted* text_ = nullptr;
};

/// One dispatch: a row of pmc_perf.csv.
struct Dispatch {
  std::uint32_t row = 0;
  bool rounded_time = false;  ///< a timestamp has fewer digits than its nanoseconds
  std::int64_t id = 0;        ///< Dispatch_ID; the row where there is none
  SharedName kernel;          ///< as recorded, any bytes
  SharedName gpu;             ///< GPU_ID, as recorded; "2" for "2.0"
  SharedName node;            ///< of several (nodes.h); else empty
  std::optional<double> duration_ns;
};

/// Of all kernels together.
inline constexpr std::size_t kMostKernelNameBytes = std::size_t{512} << 20;

/// Rows that are not damaged. An Error beyond kMostKernelNameBytes. `shown` is what notes call the table.
std::vector<Dispatch> read_dispatches(const CounterTable& table, const std::string& shown,
                                      std::vector<ProfileNote>& notes);

/// As rocprofiler-compute numbers what it recorded counter by counter: dispatches from 0 on in the
/// order of their ids, GPUs from 0 on in the order of theirs.
void number_dispatches(std::vector<Dispatch>& dispatches);

/// Times of a table that has the same kernels in the same rows: of dispatches that have none.
void take_times(const CounterTable& times, std::vector<Dispatch>& dispatches);

/// Times of a kernel trace, for dispatches of the same id and kernel; ids are as recorded.
void take_trace_times(const CounterTable& trace, std::vector<Dispatch>& dispatches);

}  // namespace heddle::profile
