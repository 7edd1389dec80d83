// What a short scene file may ask for.
#include "catena/catena.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace catena {
namespace {

/// What reading a text says; empty when it is a scene.
std::string complaint(const std::string& text) {
  try {
    (void)parse_scene(text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return {};
}

TEST(Budget, RepetitionsOfAWholeSceneAreLimited) {
  std::string many = "bodies:\n  - {name: p, kind: particle, mass: 1}\n";
  for (int k = 0; k < 1000; ++k) many += "  - {repeat: {to: 1999999}, entries: []}\n";
  EXPECT_NE(complaint(many).find("repetitions"), std::string::npos);
  std::string nested = "bodies:\n  - {name: p, kind: particle, mass: 1}\n  - ";
  for (int k = 0; k < 8; ++k) nested += fmt::format("{{repeat: {{index: i{}, to: 100}}, entries: [", k);
  nested += "]}]}]}]}]}]}]}]}\n";
  EXPECT_NE(complaint(nested).find("repetitions"), std::string::npos);
  const std::string long_ones =
      "bodies:\n  - {repeat: {to: 100000}, entries: [{name: \"p${i}\", kind: particle, mass: \"1" +
      [] {
        std::string sum;
        for (int k = 0; k < 4500; ++k) sum += "+0";
        return sum;
      }() +
      "\"}]}\n";
  EXPECT_NE(complaint(long_ones).find("MB"), std::string::npos);
}

TEST(Budget, BodiesOfAllGeneratorsAreLimited) {
  const std::string many =
      "generate:\n  - {kind: chain, name: a, links: 10}\n  - {kind: chain, name: b, links: 1999995}\n";
  EXPECT_NE(complaint(many).find("the scene has"), std::string::npos);
}

TEST(Budget, TextThatAliasesRepeatIsLimited) {
  std::string text = "description: &long \"";
  for (int k = 0; k < 40; ++k) text += std::string(25000, 'x') + " ";
  text += "\"\ntitle: a\nbodies:\n";
  for (int k = 0; k < 5000; ++k) text += "  - *long\n";
  EXPECT_NE(complaint(text).find("aliases repeat"), std::string::npos);
}

}  // namespace
}  // namespace catena
