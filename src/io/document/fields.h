// Records of a scene file: which keys they have, what the values mean, and how to read them.
//
// Every map of the format is described by a Record: one table that serves the reader, the check for unknown
// keys and the JSON Schema. A reader can only ask for keys of its table: the schema cannot fall behind.
#pragma once

#include "catena/joints.h"
#include "io/document/document.h"
#include "io/document/expression.h"

#include <optional>
#include <span>

namespace catena::io {

/// What the value of a key is. Wherever a number stands, an expression in parameters may stand.
enum class Value : std::uint8_t {
  number,           // any finite number
  positive,         // > 0
  non_negative,     // ≥ 0
  integer,          // a whole number ≥ 0
  count,            // a whole number ≥ 1
  boolean,          // true, false
  text,             // any text
  name,             // a new name
  choice,           // one of the words in Details
  body,             // name of a body, or `world`
  constraint,       // name of a joint or constraint
  vector,           // [x, y] or [x, y, z]
  direction,        // the same, not zero; normalised when used
  spin,             // the same, or one number about z
  quaternion,       // [w, x, y, z]
  inertia,          // [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or 3 × 3
  function,         // a number or an expression of t
  functions,        // [fx, fy] or [fx, fy, fz] of t; a single one is about or along z
  curve_functions,  // the same of u
  point_functions,  // the same of coordinates and of the material point px, py, pz
  range,            // [begin, end]
  vector_list,      // a list of vectors
  few_numbers,      // a number, or a list of up to three
  pairs,            // a list of [x, y]
  record,           // a map described by the record in Details
  variants,         // a map described by the variant in Details
  variant_list,     // a list of those, or of repeated ones
  entries,          // the list inside a repeated entry: of the same kind as the section
  name_list,        // a list of texts, or one text
  parameters,       // name: value pairs
};

struct Record;
struct Variant;

/// What the value alone does not say: the words to choose from, or the tables of nested maps.
struct Details {
  std::vector<std::string_view> choices;
  const Record& (*record)() = nullptr;
  const Variant& (*variant)() = nullptr;

  Details() = default;
  Details(std::initializer_list<std::string_view> words) : choices(words) {}
  Details(std::vector<std::string_view> words) : choices(std::move(words)) {}
  Details(const Record& (*table)()) : record(table) {}
  Details(const Variant& (*table)()) : variant(table) {}
};

inline constexpr bool kOptional = false;
inline constexpr bool kRequired = true;

struct Key {
  std::string_view name;
  Value value;
  std::string_view unit;
  std::string_view doc;
  bool required = kOptional;
  Details details = {};
};

/// A map: its keys, and the value that selects it in a Variant.
struct Record {
  std::string_view kind;
  std::string_view doc;
  std::vector<Key> keys;
  const Key* find(std::string_view name) const;
};

/// Maps told apart by one of their keys.
struct Variant {
  std::string_view what;      // "body", "constraint": for messages and for the schema's definitions
  std::string_view selector;  // the key that tells: "kind", "quantity"; empty when there is only one record
  std::vector<Record> kinds;
};

/// Several lists of keys as one.
std::vector<Key> join_keys(std::initializer_list<std::vector<Key>> lists);

/// Numbers in scenes stay between these magnitudes: their squares and products are then finite.
inline constexpr double kLargest = 1e30;
inline constexpr double kSmallest = 1e-30;

/// What reading needs besides the node.
struct Reading {
  Diagnostics& diagnostics;
  const Symbols& symbols;
};

/// Text with `$name` and `${name}` replaced by parameters; nothing after an error.
std::optional<std::string> read_text(const Node& node, const Reading& reading);
/// A number or expression; reports what it is not.
std::optional<double> read_number(const Node& node, const Reading& reading, std::string_view what);

/// One map while it is read.
class Fields {
 public:
  /// Reports unknown and missing keys, and what is not a map.
  Fields(const Node& node, const Record& record, const Reading& reading);
  /// Finds the record by the selector's value; nothing after an error.
  static std::optional<Fields> select(const Node& node, const Variant& variant, const Reading& reading);

  const Record& record() const { return *record_; }
  const Node& node() const { return *node_; }
  const Reading& reading() const { return reading_; }
  /// No error was reported since this record was begun.
  bool ok() const { return reading_.diagnostics.count() == errors_before_; }

  /// The value under a key of the record, or nothing. Null counts as not given.
  const Node* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Reports when more than one of the keys is given.
  void exclusive(std::initializer_list<std::string_view> keys) const;

  // Each returns the fallback (or nothing) when the key is absent or wrong; what is wrong has been reported.
  std::optional<double> number(std::string_view key) const;
  double number(std::string_view key, double fallback) const { return number(key).value_or(fallback); }
  int integer(std::string_view key, int fallback) const;
  bool boolean(std::string_view key, bool fallback) const;
  std::optional<std::string> text(std::string_view key) const;
  std::optional<Vec3> vector(std::string_view key) const;
  Vec3 vector(std::string_view key, const Vec3& fallback) const { return vector(key).value_or(fallback); }
  std::optional<Quat> quaternion(std::string_view key) const;
  std::optional<TimeFunction> function(std::string_view key, bool* depends_on_time = nullptr) const;
  std::optional<PointFunction> functions(std::string_view key, bool* depends_on_time = nullptr) const;
  std::optional<std::array<Expression, 3>> curve_functions(std::string_view key) const;
  /// [fx, fy] or [fx, fy, fz] of several variables.
  std::optional<std::array<Expression, 3>> point_functions(std::string_view key,
                                                           std::span<const std::string> variables) const;
  std::optional<std::pair<double, double>> range(std::string_view key) const;
  std::optional<std::vector<Vec2>> pairs(std::string_view key) const;
  std::optional<Fields> fields(std::string_view key) const;
  /// Empty after an error.
  std::vector<Vec3> vectors(std::string_view key) const;
  std::vector<std::string> names(std::string_view key) const;
  std::vector<double> few_numbers(std::string_view key) const;

  void report(std::string_view key, std::string what, std::string remedy) const;

 private:
  const Key& key_of(std::string_view key) const;
  std::optional<std::vector<double>> numbers(const Node& node, std::string_view what, int least,
                                             int most) const;
  std::optional<Expression> expression(const Node& node, std::string_view what,
                                       std::string_view variable) const;
  std::optional<std::array<Expression, 3>> expressions(std::string_view key, std::string_view variable) const;

  const Node* node_;
  const Record* record_;
  Reading reading_;
  std::size_t errors_before_;
};

/// Inertia about the centre of mass in body axes, from 3, 6 or 3 × 3 numbers.
std::optional<Mat3> read_inertia(const Fields& fields, std::string_view key);

}  // namespace catena::io
