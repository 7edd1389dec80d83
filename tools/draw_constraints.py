#!/usr/bin/env python3
"""Draws the figures of docs/constraints: draw_constraints.py [NAME...] writes docs/images/constraints/NAME.svg

Body a is blue, body b grey, what is free orange, helping lines thin. A figure is a function below; names are those of the pages.
"""
import math
import sys

from sources import ROOT

BLUE, GREY, FREE, THIN, INK = "#2f6fb3", "#8b9098", "#d9580d", "#9aa0a8", "#5a6068"
FILLS = {BLUE: "#cfe0f3", GREY: "#e4e6e9", FREE: "#fbe3d4", INK: "#f3f1ea"}
WIDTH, HEIGHT, MARGIN = 360, 260, 26
X, Y, Z, O = (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)


def add(p, q, s=1.0):
    return tuple(a + s * b for a, b in zip(p, q))


def dot(p, q):
    return sum(a * b for a, b in zip(p, q))


def cross(p, q):
    return (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])


def unit(p):
    return tuple(a / math.sqrt(dot(p, p)) for a in p)


def across(axis):
    """Two unit vectors that make a right-handed frame with the axis, the first one near x (near y when the axis is)."""
    n = unit(axis)
    helper = X if abs(n[0]) < 0.8 else Y
    e = unit(add(helper, n, -dot(helper, n)))
    return e, cross(n, e)


def hull(points):
    """Convex hull in the picture, counter-clockwise (Andrew's monotone chain)."""
    points = sorted(set((round(x, 9), round(y, 9)) for x, y in points))

    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(points) + half(points[::-1])


class Figure:
    """Collects shapes in model coordinates and writes them, in their order, to fill the picture."""

    def __init__(self, view="space"):
        self.view, self.items = view, []

    def project(self, p):
        if self.view == "front":  # x to the right, z up
            return (p[0], -p[2])
        return ((p[0] + p[1]) * math.cos(math.pi / 6), (p[0] - p[1]) * 0.5 - p[2])  # x to the lower right, y to the upper right

    def towards_viewer(self, direction):
        return dot(direction, (0, -1, 0) if self.view == "front" else (1, -1, 1)) > 0

    def shape(self, flat, colour, width=1.6, fill=None, closed=True, dash=None, head=False, tail=False):
        self.items.append(("path", flat, colour, width, fill, closed, dash, head, tail))

    def line(self, *points, colour=INK, width=1.6, dash=None):
        self.shape([self.project(p) for p in points], colour, width, closed=False, dash=dash)

    def thin(self, *points):
        self.line(*points, colour=THIN, width=1.0, dash="4 3")

    def polygon(self, points, colour, width=1.6):
        self.shape([self.project(p) for p in points], colour, width, FILLS[colour])

    def box(self, centre, size, colour, x=X, y=Y):
        """A box with full edges `size` along x, y and x × y."""
        half = [tuple(0.5 * s * c for c in axis) for s, axis in zip(size, (x, y, cross(x, y)))]
        for i in range(3):
            e = half[i] if self.towards_viewer(half[i]) else tuple(-c for c in half[i])
            f, g = half[(i + 1) % 3], half[(i + 2) % 3]
            middle = add(centre, e)
            self.polygon([add(add(middle, f, s), g, t) for s, t in ((1, 1), (1, -1), (-1, -1), (-1, 1))], colour)

    def circle(self, centre, axis, radius, begin=0.0, end=360.0):
        e, f = across(axis)
        steps = max(2, int(abs(end - begin) / 6))
        angles = [math.radians(begin + (end - begin) * i / steps) for i in range(steps + 1)]
        return [add(add(centre, e, radius * math.cos(t)), f, radius * math.sin(t)) for t in angles]

    def ring(self, centre, axis, radius, colour, width=1.6, dash=None, begin=0.0, end=360.0):
        self.shape([self.project(p) for p in self.circle(centre, axis, radius, begin, end)], colour, width, closed=False,
                   dash=dash)

    def cylinder(self, start, end, radius, colour):
        axis = unit(add(end, start, -1))
        rims = [self.circle(p, axis, radius) for p in (start, end)]
        self.shape(hull([self.project(p) for rim in rims for p in rim]), colour, fill=FILLS[colour])
        self.polygon(rims[1 if self.towards_viewer(axis) else 0], colour)

    def sphere(self, centre, radius, colour):
        x, y = self.project(centre)
        r = radius * (1.0 if self.view == "front" else math.sqrt(1.5))
        angles = [math.radians(6 * i) for i in range(60)]
        self.shape([(x + r * math.cos(t), y + r * math.sin(t)) for t in angles], colour, fill=FILLS[colour])

    def dot(self, p, colour=INK):
        self.items.append(("dot", [self.project(p)], colour))

    def arrow(self, start, end, colour=FREE, both=False, width=2.2):
        self.shape([self.project(start), self.project(end)], colour, width, closed=False, head=True, tail=both)

    def turn(self, centre, axis, radius, begin=20.0, end=300.0, both=False, colour=FREE):
        flat = [self.project(p) for p in self.circle(centre, axis, radius, begin, end)]
        self.shape(flat, colour, 2.2, closed=False, head=True, tail=both)

    def text(self, p, text, colour=INK, dx=0.0, dy=0.0, size=15):
        self.items.append(("text", [self.project(p)], colour, text, dx, dy, size))

    def ground(self, at, size=1.0):
        """The world, as a plate below a point."""
        self.box(add(at, (0, 0, -0.06)), (size, size, 0.12), GREY)

    def svg(self, title):
        xs = [x for item in self.items for x, _ in item[1]]
        ys = [y for item in self.items for _, y in item[1]]
        scale = min((WIDTH - 2 * MARGIN) / (max(xs) - min(xs)), (HEIGHT - 2 * MARGIN) / (max(ys) - min(ys)))
        dx, dy = WIDTH / 2 - scale * (max(xs) + min(xs)) / 2, HEIGHT / 2 - scale * (max(ys) + min(ys)) / 2
        place = lambda points: [(dx + scale * x, dy + scale * y) for x, y in points]
        body = "\n".join(draw_item(item, place(item[1])) for item in self.items)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
                f'font-family="sans-serif" font-style="italic" stroke-linejoin="round" stroke-linecap="round">\n'
                f'<title>{title}</title>\n<rect width="{WIDTH}" height="{HEIGHT}" rx="12" fill="#ffffff"/>\n{body}\n</svg>\n')


def arrow_head(tip, before, colour):
    """A filled triangle of fixed size at `tip`, pointing away from `before`."""
    angle = math.atan2(tip[1] - before[1], tip[0] - before[0])
    points = [tip] + [(tip[0] - 9 * math.cos(angle + turn), tip[1] - 9 * math.sin(angle + turn)) for turn in (0.4, -0.4)]
    return f'<path d="{path(points)} Z" fill="{colour}" stroke="none"/>'


def path(points):
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def draw_item(item, points):
    if item[0] == "dot":
        return f'<circle cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="3.2" fill="{item[2]}"/>'
    if item[0] == "text":
        _, _, colour, text, dx, dy, size = item
        return (f'<text x="{points[0][0] + dx:.1f}" y="{points[0][1] + dy + 0.35 * size:.1f}" font-size="{size}" text-anchor="middle" '
                f'fill="{colour}">{text}</text>')
    _, _, colour, width, fill, closed, dash, head, tail = item
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    parts = [f'<path d="{path(points)}{" Z" if closed else ""}" fill="{fill or "none"}" stroke="{colour}" stroke-width="{width}"{dashes}/>']
    back = min(3, len(points) - 1)  # an arc's head follows the curve a little
    if head:
        parts.append(arrow_head(points[-1], points[-1 - back], colour))
    if tail:
        parts.append(arrow_head(points[0], points[back], colour))
    return "".join(parts)


# One function per figure. Angles of arcs count from x, right-handed about the axis; from y when the axis is x.

AGAINST_Y = (0, -1, 0)  # arcs about it go from x to z, counter-clockwise in the front view


def ball(f):
    f.ground((0, 0, -0.75), 1.1)
    f.cylinder((0, 0, -0.75), (0, 0, -0.3), 0.12, GREY)
    f.ring(O, Z, 0.42, GREY, 3)
    f.sphere(O, 0.3, BLUE)
    f.cylinder((0.22, 0.22, 0.22), (0.85, 0.85, 0.85), 0.1, BLUE)
    f.turn((0.55, 0.55, 0.55), (1, 1, 1), 0.32, 100, 390, both=True)
    f.turn(O, AGAINST_Y, 0.62, 95, 150, both=True)
    f.turn(O, Z, 0.62, 190, 250, both=True)
    f.text((0.95, 0.95, 0.95), "a", BLUE, 4, -6)
    f.text((0, 0, -0.75), "b", GREY, -52, 0)


def hinge(f):
    f.thin((0, 0, -1.0), (0, 0, 1.2))
    f.cylinder((0, 0, -0.75), (0, 0, -0.3), 0.17, GREY)
    f.box((0, -0.55, -0.52), (0.1, 0.8, 0.42), GREY)
    f.cylinder((0, 0, -0.3), (0, 0, 0.3), 0.17, BLUE)
    f.box((0.6, 0, 0), (0.85, 0.1, 0.55), BLUE)
    f.cylinder((0, 0, 0.3), (0, 0, 0.75), 0.17, GREY)
    f.box((0, -0.55, 0.52), (0.1, 0.8, 0.42), GREY)
    f.turn((0, 0, 0.95), Z, 0.34, -60, 210, both=True)
    f.arrow((0, 0, 1.05), (0, 0, 1.35), INK, width=1.2)
    f.text((0, 0, 1.47), "z")
    f.text((0.6, -0.05, 0), "a", BLUE)
    f.text((0, -0.95, 0.52), "b", GREY, -14, 0)


def universal(f):
    f.cylinder((-1.4, 0, 0), (-0.64, 0, 0), 0.13, GREY)
    f.box((-0.6, 0, 0), (0.09, 0.18, 0.9), GREY)
    for z in (-0.4, 0.4):
        f.box((-0.27, 0, z), (0.65, 0.18, 0.09), GREY)
    f.thin((0, -0.9, 0), (0, 0.9, 0))
    f.thin((0, 0, -0.75), (0, 0, 0.8))
    f.cylinder((0, 0, -0.38), (0, 0, 0.38), 0.06, GREY)
    f.box((0.27, 0.4, 0), (0.65, 0.09, 0.18), BLUE)
    f.cylinder((0, 0.38, 0), (0, -0.38, 0), 0.06, BLUE)
    f.box((0.27, -0.4, 0), (0.65, 0.09, 0.18), BLUE)
    f.box((0.6, 0, 0), (0.09, 0.9, 0.18), BLUE)
    f.cylinder((0.64, 0, 0), (1.4, 0, 0), 0.13, BLUE)
    f.turn((0, 0, 0.72), Z, 0.24, -60, 210, both=True)
    f.turn((0, -0.85, 0), Y, 0.24, -60, 210, both=True)
    f.text((0, 0, 1.0), "z of b", INK, 0, 0, 13)
    f.text((0, -1.15, 0), "x of a", INK, -10, 6, 13)
    f.text((1.4, 0, 0), "a", BLUE, 18, 10)
    f.text((-1.4, 0, 0), "b", GREY, -16, -6)


def constant_velocity(f):
    bend = unit((1, 0, 0.55))
    f.thin((-1.5, 0, 0), (1.3, 0, 0))
    f.cylinder((-1.3, 0, 0), (-0.25, 0, 0), 0.14, GREY)
    f.sphere(O, 0.34, GREY)
    f.cylinder(add(O, bend, 0.3), add(O, bend, 1.45), 0.14, BLUE)
    f.turn((-0.95, 0, 0), X, 0.32, -60, 210)
    f.turn(add(O, bend, 1.05), bend, 0.32, -60, 210)
    f.turn(O, AGAINST_Y, 1.8, 8, 50, both=True)
    f.text((-0.95, 0, 0.5), "ω", FREE, 6, 0)
    f.text(add(add(O, bend, 1.05), Z, 0.5), "ω", FREE)
    f.text(add(O, bend, 1.45), "a", BLUE, 6, 20)
    f.text((-1.45, 0, 0), "b", GREY, -4, -8)


def slider(f):
    f.box((0, 0, -0.28), (2.4, 0.5, 0.16), GREY)
    f.box((0, 0, -0.1), (2.4, 0.2, 0.2), GREY)
    f.box((0, 0, 0.12), (0.8, 0.6, 0.4), BLUE)
    f.arrow((-0.5, 0, 0.75), (0.5, 0, 0.75), both=True)
    f.arrow((1.2, 0, -0.1), (1.65, 0, -0.1), INK, width=1.2)
    f.text((1.78, 0, -0.1), "z")
    f.text((0, -0.3, 0.12), "a", BLUE)
    f.text((-0.9, -0.25, -0.28), "b", GREY, -6, 12)


def cylindrical(f):
    f.thin((0, 0, -1.3), (0, 0, 1.5))
    f.ground((0, 0, -1.05), 1.0)
    f.cylinder((0, 0, -1.05), (0, 0, -0.2), 0.1, GREY)
    f.cylinder((0, 0, -0.2), (0, 0, 0.2), 0.4, BLUE)
    f.cylinder((0, 0, 0.2), (0, 0, 1.1), 0.1, GREY)
    f.turn(O, Z, 0.62, -150, 100, both=True)
    f.arrow((0.75, 0.75, -0.35), (0.75, 0.75, 0.45), both=True)
    f.arrow((0, 0, 1.15), (0, 0, 1.5), INK, width=1.2)
    f.text((0, 0, 1.62), "z")
    f.text((0.3, -0.3, 0.1), "a", BLUE)
    f.text((0, 0, -0.75), "b", GREY, 18, 0)


def planar(f):
    f.box((0, 0, -0.06), (2.4, 2.0, 0.12), GREY)
    f.cylinder((0, 0, 0), (0, 0, 0.25), 0.36, BLUE)
    f.arrow((0.5, 0, 0), (1.15, 0, 0))
    f.arrow((-0.5, 0, 0), (-1.1, 0, 0))
    f.arrow((0, 0.5, 0), (0, 0.95, 0))
    f.arrow((0, -0.5, 0), (0, -0.95, 0))
    f.turn((0, 0, 0.6), Z, 0.3, -60, 210, both=True)
    f.arrow((0, 0, 0.25), (0, 0, 1.0), INK, width=1.2)
    f.text((0, 0, 1.13), "z")
    f.text((0.25, -0.25, 0.12), "a", BLUE)
    f.text((1.2, -1.0, -0.06), "b", GREY, 0, 16)


def weld(f):
    f.ground((0, 0, -0.7), 1.2)
    f.box((0, 0, -0.35), (0.5, 0.5, 0.7), GREY)
    f.box((0.35, 0, 0.25), (1.2, 0.5, 0.5), BLUE)
    for k in range(6):
        x = -0.25 + 0.1 * k
        f.line((x, -0.25, 0.02), (x + 0.04, -0.25, -0.08), colour=INK, width=2.4)
    f.text((0.5, -0.25, 0.25), "a", BLUE)
    f.text((0, -0.25, -0.4), "b", GREY)


def distance(f):
    p, q = (-0.9, 0, 0.3), (0.9, 0, 0.3)
    f.box((-1.15, 0, 0.3), (0.5, 0.5, 0.5), GREY)
    f.line(p, q, width=3)
    f.box((1.2, 0, 0.3), (0.6, 0.5, 0.5), BLUE)
    f.dot(p)
    f.dot(q)
    f.thin(p, add(p, Z, 0.5))
    f.thin(q, add(q, Z, 0.5))
    f.arrow(add(p, Z, 0.42), add(q, Z, 0.42), INK, both=True, width=1.2)
    f.text((0, 0, 0.72), "length", INK, 22, -8)
    f.turn(p, AGAINST_Y, 2.75, -10, 14, both=True)
    f.text((1.2, -0.25, 0.3), "a", BLUE)
    f.text((-1.15, -0.25, 0.3), "b", GREY)


def nail(f):
    along, up = unit((1, 0, -0.35)), unit((0.35, 0, 1))
    f.box((0, 0, 0), (1.6, 0.1, 0.9), BLUE, along, Y)
    p = add(add(add(O, along, -0.65), up, 0.3), Y, -0.05)
    f.thin(add(p, X, -0.6), add(p, X, 0.6))
    f.thin(add(p, Z, -0.6), add(p, Z, 0.6))
    f.line(p, add(p, (-0.05, -0.35, 0.12)), colour=GREY, width=4)
    f.dot(p)
    f.turn(p, AGAINST_Y, 1.85, -38, -2, both=True)
    f.text(add(p, Z, 0.6), "target, in the world", GREY, 10, -10, 13)
    f.text((0.25, -0.05, -0.1), "a", BLUE)


def point_on_curve(f):
    curve = [(-1.4 + 0.05 * k, -0.2 * math.sin(0.09 * k), 0.4 * math.cos(0.075 * k)) for k in range(64)]
    f.line(*curve, colour=GREY, width=3)
    p, tangent = curve[32], unit(add(curve[34], curve[30], -1))
    f.sphere(p, 0.13, BLUE)
    for begin, end in ((40, 52), (24, 12)):
        step = 1 if end > begin else -1
        f.line(*curve[begin:end:step], colour=FREE, width=2.4)
        f.arrow(curve[end - 2 * step], curve[end])
    n = unit(cross(tangent, Y))
    for name, normal in (("n₁", n), ("n₂", cross(tangent, n))):
        f.arrow(p, add(p, normal, 0.6), INK, width=1.2)
        f.text(add(p, normal, 0.75), name, INK, size=13)
    f.text(p, "a", BLUE, -16, 14)
    f.text(curve[0], "b: c(u)", GREY, 34, 0)


def toothed(f, centre, radius, colour, teeth, phase=0.0):
    """A gear wheel in the front view."""
    points = []
    for k in range(teeth):
        for part, r in ((-0.3, radius - 0.05), (-0.18, radius + 0.05), (0.18, radius + 0.05), (0.3, radius - 0.05)):
            angle = 2 * math.pi * (k + part) / teeth + phase
            points.append(add(centre, (r * math.cos(angle), 0, r * math.sin(angle))))
    f.polygon(points, colour)
    f.dot(centre, colour)


def gear(f):
    toothed(f, (-0.75, 0, 0), 0.75, BLUE, 18, math.pi / 18)
    toothed(f, (0.45, 0, 0), 0.45, GREY, 11)
    f.turn((-0.75, 0, 0), AGAINST_Y, 0.92, 60, 120)
    f.turn((0.45, 0, 0), AGAINST_Y, 0.62, 120, 60)
    f.text((-0.75, 0, 1.08), "ω_a", FREE, size=14)
    f.text((0.45, 0, 0.78), "ω_b", FREE, size=14)
    f.text((-0.75, 0, -0.25), "a", BLUE)
    f.text((0.45, 0, -0.2), "b", GREY)


def gear_on_carrier(f):
    planet = (0.66, 0, 0.66)
    toothed(f, O, 0.53, GREY, 13, math.pi / 4)
    toothed(f, planet, 0.4, BLUE, 10, math.pi * 1.25 + math.pi / 10)
    f.line(O, planet, colour=INK, width=5)
    f.dot(O, GREY)
    f.dot(planet, BLUE)
    f.turn(O, AGAINST_Y, 1.45, 30, 65)
    f.turn(planet, AGAINST_Y, 0.56, 100, 190)
    f.turn(O, AGAINST_Y, 0.7, 250, 160)
    f.text((0, 0, -0.25), "b", GREY)
    f.text(add(planet, (0.18, 0, -0.12)), "a", BLUE)
    f.text((0.33, 0, 0.33), "carrier", INK, 34, 20, 13)
    f.text((1.2, 0, 1.0), "ω_c", FREE, 6, -6, 14)
    f.text(add(planet, (-0.6, 0, 0.3)), "ω_a", FREE, -8, 0, 14)
    f.text((-0.85, 0, 0), "ω_b", FREE, -8, 0, 14)


def differential(f):
    f.cylinder((0, 1.62, 0), (0, 1.5, 0), 0.5, BLUE)
    f.cylinder((0, 1.5, 0), (0, 0.4, 0), 0.12, BLUE)
    f.turn((0, 0.95, 0), Y, 0.34, -60, 210)
    f.box((0, 0, 0), (0.75, 0.8, 0.75), INK)
    f.cylinder((0, -0.4, 0), (0, -1.5, 0), 0.12, GREY)
    f.cylinder((0, -1.5, 0), (0, -1.62, 0), 0.5, GREY)
    f.turn((0, -0.85, 0), Y, 0.34, -60, 210)
    f.turn((0, -0.1, 0), Y, 0.8, 200, 290)
    f.text((0.38, 0, 0), "carrier", INK, 0, 0, 13)
    f.text((0, 1.9, 0.3), "a", BLUE, 0, 0)
    f.text((0, -1.95, 0), "b", GREY, 0, 4)


def screw(f):
    f.thin((0, 0, -1.2), (0, 0, 1.5))
    f.ground((0, 0, -1.0), 0.9)
    thread = unit((-0.12, -0.12, 1))  # rises to the right in front: right-handed
    f.cylinder((0, 0, -1.0), (0, 0, -0.2), 0.16, GREY)
    for k in range(5):
        f.ring((0, 0, -0.88 + 0.13 * k), thread, 0.165, GREY, 1.4, begin=-135, end=45)
    f.cylinder((0, 0, -0.2), (0, 0, 0.15), 0.42, BLUE)
    f.cylinder((0, 0, 0.15), (0, 0, 1.05), 0.16, GREY)
    for k in range(6):
        f.ring((0, 0, 0.26 + 0.13 * k), thread, 0.165, GREY, 1.4, begin=-135, end=45)
    f.turn(O, Z, 0.66, -150, 60)
    f.arrow((0.85, 0.85, -0.3), (0.85, 0.85, 0.45))
    f.text((0.85, 0.85, -0.5), "pitch per turn", INK, 0, 4, 12)
    f.arrow((0, 0, 1.1), (0, 0, 1.45), INK, width=1.2)
    f.text((0, 0, 1.57), "z")
    f.text((0.3, -0.3, 0.05), "a", BLUE)
    f.text((0, 0, -0.75), "b", GREY, 24, 0)


def rack(f):
    teeth = [(-1.5, 0, -0.85)]
    for k in range(15):
        teeth += [(-1.5 + 0.2 * k + d, 0, z) for d, z in ((0.0, -0.5), (0.05, -0.4), (0.1, -0.4), (0.15, -0.5))]
    f.polygon(teeth + [(1.5, 0, -0.5), (1.5, 0, -0.85)], BLUE)
    toothed(f, (0, 0, 0.1), 0.52, GREY, 16, -math.pi / 2 + math.pi / 16)
    f.turn((0, 0, 0.1), AGAINST_Y, 0.72, 50, 130)
    f.arrow((-0.4, 0, -1.05), (0.8, 0, -1.05))
    f.arrow((0, 0, 0.1), (0.36, 0, 0.46), INK, width=1.2)
    f.text((0.28, 0, 0.2), "r", INK, 0, 0, 13)
    f.text((-0.2, 0, 0.2), "b", GREY)
    f.text((-1.2, 0, -0.68), "a", BLUE)
    f.arrow((-1.45, 0, 0.35), (-0.95, 0, 0.35), INK, width=1.2)
    f.text((-1.2, 0, 0.5), "x of carrier", INK, 0, 0, 12)


def rope(f):
    f.line((-1.6, 0, 1.0), (1.6, 0, 1.0), colour=GREY, width=4)
    for x in (-0.8, 0.7):
        f.line((x, 0, 1.0), (x, 0, 0.6), colour=GREY, width=2)
        f.ring((x, 0, 0.6), Y, 0.12, GREY)
    points = [(-1.1, 0, -0.6), (-0.8, 0, 0.6), (0.7, 0, 0.6), (1.0, 0, -0.9)]
    f.line(*points, width=2.4)
    f.box((-1.1, 0, -0.8), (0.5, 0.4, 0.4), BLUE)
    f.box((1.0, 0, -1.1), (0.5, 0.4, 0.4), BLUE)
    for p in points:
        f.dot(p)
    f.arrow((-1.55, 0, -1.0), (-1.55, 0, -0.5))
    f.arrow((1.45, 0, -0.8), (1.45, 0, -1.3))
    f.text((-1.1, 0, -0.8), "first", BLUE, size=13)
    f.text((1.0, 0, -1.1), "last", BLUE, size=13)
    f.text((-0.05, 0, 0.35), "length: sum of", INK, 0, 0, 13)
    f.text((-0.05, 0, 0.15), "the stretches", INK, 0, 0, 13)
    f.text((1.45, 0, 0.85), "world", GREY, 0, 0, 13)


def drum(f):
    f.polygon(f.circle((0, 0, 0.4), Y, 0.6), GREY)
    for k in range(3):
        f.ring((0, 0, 0.4), Y, 0.63 + 0.035 * k, INK, 1.2)
    f.dot((0, 0, 0.4), GREY)
    f.line((0.7, 0, 0.4), (0.7, 0, -1.0), width=2.4)
    f.box((0.7, 0, -1.2), (0.5, 0.4, 0.4), BLUE)
    f.dot((0.7, 0, -1.0))
    f.turn((0, 0, 0.4), AGAINST_Y, 0.95, 220, 140)
    f.arrow((1.15, 0, -0.9), (1.15, 0, -1.4))
    f.line((0, 0, 0.4), (-0.42, 0, -0.03), colour=INK, width=1.2)
    f.text((-0.15, 0, 0.1), "r", INK, 6, 6, 13)
    f.text((0.7, 0, -0.35), "t, the free length", INK, 62, 0, 12)
    f.text((-0.15, 0, 0.65), "b", GREY)
    f.text((0.7, 0, -1.2), "a", BLUE)


def centre_of_mass(f):
    places = [(-1.2, 0, 0.5), (0.6, 0.9, 0.2), (0.9, -0.9, 0.2)]
    centre = tuple(sum(p[i] for p in places) / 3 for i in range(3))
    for k, p in enumerate(places):
        f.thin(p, centre)
        f.box(p, (0.5, 0.4, 0.35), BLUE)
        f.text(add(p, (0, -0.2, 0)), "a₁ a₂ a₃".split()[k], BLUE, 0, 0, 13)
    f.sphere(centre, 0.09, FREE)
    f.arrow(add(centre, Z, 0.75), add(centre, Z, 0.12), GREY, width=1.6)
    f.text(add(centre, Z, 0.87), "target", GREY, size=13)


def point_on_surface(f):
    height = lambda x, y: (x, y, 0.3 * (x * x + y * y) - 0.4)
    for k in range(5):
        f.line(*[height(-1 + 0.1 * i, -1 + 0.5 * k) for i in range(21)], colour=GREY)
        f.line(*[height(-1 + 0.5 * k, -1 + 0.1 * i) for i in range(21)], colour=GREY)
    p = height(0, 0)
    f.sphere(p, 0.12, BLUE)
    f.arrow(p, add(p, Z, 0.75), INK, width=1.2)
    f.text(add(p, Z, 0.9), "n = ∇f")
    for axis in (X, Y):
        for sign in (-1, 1):
            f.arrow(add(p, axis, 0.2 * sign), add(p, axis, 0.7 * sign))
    f.text(p, "a", BLUE, 0, 20)
    f.text((1, -1, 0.2), "b: f = 0", GREY, 0, 18)


def ellipse_points(centre, a, b, tilt):
    c, s = math.cos(tilt), math.sin(tilt)
    turn = lambda x, z: add(centre, (c * x - s * z, 0, s * x + c * z))
    return [turn(a * math.cos(math.radians(t)), b * math.sin(math.radians(t))) for t in range(0, 360, 5)]


def tangency(f):
    f.polygon([(-1.7, 0, -0.6), (1.7, 0, -0.6), (1.7, 0, -0.75), (-1.7, 0, -0.75)], GREY)
    tilt = 0.45
    height = math.sqrt((0.9 * math.sin(tilt))**2 + (0.5 * math.cos(tilt))**2)
    centre = (0, 0, height - 0.6)
    f.polygon(ellipse_points(centre, 0.9, 0.5, tilt), BLUE)
    touch = (-(0.81 - 0.25) * math.sin(tilt) * math.cos(tilt) / height, 0, -0.6)
    f.arrow(touch, add(touch, Z, 1.25), INK, width=1.2)
    f.dot(touch)
    f.arrow((0.55, 0, -0.45), (1.25, 0, -0.45), both=True)
    f.turn(centre, AGAINST_Y, 1.05, 155, 200, both=True)
    f.text(add(touch, Z, 1.37), "n", INK)
    f.text(add(centre, X, 0.35), "a", BLUE)
    f.text((-1.5, 0, -0.6), "b", GREY, 0, -14)


def rolling(f):
    f.box((0, 0, -0.05), (3.0, 1.6, 0.1), GREY)
    f.line(*[(-1.35 + 0.1 * k, 0.03 * (13 - k)**2 / 13, 0) for k in range(14)], colour=FREE, width=1.4, dash="4 3")
    f.cylinder((0, 0.08, 0.7), (0, -0.08, 0.7), 0.7, BLUE)
    f.dot((0, -0.08, 0.0))
    f.turn((0, -0.1, 0.7), Y, 0.45, 190, 330)
    f.arrow((0.25, -0.1, 0), (1.25, -0.1, 0))
    f.turn((0, 0, 1.65), Z, 0.28, -60, 210, both=True)
    f.text((0, -0.08, 0.7), "a", BLUE, 0, 6)
    f.text((1.5, -0.8, -0.05), "b", GREY, 0, 16)
    f.text((0.1, -0.35, 0), "no slip", INK, 0, 10, 12)


def knife_edge(f):
    f.box((0, 0, -0.05), (3.0, 1.8, 0.1), GREY)
    f.arrow((-0.1, 0.2, 0.0), (-0.1, 0.85, 0.0), INK, width=1.2)
    f.polygon([(-0.6, 0, 0.0), (0.6, 0, 0.0), (0.75, 0, 0.2), (-0.7, 0, 0.2)], BLUE)
    f.box((0, 0, 0.3), (1.2, 0.3, 0.2), BLUE)
    f.arrow((0.85, 0, 0.05), (1.45, 0, 0.05))
    f.arrow((-0.85, 0, 0.05), (-1.45, 0, 0.05))
    f.turn((0, 0, 0.75), Z, 0.35, -60, 210, both=True)
    f.text((0.25, 0.72, 0), "y: held", INK, 12, 0, 13)
    f.text((1.3, 0, 0.05), "x", INK, 6, -14, 13)
    f.text((0.2, -0.2, 0.3), "a", BLUE)
    f.text((1.5, -0.9, -0.05), "b", GREY, 0, 16)


def driven(f):
    f.ground((0, 0, -0.9), 1.2)
    f.cylinder((0, 0, -0.9), (0, 0, -0.1), 0.2, GREY)
    f.thin((0, 0, 0.05), (0.5, -1.2, 0.05))
    f.cylinder((0, 0, -0.1), (0, 0, 0.2), 0.3, BLUE)
    f.box((0.65, 0, 0.05), (0.9, 0.2, 0.2), BLUE)
    f.turn((0, 0, 0.05), Z, 1.25, -65, -6)
    f.arrow((0, 0, 0.2), (0, 0, 0.95), INK, width=1.2)
    f.text((0, 0, 1.08), "z")
    f.text((1.15, -0.85, 0.05), "φ(t)", FREE, 4, 14)
    f.text((0.8, -0.1, 0.05), "a", BLUE)
    f.text((0, 0, -0.6), "b", GREY)


def rotor_gear(f):
    f.thin((-0.8, -0.8, -0.2), (-0.8, -0.8, 1.1))
    f.cylinder((-0.8, -0.8, 0.1), (-0.8, -0.8, 0.55), 0.32, GREY)
    f.turn((-0.8, -0.8, 0.8), Z, 0.32, -60, 250)
    f.thin((0, 0, -1.1), (0, 0, 0.8))
    f.ground((0, 0, -0.9), 1.0)
    f.cylinder((0, 0, -0.9), (0, 0, -0.3), 0.22, GREY)
    f.cylinder((0, 0, -0.3), (0, 0, 0.0), 0.28, BLUE)
    f.box((0.75, 0, -0.15), (1.1, 0.22, 0.2), BLUE)
    f.turn((0, 0, 0.35), Z, 0.4, -30, 100)
    f.text((-0.8, -0.8, 0.2), "rotor", INK, 0, 0, 13)
    f.text((-0.8, -0.8, 1.2), "n times as fast", FREE, 0, -6, 13)
    f.text((0.9, -0.1, -0.15), "a", BLUE)
    f.text((0, 0, -0.65), "b", GREY)


FRONT = {"gear", "gear-on-carrier", "rack", "rope", "drum", "tangency"}
FIGURES = {function.__name__.replace("_", "-"): function for function in (
    ball, hinge, universal, constant_velocity, slider, cylindrical, planar, weld, distance, nail, point_on_curve, gear,
    gear_on_carrier, differential, screw, rack, rope, drum, centre_of_mass, point_on_surface, tangency, rolling, knife_edge, driven, rotor_gear)}


def main():
    folder = ROOT / "docs" / "images" / "constraints"
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or FIGURES:
        figure = Figure("front" if name in FRONT else "space")
        FIGURES[name](figure)
        (folder / f"{name}.svg").write_text(figure.svg(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
