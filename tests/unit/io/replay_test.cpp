// Recordings: what comes back is within the stated bounds of what went in, damaged bytes are refused, files stay small.
#include "catena/joints.h"
#include "catena/output.h"
#include "io/replay/codec.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace catena {
namespace {

using io::ReplayLayout;

/// Bodies that wander and turn, some fast and through whole turns, and points that follow no body.
std::vector<PictureFrame> random_motion(std::size_t bodies, std::size_t points, std::size_t frames,
                                        unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  std::vector<Vec3> x(bodies + points), v(x.size()), w(bodies);
  std::vector<Quat> q(bodies);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = 3.0 * Vec3(any(random), any(random), any(random)), v[i] = x[i].reverse();
  for (std::size_t i = 0; i < bodies; ++i) {
    q[i] = Quat(any(random), any(random), any(random), any(random)).normalized();
    w[i] = std::pow(4.0, double(i)) * Vec3(any(random), any(random), any(random));
  }
  std::vector<PictureFrame> out(frames);
  constexpr double kStep = 1.0 / 60;
  for (PictureFrame& frame : out) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += kStep * v[i];
      if (i < bodies) {
        const double angle = kStep * w[i].norm();
        q[i] = Quat(Eigen::AngleAxisd(angle, w[i].normalized())) * q[i];
        // either sign of a quaternion is the same rotation
        const double sign = any(random) < 0 ? -1.0 : 1.0;
        for (int c = 0; c < 3; ++c) frame.poses.push_back(float(x[i][c]));
        for (int c = 0; c < 4; ++c) frame.poses.push_back(float(sign * q[i].coeffs()[c]));
      } else {
        for (int c = 0; c < 3; ++c) frame.points.push_back(float(x[i][c]));
      }
    }
  }
  return out;
}

Quat turn_of(const PictureFrame& frame, std::size_t body) {
  const float* p = frame.poses.data() + 7 * body;
  return Quat(p[6], p[3], p[4], p[5]).normalized();
}

TEST(Replay, DecodedFramesAreWithinTheStatedBounds) {
  ReplayLayout layout;
  layout.position_grid = 0x1p-12;
  layout.turns.assign(6, true);
  layout.point_body.assign(3, io::kStoredPoint);
  layout.point_local.assign(9, 0.0F);
  const std::vector<PictureFrame> frames = random_motion(6, 3, 64, 1);
  const std::vector<PictureFrame> back =
      io::decode_chunk(layout, io::encode_chunk(layout, frames), frames.size());
  ASSERT_EQ(back.size(), frames.size());
  const double position_bound = 0.5 * layout.position_grid + 1e-6;  // and the rounding of floats
  for (std::size_t k = 0; k < frames.size(); ++k) {
    for (std::size_t body = 0; body < 6; ++body) {
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(back[k].poses[7 * body + c], frames[k].poses[7 * body + c], position_bound);
      EXPECT_LE(turn_of(back[k], body).angularDistance(turn_of(frames[k], body)),
                4 * layout.rotation_grid + 1e-6);
    }
    for (std::size_t i = 0; i < frames[k].points.size(); ++i)
      EXPECT_NEAR(back[k].points[i], frames[k].points[i], position_bound);
  }
}

TEST(Replay, EncodingDecodedFramesAgainChangesNothing) {
  ReplayLayout layout;
  layout.turns.assign(4, true);
  const std::vector<PictureFrame> frames = random_motion(4, 0, 30, 2);
  const std::vector<PictureFrame> once =
      io::decode_chunk(layout, io::encode_chunk(layout, frames), frames.size());
  const std::vector<PictureFrame> twice =
      io::decode_chunk(layout, io::encode_chunk(layout, once), once.size());
  for (std::size_t k = 0; k < frames.size(); ++k)
    for (std::size_t body = 0; body < 4; ++body) {
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(twice[k].poses[7 * body + c], once[k].poses[7 * body + c]);
      EXPECT_LE(turn_of(twice[k], body).angularDistance(turn_of(once[k], body)), 4 * layout.rotation_grid);
    }
}

TEST(Replay, FarAndStillBodiesSurvive) {
  ReplayLayout layout;
  layout.position_grid = 1e-6;
  layout.turns = {false};
  for (const float x : {0.0F, 1e9F, -3e12F, 1e30F}) {
    PictureFrame frame;
    frame.poses = {x, -x, 0.5F, 0, 0, 0, 1};
    const std::vector<PictureFrame> frames(5, frame);
    const auto back = io::decode_chunk(layout, io::encode_chunk(layout, frames), 5);
    const double limit = 1e-6 * 0x1p50;  // beyond it a body stays at the rim
    EXPECT_NEAR(back[4].poses[0], std::clamp(double(x), -limit, limit), 1e-6 + 1e-6 * std::abs(x));
    EXPECT_EQ(back[4].poses[6], 1.0F);
  }
}

TEST(Replay, DamagedChunksAreRefused) {
  ReplayLayout layout;
  layout.turns.assign(3, true);
  const std::string bytes = io::encode_chunk(layout, random_motion(3, 0, 20, 3));
  EXPECT_THROW(io::decode_chunk(layout, bytes.substr(0, bytes.size() / 2), 20), std::runtime_error);
  EXPECT_THROW(io::decode_chunk(layout, "no chunk at all", 20), std::runtime_error);
  EXPECT_THROW(io::decode_chunk(layout, bytes, 4000), std::runtime_error) << "fewer frames than claimed";
  EXPECT_THROW(io::decode_chunk(layout, io::deflate_bytes("\x09\x09\x09"), 20), std::runtime_error);
}

TEST(Replay, Base64MatchesRfc4648) {
  EXPECT_EQ(io::base64(""), "");
  EXPECT_EQ(io::base64("f"), "Zg==");
  EXPECT_EQ(io::base64("fo"), "Zm8=");
  EXPECT_EQ(io::base64("foobar"), "Zm9vYmFy");
}

Model pendulum_chain(int links) {
  Model model;
  BodyId before = world;
  for (int k = 0; k < links; ++k) {
    const BodyId body =
        model.add("link" + std::to_string(k), rod(1.0, 0.1), {.position = {0.1 * k + 0.05, 0, 0}});
    model.add("joint" + std::to_string(k), ball(model.join(body, before, {0.1 * k, 0, 0})));
    before = body;
  }
  return model;
}

TEST(Replay, RecordsAtTheRateAndKeepsTheEnd) {
  Simulation sim(pendulum_chain(3));
  Recording recording(sim, {}, {.rate = 50});
  for (int k = 0; k < 1003; ++k) {
    ASSERT_TRUE(sim.step(1e-3).ok());
    recording.record_if_due(sim);
  }
  recording.record(sim);
  recording.record(sim);
  ASSERT_EQ(recording.frames(), 52u) << "0, 0.02, ..., 1 and the end, once";
  EXPECT_NEAR(recording.frame(10).time, 0.2, 1e-9);
  EXPECT_NEAR(recording.frame(51).time, 1.003, 1e-9);
  PictureFrame now;
  capture(sim, recording.pictures().front(), now);
  const PictureFrame& seen = recording.frame(51);
  for (std::size_t k = 0; k < now.poses.size(); k += 7)
    for (std::size_t c = k; c < k + 3; ++c)
      EXPECT_NEAR(seen.poses[c], now.poses[c], recording.position_error() + 1e-6);
  // points follow from the poses
  for (std::size_t k = 0; k < now.points.size(); ++k)
    EXPECT_NEAR(seen.points[k], now.points[k],
                recording.position_error() + 0.05 * recording.angle_error() + 1e-6);
}

TEST(Replay, HalvesTheRateRatherThanExceedTheLimit) {
  Simulation sim(pendulum_chain(10));
  Recording recording(sim, {}, {.rate = 200, .max_bytes = 6000});
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(sim.step(1e-3).ok());
    recording.record_if_due(sim);
  }
  EXPECT_TRUE(recording.was_thinned());
  EXPECT_LT(recording.rate(), 200);
  EXPECT_LE(recording.bytes(), 6000u);
  for (std::size_t k = 1; k < recording.frames(); ++k)
    EXPECT_NEAR(recording.frame(k).time - recording.frame(k - 1).time, 1.0 / recording.rate(), 1.1e-3) << k;
}

TEST(Replay, FollowsAChangeOfTheStructure) {
  Simulation sim(pendulum_chain(4));
  Recording recording(sim);
  const auto run = [&](int steps) {
    for (int k = 0; k < steps; ++k) {
      ASSERT_TRUE(sim.step(1e-3).ok());
      recording.record_if_due(sim);
    }
  };
  run(200);
  const std::size_t before = recording.frames();
  sim.edit([](Model& model) { model.remove(model.constraints().back().id); });
  run(200);
  ASSERT_EQ(recording.pictures().size(), 2u);
  EXPECT_EQ(recording.pictures()[1].joints.size() + 1, recording.pictures()[0].joints.size());
  EXPECT_EQ(recording.section_of(before - 1), 0u);
  EXPECT_EQ(recording.section_of(before), 1u);
  EXPECT_EQ(recording.frame(recording.frames() - 1).poses.size(), 28u);
}

TEST(Replay, FileHasAHeaderThatPointsToItsChunks) {
  Simulation sim(pendulum_chain(2));
  Recording recording(sim);
  for (int k = 0; k < 3000; ++k) {
    ASSERT_TRUE(sim.step(1e-3).ok());
    recording.record_if_due(sim);
  }
  const std::string file = recording.file(R"({"structure": {"title": "two"}})");
  ASSERT_EQ(file.substr(0, 4), "CTNR");
  const auto number = [&](std::size_t at) {
    std::size_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value |= std::size_t(std::uint8_t(file[at + k])) << (8 * k);
    return value;
  };
  const auto header = nlohmann::json::parse(io::inflate_bytes(std::string_view(file).substr(12, number(8))));
  EXPECT_EQ(header["about"]["structure"]["title"], "two");
  EXPECT_EQ(header["frames"], recording.frames());
  const std::size_t body = 12 + (number(8) + 2) / 3 * 3;
  std::size_t frames = 0;
  for (const auto& chunk : header["chunks"]) {
    EXPECT_EQ(chunk["at"].get<std::size_t>() % 3, 0u) << "base64 is cut there";
    const std::size_t at = body + chunk["at"].get<std::size_t>();
    const std::string raw =
        io::inflate_bytes(std::string_view(file).substr(at, chunk["bytes"].get<std::size_t>()));
    EXPECT_FALSE(raw.empty());
    frames += chunk["frames"].get<std::size_t>();
  }
  EXPECT_EQ(frames, recording.frames());
  EXPECT_LT(double(recording.bytes()) / double(2 * recording.frames()), 8.0) << "bytes per body and frame";
}

TEST(Replay, PageIsInlinedWithNothingLeftOutside) {
  const ReplayPage page{
      "<!doctype html><html><head><title>Catena</title>\n<script type=\"module\" crossorigin "
      "src=\"./page.js\"></script>\n"
      "<link rel=\"icon\" href=\"data:,\"><link rel=\"stylesheet\" crossorigin "
      "href=\"./page.css\"></head>\n<body></body></html>",
      "const end = '</script>', comment = '<!--';", "body { margin: 0 }"};
  const std::string html = make_replay(page, "<Crane> & co", "foobar");
  EXPECT_EQ(html.find("page.js"), std::string::npos);
  EXPECT_EQ(html.find("page.css"), std::string::npos);
  EXPECT_NE(html.find("<title>&lt;Crane&gt; &amp; co"), std::string::npos);
  EXPECT_NE(html.find("id=\"recording\">Zm9vYmFy</script>"), std::string::npos);
  EXPECT_NE(html.find("'<\\/script>', comment = '\\x3c!--'"), std::string::npos);
  EXPECT_NE(html.find("<style>\nbody { margin: 0 }</style>"), std::string::npos);
  EXPECT_THROW(make_replay({"<html></html>", "", ""}, "", ""), std::runtime_error);
}

}  // namespace
}  // namespace catena
