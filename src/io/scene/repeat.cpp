// Entries of list sections written once and read for every value of an index.
//
//   bodies:
//     - repeat: {index: k, from: 1, to: planks}
//       entries:
//         - {name: "plank${k}", kind: rigid, mass: 10, position: [k*length, 0, 0]}
//
// While the entries are read the index is a number like a parameter; names of neighbours are "plank${k-1}".
#include "catena/interrupt.h"
#include "io/scene/context.h"

#include <fmt/format.h>

#include <cmath>

namespace catena::io {
namespace {

// Budgets of a whole scene: what a short file may ask for.
constexpr int kMaxRepeats = 2'000'000;                             // empty ones count too
constexpr std::int64_t kMaxRepeatedBytes = std::int64_t(1) << 29;  // of entries that are read again and again

/// About what it takes to read a node and all below it.
std::int64_t bytes_below(const Node& node) {
  std::int64_t bytes = 16 + std::int64_t(node.key.size() + node.text.size());
  for (const Node* child : node.children) bytes += bytes_below(*child);
  return bytes;
}

/// Takes the repetitions from the budgets of the scene; false after reporting that they are used up.
bool spend(SceneContext& context, const Fields& range, const Node& entries, std::int64_t times) {
  context.repetitions += times;
  context.repeated_bytes += times * bytes_below(entries);
  if (context.repetitions > kMaxRepeats)
    range.report("to", fmt::format("with this the scene has more than {} repetitions", kMaxRepeats),
                 "repeat less often, or use 'generate'");
  else if (context.repeated_bytes > kMaxRepeatedBytes)
    range.report("to",
                 fmt::format("with this the repeated entries of the scene have more than {} MB",
                             kMaxRepeatedBytes >> 20),
                 "repeat less often, or make the entries shorter");
  else
    return true;
  return false;
}

std::optional<int> whole(const Fields& fields, std::string_view key, std::optional<int> fallback) {
  const std::optional<double> value = fields.number(key);
  if (!value) return fields.has(key) ? std::nullopt : fallback;
  if (*value != std::floor(*value) || std::abs(*value) > kMaxRepeats) {
    fields.report(key, fmt::format("{} must be a whole number, got {:g}", key, *value),
                  "give for example 10");
    return std::nullopt;
  }
  return int(*value);
}

void read_repeat(SceneContext& context, const Node& node, SectionReader read);

void read_entry(SceneContext& context, const Node& node, SectionReader read) {
  allow_interruption();
  if (node.is_map() && node.find("repeat") != nullptr)
    read_repeat(context, node, read);
  else
    read(context, node);
}

void read_repeat(SceneContext& context, const Node& node, SectionReader read) {
  const Fields fields(node, repeated_entries_record(), context.reading());
  const std::optional<Fields> range = fields.fields("repeat");
  if (!fields.ok() || !range || !range->ok()) return;
  const std::string index = range->text("index").value_or("i");
  const std::optional<int> from = whole(*range, "from", 0), to = whole(*range, "to", std::nullopt);
  const Node* entries = fields.find("entries");
  if (!from || !to || entries == nullptr) return;
  if (!is_name(index) || is_reserved_name(index) ||
      context.symbols.numbers.count(index) + context.symbols.words.count(index) > 0)
    return range->report("index", fmt::format("'{}' cannot be an index here", index),
                         "choose a name that no parameter, constant or outer index has");
  if (!entries->is_list())
    return fields.report("entries", fmt::format("entries must be a list, got {}", entries->describe()),
                         "begin every entry with '- '");
  if (!spend(context, *range, *entries, std::max<std::int64_t>(0, std::int64_t(*to) - *from + 1))) return;
  const std::size_t errors = context.diagnostics.count();
  for (int value = *from; value <= *to; ++value) {
    context.symbols.numbers[index] = value;
    for (const Node* entry : entries->children) read_entry(context, *entry, read);
    if (context.diagnostics.count() > errors) break;  // the same mistake every time: once is enough
  }
  context.symbols.numbers.erase(index);
}

}  // namespace

const Record& repeat_record() {
  static const Record record{
      "",
      "values of the index",
      {
          {"index", Value::name, "", "its name; default i"},
          {"from", Value::number, "", "first value; default 0"},
          {"to", Value::number, "", "last value; nothing is read when it is below from", kRequired},
      }};
  return record;
}

const Record& repeated_entries_record() {
  static const Record record{
      "",
      "entries read once for every value of an index",
      {
          {"repeat", Value::record, "", "values of the index", kRequired, repeat_record},
          {"entries", Value::entries, "", "what is repeated; repeats may be nested", kRequired},
      }};
  return record;
}

void read_entries(SceneContext& context, const Node& list, SectionReader read) {
  for (const Node* entry : list.children) read_entry(context, *entry, read);
}

}  // namespace catena::io
