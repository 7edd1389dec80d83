// Who may talk to the viewer's server.
#include "view/assets.h"
#include "view/guard.h"
#include "view/json.h"

#include <gtest/gtest.h>

#include <set>

namespace catena::app {
namespace {

TEST(ViewGuard, TokensHave128BitsAndDiffer) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    const std::string token = make_token();
    EXPECT_EQ(token.size(), 32U);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    tokens.insert(token);
  }
  EXPECT_EQ(tokens.size(), 100U);
}

TEST(ViewGuard, OnlyTheWholeTokenIsAccepted) {
  const Guard guard("127.0.0.1", 4321, "0123456789abcdef");
  EXPECT_TRUE(guard.accepts_token("/ws?token=0123456789abcdef"));
  EXPECT_TRUE(guard.accepts_token("/?a=b&token=0123456789abcdef"));
  for (const char* target : {"/ws", "/ws?token=", "/ws?token=0123456789abcde", "/ws?token=0123456789abcdef0",
                             "/ws?token=0123456789abcdeF", "/ws?tokens=0123456789abcdef",
                             "/ws?token=0123456789abcdef&token=0123456789abcdef", "?", ""})
    EXPECT_FALSE(guard.accepts_token(target)) << target;
  EXPECT_FALSE(is_same_secret("", ""));
}

TEST(ViewGuard, HostMustBeTheServersOwnToTheLetter) {
  const Guard guard("127.0.0.1", 4321, "t");
  for (const char* host : {"127.0.0.1:4321", "localhost:4321"}) EXPECT_TRUE(guard.accepts_host(host)) << host;
  for (const char* host :
       {"", "127.0.0.1", "localhost", "127.0.0.1:80", "evil.example:4321", "127.0.0.1:4321.evil.example",
        "127.0.0.1:43210", "user@127.0.0.1:4321", "[::1]:4321"})
    EXPECT_FALSE(guard.accepts_host(host)) << host;
  EXPECT_TRUE(Guard("::1", 9, "t").accepts_host("[::1]:9"));
  EXPECT_FALSE(Guard("::1", 9, "t").accepts_host("127.0.0.1:9"));
}

TEST(ViewGuard, OriginMustBeThePageOrAbsent) {
  const Guard guard("127.0.0.1", 4321, "t");
  EXPECT_TRUE(guard.accepts_origin(""));
  EXPECT_TRUE(guard.accepts_origin("http://127.0.0.1:4321"));
  for (const char* origin : {"null", "https://127.0.0.1:4321", "http://127.0.0.1", "http://evil.example",
                             "http://evil.example:4321", "http://127.0.0.1:4321.evil.example",
                             "http://127.0.0.1:4321/", "file://"})
    EXPECT_FALSE(guard.accepts_origin(origin)) << origin;
}

TEST(ViewGuard, AssetsAreFoundByTheirExactPathOnly) {
  const Asset table[] = {{"/index.html", "text/html", "page"}, {"/page.js", "text/javascript", "code"}};
  EXPECT_EQ(find_asset(table, "/")->bytes, "page");
  EXPECT_EQ(find_asset(table, "/page.js")->bytes, "code");
  for (const char* path :
       {"/page.js/", "//page.js", "/../page.js", "/%2e%2e/page.js", "page.js", "", "/etc/passwd", "/PAGE.JS"})
    EXPECT_EQ(find_asset(table, path), nullptr) << path;
}

TEST(ViewGuard, MessagesAreJsonObjectsOfSaneDepth) {
  EXPECT_TRUE(parse_message(R"({"type": "play", "text": "[[[[{{"})"));
  for (const char* text : {"", " ", "null", "[]", "1", "{", "{\"a\":}", "\xff\xfe"})
    EXPECT_FALSE(parse_message(text)) << text;
  EXPECT_FALSE(parse_message("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}"));
}

}  // namespace
}  // namespace catena::app
