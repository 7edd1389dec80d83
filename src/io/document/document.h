// A YAML (or JSON) text as a tree in which every node knows its file, line, column and path.
//
// The tree is built from yaml-cpp's events rather than from its Node class: that gives places for keys and
// values, sees duplicate keys, and can stop at the limits below before anything large was built.
#pragma once

#include "io/document/diagnostics.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace catena::io {

inline constexpr std::size_t kMaxFileSize = 64u << 20;  // bytes
inline constexpr std::size_t kMaxNodes = 2'000'000;     // of one file, aliases expanded
inline constexpr std::size_t kMaxCopied = 64u << 20;    // bytes of text that the aliases of one file repeat
inline constexpr int kMaxNesting = 64;                  // lists and maps inside each other

struct Node {
  enum class Kind : std::uint8_t { null, scalar, list, map };

  Kind kind = Kind::null;
  bool quoted = false;               // scalar in quotes or a block scalar
  int line = 0, column = 0;          // of the value, from 1
  int key_line = 0, key_column = 0;  // of the key in a map, from 1
  int index = 0;                     // position in the parent
  const Node* parent = nullptr;      // nothing for the root
  const std::string* file = nullptr;
  std::string key;              // in a map
  std::string text;             // of a scalar
  std::vector<Node*> children;  // of lists and maps, in the order of the file

  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  bool is_scalar() const { return kind == Kind::scalar; }

  /// The value under `key` in a map, or nothing.
  const Node* find(std::string_view key) const;
  /// "bodies[3].mass"; empty for the root.
  std::string path() const;
  /// "crane.yaml:12:9 bodies[3].mass"
  std::string where() const;
  /// The same, pointing at the key instead of the value.
  std::string where_key() const;
  /// For messages: the text of a scalar, "a list", "a map", "nothing".
  std::string describe() const;
};

class Document {
 public:
  /// Parses `text`. Problems go to `diagnostics`; the root is then nothing or what could be read.
  Document(std::string file, const std::string& text, Diagnostics& diagnostics);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const std::string& file() const { return file_; }
  const Node* root() const { return root_; }

 private:
  friend class TreeBuilder;
  std::string file_;
  std::deque<Node> nodes_;  // stable addresses
  Node* root_ = nullptr;
};

/// Reads at most kMaxFileSize bytes. Returns false after reporting why it could not.
bool read_text_file(const std::string& file, std::string& text, Diagnostics& diagnostics);

}  // namespace catena::io
