// Laws of the output files: CSV reads back exactly, SVG is well formed, axes and views are as expected.
#include "catena/output.h"

#include "catena/joints.h"
#include "io/picture/film_strip_view.h"
#include "io/plot/axis.h"
#include "io/plot/text.h"
#include "support/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <sstream>

namespace catena {
namespace {

std::filesystem::path output_file(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("catena-output-" + std::to_string(::getpid())) / name;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

/// Every element is closed in order, every attribute is quoted; empty when well formed.
std::string xml_problem(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "tag without end";
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "unbalanced quotes in <" + tag + ">";
    if (tag[0] == '?') continue;
    const std::string name = tag.substr(0, tag.find_first_of(" />", 1));
    if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != name) return "unexpected <" + tag + ">";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "unclosed <" + open.back() + ">";
}

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

void expect_clean_svg(const std::string& svg) {
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_EQ(count(svg, "nan"), 0);
  EXPECT_EQ(count(svg, "inf"), 0);
  EXPECT_EQ(svg.rfind("<?xml", 0), 0u);
}

Simulation pendulum() {
  Model model;
  const BodyId arm = model.add("arm, \"left\"", rod(1.0, 2.0), {.position = Vec3(1, 0, 0)},
                               {Shape::Kind::rod, Vec3(2.0, 0.05, 0)});
  model.add("pivot", hinge(model.join(arm, world, Vec3::Zero(), Vec3::UnitY())));
  return Simulation(std::move(model));
}

TEST(CsvWriter, NumbersReadBackAsTheSameDoubles) {
  Simulation sim = pendulum();
  const Probe height{.name = "tip",
                     .quantity = "position",
                     .unit = "m",
                     .size = 3,
                     .components = {"x", "y", "z"},
                     .read = [](const Simulation& s, double* out) {
                       const Vec3 x = s.placement(s.model().bodies()[0].id).position;
                       std::copy(x.data(), x.data() + 3, out);
                     }};
  const auto file = output_file("folder/that/is/made/pendulum.csv");
  CsvWriter csv(file, sim, {height});
  std::vector<Placement> placements;
  for (int k = 0; k < 5; ++k) {
    csv.record(sim);
    placements.push_back(sim.placement(sim.model().bodies()[0].id));
    ASSERT_TRUE(sim.step(0.01).ok());
  }
  csv.close();
  EXPECT_EQ(csv.rows(), 5u);

  std::istringstream stream(test::read_all(file));
  std::string heading, line;
  std::getline(stream, heading);
  EXPECT_EQ(
      heading,
      "time,kinetic_energy,gravity_energy,spring_energy,total_energy,numerical_energy,constraint_error,tip.x,"
      "tip.y,tip.z,\"arm, \"\"left\"\".x\",\"arm, \"\"left\"\".y\",\"arm, \"\"left\"\".z\",\"arm, "
      "\"\"left\"\".qw\","
      "\"arm, \"\"left\"\".qx\",\"arm, \"\"left\"\".qy\",\"arm, \"\"left\"\".qz\"");
  for (const Placement& expected : placements) {
    ASSERT_TRUE(std::getline(stream, line));
    const auto cells = split(line);
    ASSERT_EQ(cells.size(), 17u);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(std::stod(cells[std::size_t(7 + i)]), expected.position[i]);
      EXPECT_EQ(std::stod(cells[std::size_t(10 + i)]), expected.position[i]);
    }
    EXPECT_EQ(std::stod(cells[13]), expected.orientation.w());
  }
  EXPECT_FALSE(std::getline(stream, line));
}

TEST(CsvWriter, APathThatCannotBeWrittenIsNamed) {
  const auto blocker = output_file("file");
  write_text(blocker, "x");
  try {
    CsvWriter(blocker / "below-a-file.csv", pendulum());
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(blocker.string()), std::string::npos) << error.what();
  }
  EXPECT_THROW(write_text(blocker / "below-a-file.svg", "x"), std::runtime_error);
}

TEST(PlotAxis, TicksAreRoundIncreasingAndInsideAndTheAxisHoldsAllValues) {
  const std::vector<std::vector<double>> samples = {{0, 1},          {-3, 7.3},        {1e6, 1.5e6},
                                                    {2e-5, 9e-5},    {5, 5},           {0, 0},
                                                    {-1e-12, 3e-12}, {1e15, 1e15 + 4}, {NAN, 2, 3}};
  for (const auto& values : samples) {
    SCOPED_TRACE(::testing::PrintToString(values));
    const PlotAxis axis = make_axis(values, false, 6, 0.02);
    ASSERT_GE(axis.ticks.size(), 2u);
    EXPECT_LE(axis.ticks.size(), 12u);
    for (double value : values)
      if (std::isfinite(value)) {
        EXPECT_LE(axis.low, value);
        EXPECT_GE(axis.high, value);
      }
    for (std::size_t i = 1; i < axis.ticks.size(); ++i) {
      EXPECT_LT(axis.ticks[i - 1].value, axis.ticks[i].value);
      EXPECT_NE(axis.ticks[i - 1].label, axis.ticks[i].label);
    }
  }
}

TEST(PlotAxis, LogarithmicAxesSpanWholeDecades) {
  const PlotAxis axis = make_axis(std::vector<double>{0.0, 3e-13, 2e-7}, true, 6, 0.0);
  EXPECT_DOUBLE_EQ(axis.low, 1e-13);
  EXPECT_DOUBLE_EQ(axis.high, 1e-6);
  EXPECT_DOUBLE_EQ(axis.fraction(0.0), 0.0);  // what has no logarithm lies at the lower end
  EXPECT_NEAR(axis.fraction(1e-6), 1.0, 1e-12);
  EXPECT_EQ(power_of_ten(-13), "10⁻¹³");
}

TEST(Plot, IsWellFormedWhateverIsPlotted) {
  Plot plot;
  plot.title = "a < b & \"c\" > d\x01";
  for (bool log : {false, true}) {
    plot.log_y = log;
    for (bool equal : {false, true}) {
      plot.equal_aspect = equal;
      plot.series = {};
      expect_clean_svg(render_plot(plot));
      plot.series = {{"points", {0, 1, 2, 3}, {0, NAN, 1e300, -1e300}, Series::Style::line_and_markers},
                     {"single", {1}, {1}, Series::Style::line},
                     {"no end", {0, INFINITY}, {1, 2}, Series::Style::dashed}};
      expect_clean_svg(render_plot(plot));
    }
  }
  EXPECT_EQ(count(render_plot(plot), "&lt; b &amp;"), 2);
}

TEST(Plot, AMillionPointsMakeASmallFileThatKeepsTheExtremes) {
  Series series;
  for (int i = 0; i < 1000000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 777777 ? 100.0 : std::sin(0.1 * i));
  }
  Plot plot;
  plot.title = "spike";
  plot.series = {series};
  const std::string svg = render_plot(plot);
  EXPECT_LT(svg.size(), 200000u);
  // the spike is the highest point of the curve: some y is as close to the top as the margin allows
  const std::size_t begin = svg.find("points=\"") + 8;
  std::istringstream stream(svg.substr(begin, svg.find('"', begin) - begin));
  double top = 1e9, x = 0, y = 0;
  for (char comma; stream >> x >> comma >> y;) top = std::min(top, y);
  const PlotAxis axis = make_axis(series.y, false, 6, 0.02);
  EXPECT_LT(axis.fraction(100.0), 1.0);
  EXPECT_LT(top, 0.3 * 520);
}

TEST(View, LooksAcrossTheMotionWithGravityDownwards) {
  std::vector<Vec3> swing;
  for (double a = -1; a <= 1; a += 0.1) swing.push_back(Vec3(0.01 * a, 3 * std::sin(a), -3 * std::cos(a)));
  const View view = choose_view(swing, Vec3(0, 0, -9.81), false, std::nullopt);
  EXPECT_EQ(view.right, Vec3(0, 1, 0));
  EXPECT_EQ(view.up, Vec3(0, 0, 1));
  EXPECT_EQ(view.right_name, "y");
  EXPECT_EQ(view.up_name, "z");
}

TEST(View, AFlatMotionIsSeenFromAbove) {
  std::vector<Vec3> circle;
  for (double a = 0; a <= 6.28; a += 0.1) circle.push_back(Vec3(2 * std::cos(a), std::sin(a), 0.5));
  const View view = choose_view(circle, Vec3(0, 0, -9.81), false, std::nullopt);
  EXPECT_NEAR(std::abs(view.right.x()), 1.0, 1e-9);
  EXPECT_NEAR(std::abs(view.up.y()), 1.0, 1e-9);
}

TEST(View, IsOrthonormalForEveryCloudAndDirection) {
  const std::vector<std::vector<Vec3>> clouds = {
      {}, {Vec3(1, 2, 3)}, {Vec3(0, 0, 0), Vec3(1, 1, 1)}, {Vec3(0, 0, 0), Vec3(0, 0, 5)}};
  const std::vector<Vec3> gravities = {Vec3::Zero(), Vec3(0, 0, -9.81), Vec3(0, -9.81, 0), Vec3(1, 2, 3)};
  const std::vector<std::optional<Vec3>> directions = {std::nullopt, Vec3(0, 0, -1), Vec3(0, 1, 0),
                                                       Vec3(1, 2, 3)};
  for (const auto& cloud : clouds)
    for (const Vec3& gravity : gravities)
      for (const auto& along : directions) {
        const View view = choose_view(cloud, gravity, false, along);
        EXPECT_NEAR(view.right.norm(), 1.0, 1e-12);
        EXPECT_NEAR(view.up.norm(), 1.0, 1e-12);
        EXPECT_NEAR(view.right.dot(view.up), 0.0, 1e-12);
        if (along) {
          EXPECT_NEAR(view.right.cross(view.up).dot(along->normalized()), -1.0, 1e-12);
        }
      }
}

TEST(FilmStrip, HasOnePanelPerSnapshot) {
  Simulation sim = pendulum();
  FilmStrip film;
  expect_clean_svg(film.render());
  for (int k = 0; k < 6; ++k) {
    film.snapshot(sim);
    for (int i = 0; i < 10; ++i) {
      film.trace(sim);
      ASSERT_TRUE(sim.step(0.01).ok());
    }
  }
  EXPECT_EQ(film.size(), 6);
  const std::string svg = film.render({.title = "pendulum & co"});
  expect_clean_svg(svg);
  EXPECT_EQ(count(svg, "<clipPath"), 6);
  EXPECT_EQ(count(svg, "t = "), 6);
}

TEST(FilmStrip, DrawsEveryShape) {
  Model model;
  model.add("point", std::make_shared<Particle3>(1.0), {.position = Vec3(0, 0, 0)});
  model.add("rod", rod(1, 1), {.position = Vec3(1, 0, 0)}, {Shape::Kind::rod, Vec3(1, 0.02, 0)});
  model.add("ball", sphere(1, 0.5), {.position = Vec3(3, 0, 1)}, {Shape::Kind::sphere, Vec3(0.5, 0, 0)});
  const BodyId crate =
      model.add("box", box(1, Vec3(1, 1, 1)), {.position = Vec3(5, 0, 2)}, {Shape::Kind::box, Vec3(1, 1, 1)});
  model.add("spring",
            spring_damper(model.join(crate, world, Vec3(5, 0, 2), Vec3::UnitZ(), Vec3(5, 0, 4)), 10, 0, 1));
  model.add("rope", distance(model.join(crate, world, Vec3(5, 0, 2), Vec3::UnitZ(), Vec3(7, 0, 2)), 2.0));
  const Simulation sim(std::move(model));
  FilmStrip film;
  film.snapshot(sim);
  const std::string svg = film.render();
  expect_clean_svg(svg);
  EXPECT_GE(count(svg, "<circle"), 2);
  EXPECT_GE(count(svg, "<line"), 1 + 12 + 1);  // rod, edges of the box, rope
  EXPECT_GE(count(svg, "<polyline"), 1);       // spring
  EXPECT_EQ(count(svg, "<path"), 1);           // bearing of the rope
}

TEST(SvgText, EscapesWhatXmlReserves) {
  EXPECT_EQ(svg::escape("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
  EXPECT_EQ(svg::escape("λ·\n"), "λ·");
}

}  // namespace
}  // namespace catena
