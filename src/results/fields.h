// The fields of a result, each named once: formats, sums and scaling visit them.
//
//   struct CacheCounts {
//     std::int64_t requests = 0, hits = 0;
//     template <class Visitor, class... Counts>
//     static void fields(Visitor&& visit, Counts&... counts) {
//       visit("requests", counts.requests...);
//       visit("hits", counts.hits...);
//     }
//   };
//   CacheCounts::fields([](Field field, auto value) { json[field.name] = value; }, counts);
//   CacheCounts::fields([](Field, auto& sum, auto more) { sum += more; }, counts, others);
//
// Rules
//   1. A visitor is called with a field of one struct, or with the same field of several.
//   2. Fields come in the order of rows and columns. A new one is in every format, unless a rule says
//      otherwise.
//   3. A struct that is part of another one visits as if its fields were the other's own, or as one
//      field.
#pragma once

#include <type_traits>

namespace heddle {

struct Field {
  enum Rule : unsigned {
    empty_is_null = 1U,   ///< in JSON
    not_in_json = 2U,     ///< or under another name there
    not_in_history = 4U,  ///< kVersion of history/file_check.h has no column for it
    by_instruction = 8U,  ///< instructions count it, in whatever sets of a cache
  };
  const char* name;
  unsigned rules = 0;

  constexpr Field(const char* its_name, unsigned its_rules = 0)  // NOLINT: a name is a Field
      : name(its_name), rules(its_rules) {}
  constexpr bool has(Rule rule) const { return (rules & rule) != 0; }
};

/// Where the fields of a struct are named: in itself, or beside a struct that has it as a part.
template <class Struct>
struct FieldList : Struct {};

template <class Struct>
concept HasFields = std::is_class_v<Struct> && requires(const Struct& value) {
  FieldList<Struct>::fields([](Field, const auto&) {}, value);
};

/// Adds each field of `more`.
template <HasFields Counts>
Counts& add_fields(Counts& sum, const Counts& more) {
  FieldList<Counts>::fields([](Field, auto& one, const auto& other) { one += other; }, sum, more);
  return sum;
}

}  // namespace heddle
