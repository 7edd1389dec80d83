// A scene from text, and its run as files: a table, a film strip, and an animated model for any glTF viewer.
#include <catena/output.h>
#include <catena/scene.h>

#include <cstdio>

constexpr const char* kScene = R"(
title: Two links
parameters: {length: 1.0}
bodies:
  - {name: upper, kind: rigid, mass: 1, from: [0, 0, 0], to: [length, 0, 0], shape: {kind: rod, radius: 0.02}}
  - {name: lower, kind: rigid, mass: 1, from: [length, 0, 0], to: [2*length, 0, 0], shape: {kind: rod, radius: 0.02}}
constraints:
  - {name: shoulder, kind: hinge, a: upper, b: world, point: [0, 0, 0], axis: [0, 1, 0]}
  - {name: elbow, kind: hinge, a: lower, b: upper, point: [length, 0, 0], axis: [0, 1, 0]}
)";

int main() {
  using namespace catena;
  const Scene scene = parse_scene(kScene, "two links", {{"length", "0.5"}});
  Simulation sim = make_simulation(scene);
  CsvWriter table("two-links.csv", sim, scene.probes);
  Recording recording(sim, scene.probes);
  FilmStrip film;
  for (int step = 0; step < 1000; ++step) {
    if (step % 125 == 0) film.snapshot(sim);
    if (const StepReport report = sim.step(1e-3); !report.ok()) return std::puts(report.message.c_str()), 1;
    table.record(sim);
    recording.record_if_due(sim);
    film.trace(sim);
  }
  table.close();
  write_text("two-links.svg", film.render({.title = scene.title}));
  write_text("two-links.glb", make_gltf(recording, {.title = scene.title}));
  std::printf("%llu rows, %d panels, %zu frames\n", static_cast<unsigned long long>(table.rows()),
              film.size(), recording.frames());
  return table.rows() == 1000 && film.size() == 8 && recording.frames() > 50 ? 0 : 1;
}
