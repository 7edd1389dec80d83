// Reading and parsing of scene files, with the limits that keep hostile ones harmless. O(size of the text).
#include "io/document/document.h"

#include "catena/interrupt.h"
#include "io/document/suggest.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unordered_map>

namespace catena::io {

const Node* Node::find(std::string_view wanted) const {
  for (const Node* child : children)
    if (child->key == wanted) return child;
  return nullptr;
}

std::string Node::path() const {
  if (parent == nullptr) return "";
  const std::string before = parent->path();
  if (parent->is_list()) return fmt::format("{}[{}]", before, index);
  return before.empty() ? shorten(key) : before + "." + shorten(key);
}

static std::string place(const Node& node, int line, int column) {
  const std::string path = node.path();
  return fmt::format("{}:{}:{}{}{}", *node.file, line, column, path.empty() ? "" : " ", path);
}

std::string Node::where() const {
  return place(*this, line, column);
}

std::string Node::where_key() const {
  return key_line > 0 ? place(*this, key_line, key_column) : where();
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::list:
      return fmt::format("a list of {}", children.size());
    case Kind::map:
      return "a map";
    case Kind::scalar:
      break;
  }
  return "'" + shorten(text) + "'";
}

/// Turns yaml-cpp's events into Nodes. Throws Stop where reading on makes no sense.
class TreeBuilder : public YAML::EventHandler {
 public:
  struct Stop {
    YAML::Mark mark;
    std::string what, remedy;
  };

  TreeBuilder(Document& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (document_.root_ != nullptr)
      throw Stop{mark, "a second document begins here", "give one scene per file"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(Node::Kind::null, mark, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    if (expects_key()) {
      key_ = value;
      key_mark_ = mark;
      has_key_ = true;
      if (anchor != 0) throw Stop{mark, "a key carries an anchor", "put anchors on values only"};
      return;
    }
    Node* node = place(Node::Kind::scalar, mark, anchor);
    node->text = value;
    node->quoted = tag == "!";
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) throw Stop{mark, "a key is an alias", "write the key out"};
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end())
      throw Stop{mark, "the alias refers to nothing before it", "define the anchor first"};
    if (std::find(open_.begin(), open_.end(), it->second) != open_.end())
      throw Stop{mark, "the alias stands inside of what it refers to", "break the circle"};
    copy(*it->second, place(Node::Kind::null, mark, 0), mark, int(open_.size()));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { open_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override {
    drop_duplicate_keys(*open_.back());
    open_.pop_back();
  }

 private:
  bool expects_key() const { return !open_.empty() && open_.back()->is_map() && !has_key_; }

  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Stop{mark, fmt::format("the tag '{}' has no meaning here", shorten(tag)), "remove it"};
  }

  Node* make(Node::Kind kind, const YAML::Mark& mark) {
    if (document_.nodes_.size() >= kMaxNodes)
      throw Stop{mark, fmt::format("there are more than {} values, aliases expanded", kMaxNodes),
                 "use 'generate' for large structures"};
    allow_interruption();
    Node& node = document_.nodes_.emplace_back();
    node.kind = kind;
    node.file = &document_.file_;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return &node;
  }

  // a new node under the innermost open list or map
  Node* place(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (expects_key())
      throw Stop{
          mark,
          kind == Node::Kind::null ? "a key is missing" : "a list or map stands where a key was expected",
          "write keys as plain names, and close every bracket"};
    Node* node = make(kind, mark);
    if (open_.empty()) {
      document_.root_ = node;
    } else {
      adopt(*open_.back(), *node);
      if (open_.back()->is_map()) {
        node->key = std::move(key_);
        node->key_line = key_mark_.line + 1;
        node->key_column = key_mark_.column + 1;
        has_key_ = false;
      }
    }
    if (anchor != 0) anchors_[anchor] = node;
    return node;
  }

  static void adopt(Node& parent, Node& child) {
    child.parent = &parent;
    child.index = int(parent.children.size());
    parent.children.push_back(&child);
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(mark, tag);
    check_depth(mark, int(open_.size()) + 1);
    open_.push_back(place(kind, mark, anchor));
  }

  static void check_depth(const YAML::Mark& mark, int depth) {
    if (depth > kMaxNesting)
      throw Stop{mark, fmt::format("lists and maps are nested more than {} levels deep", kMaxNesting),
                 "a scene needs fewer than 10"};
  }

  // Aliases are expanded so that every node has one path; kMaxNodes and kMaxCopied bound the result.
  void copy(const Node& from, Node* to, const YAML::Mark& mark, int depth) {
    check_depth(mark, depth);
    to->kind = from.kind;
    to->quoted = from.quoted;
    copied_ += from.text.size() + from.key.size();
    if (copied_ > kMaxCopied)
      throw Stop{mark, fmt::format("aliases repeat more than {} MB of text", kMaxCopied >> 20),
                 "shorten what they refer to"};
    to->text = from.text;
    for (const Node* child : from.children) {
      Node* twin = make(child->kind, mark);
      twin->key = child->key;
      twin->key_line = twin->line;
      twin->key_column = twin->column;
      adopt(*to, *twin);
      copy(*child, twin, mark, depth + 1);
    }
  }

  void drop_duplicate_keys(Node& map) {
    std::vector<Node*> sorted = map.children;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Node* a, const Node* b) { return a->key < b->key; });
    bool found = false;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i]->key != sorted[i - 1]->key) continue;
      found = true;
      diagnostics_.add(sorted[i]->where_key(),
                       fmt::format("the key '{}' is given twice", shorten(sorted[i]->key)),
                       fmt::format("keep one of them; the first is in line {}", sorted[i - 1]->key_line));
      sorted[i]->index = -1;
    }
    if (found) std::erase_if(map.children, [](const Node* child) { return child->index < 0; });
  }

  Document& document_;
  Diagnostics& diagnostics_;
  std::vector<Node*> open_;  // lists and maps that have begun and not ended
  std::unordered_map<YAML::anchor_t, const Node*> anchors_;
  std::size_t copied_ = 0;  // bytes, by aliases
  std::string key_;         // of the value to come
  YAML::Mark key_mark_;
  bool has_key_ = false;
};

namespace {

std::string at(const std::string& file, const YAML::Mark& mark) {
  return fmt::format("{}:{}:{}", file, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1);
}

// 1-based line and column of a byte, for problems found before parsing
std::string at(const std::string& file, const std::string& text, std::size_t position) {
  const auto end = text.begin() + std::ptrdiff_t(position);
  const auto line = std::count(text.begin(), end, '\n') + 1;
  const std::size_t newline = position == 0 ? std::string::npos : text.rfind('\n', position - 1);
  return fmt::format("{}:{}:{}", file, line,
                     newline == std::string::npos ? position + 1 : position - newline);
}

// Position of the first byte that does not belong to a text in UTF-8, or npos.
std::size_t find_binary(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = c < 0x20 && c != '\n' && c != '\r' && c != '\t';
    if (control || c == 0x7F || (c >= 0x80 && c < 0xC2) || c > 0xF4) return i;
    const std::size_t following = c < 0x80 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
    for (std::size_t k = 1; k <= following; ++k)
      if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return i;
    i += following + 1;
  }
  return std::string::npos;
}

// Position of the first word longer than anything sensible ("a number of 1 GB"), or npos. yaml-cpp is slow there.
std::size_t find_endless_word(const std::string& text) {
  constexpr std::size_t kMaxWord = 1u << 16;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::strchr(" \t\r\n,[]{}", text[i]) != nullptr) begin = i + 1;
    if (i - begin + 1 > kMaxWord) return begin;
  }
  return std::string::npos;
}

}  // namespace

Document::Document(std::string file, const std::string& text, Diagnostics& diagnostics)
    : file_(std::move(file)) {
  if (text.size() > kMaxFileSize) {
    diagnostics.add(file_ + ":1:1", fmt::format("the text is larger than {} MB", kMaxFileSize >> 20),
                    "use 'generate' for large structures");
    return;
  }
  if (const std::size_t position = find_binary(text); position != std::string::npos) {
    diagnostics.add(at(file_, text, position),
                    fmt::format("byte {:#04x} is not text", static_cast<unsigned char>(text[position])),
                    "a scene is YAML or JSON in UTF-8; is this the right file?");
    return;
  }
  if (const std::size_t position = find_endless_word(text); position != std::string::npos) {
    diagnostics.add(at(file_, text, position),
                    fmt::format("a word or number has more than 65536 characters, got '{}'",
                                shorten(std::string_view(text).substr(position, 100), 20)),
                    "numbers need at most 17 digits");
    return;
  }
  TreeBuilder builder(*this, diagnostics);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    if (root_ == nullptr || root_->kind == Node::Kind::null)
      diagnostics.add(file_ + ":1:1", "the file is empty", "a scene needs at least 'bodies' or 'generate'");
    else
      return;
  } catch (const TreeBuilder::Stop& stop) {
    diagnostics.add(at(file_, stop.mark), stop.what, stop.remedy);
  } catch (const YAML::Exception& error) {
    diagnostics.add(at(file_, error.mark), "not valid YAML: " + shorten(error.msg, 200),
                    "check brackets, quotes and indentation here and just before");
  }
  root_ = nullptr;
}

bool read_text_file(const std::string& file, std::string& text, Diagnostics& diagnostics) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    diagnostics.add(file, "there is no such file", "check the path");
    return false;
  }
  std::ifstream stream;
  if (!std::filesystem::is_directory(status)) stream.open(file, std::ios::binary);
  if (!stream.is_open()) {
    diagnostics.add(file,
                    std::filesystem::is_directory(status) ? "this is a folder" : "the file cannot be opened",
                    "give a readable YAML or JSON file");
    return false;
  }
  // one byte more than allowed tells an endless or too large file; sizes of pipes are not known beforehand
  text.clear();
  char buffer[1 << 16];
  while (text.size() <= kMaxFileSize && stream.read(buffer, sizeof buffer).gcount() > 0) {
    allow_interruption();
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
  }
  if (text.size() > kMaxFileSize) {
    diagnostics.add(file, fmt::format("the file is larger than {} MB", kMaxFileSize >> 20),
                    "use 'generate' for large structures");
    return false;
  }
  return true;
}

void Diagnostics::add(const Node& node, std::string what, std::string remedy) {
  add(node.where(), std::move(what), std::move(remedy));
}

void Diagnostics::add(std::string where, std::string what, std::string remedy) {
  if (++count_ <= kMaxIssues) issues_.push_back({std::move(where), std::move(what), std::move(remedy)});
}

void Diagnostics::throw_if_any() const {
  if (count_ == 0) return;
  std::vector<Issue> all = issues_;
  if (count_ > issues_.size())
    all.push_back({issues_.front().where.substr(0, issues_.front().where.find(':')),
                   fmt::format("{} more errors are not shown", count_ - issues_.size()),
                   "repair those above first"});
  throw InvalidInput(std::move(all));
}

}  // namespace catena::io
