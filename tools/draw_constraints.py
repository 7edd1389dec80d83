#!/usr/bin/env python3
"""Draws the figures of docs/constraints: draw_constraints.py [NAME...] writes docs/images/constraints/NAME.svg

A figure is a function below; names are those of the pages. How things are drawn is in line_drawing.py.
"""
import math
import sys

from line_drawing import BLUE, GREY, FREE, INK, X, Y, Z, O, add, cross, unit, Figure
from sources import ROOT

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


def remote_drive(f):
    f.line((-1.6, 0, -0.9), (0.2, 0, -0.9), colour=GREY, width=4)
    f.box((-1.2, 0, -0.68), (0.6, 0.4, 0.36), INK)
    f.line((-0.5, 0, -0.9), (-0.5, 0, 0.0), colour=GREY, width=2)
    f.line((-0.5, 0, 0.0), (0.6, 0, 0.45), colour=GREY, width=6)
    f.line((0.6, 0, 0.45), (1.5, 0, 0.15), colour=BLUE, width=6)
    f.line((-1.2, 0, -0.5), (0.6, 0, 0.45), colour=INK, width=1.2)
    f.ring((-0.5, 0, 0.0), Y, 0.1, GREY)
    f.ring((0.6, 0, 0.45), Y, 0.16, BLUE)
    f.ring((-1.2, 0, -0.5), Y, 0.12, INK)
    f.turn((0.6, 0, 0.45), AGAINST_Y, 0.4, 20, 130)
    f.text((1.3, 0, 0.35), "a", BLUE)
    f.text((0.1, 0, 0.05), "b", GREY)
    f.text((-1.2, 0, -1.1), "c takes the reaction", INK, 0, 0, 12)


def sliding_point(f):
    f.box((0, 0, -0.5), (3.0, 1.2, 0.4), GREY)
    f.box((-0.2, 0, -0.05), (0.8, 0.5, 0.5), BLUE)
    f.dot((-0.2, 0, -0.3))
    f.arrow((0.35, 0, 0.0), (1.15, 0, 0.0))
    f.arrow((-0.2, 0, 0.2), (-0.2, 0, 1.0), INK, width=1.6)
    f.arrow((-0.2, 0, 0.2), (-0.45, 0, 1.0), INK, width=1.6)
    f.text((-0.05, 0, 1.05), "n", INK, 0, 0, 13)
    f.text((-0.85, 0, 1.1), "n - μ t", INK, 0, 0, 13)
    f.text((1.25, 0, 0.12), "t", FREE)
    f.text((-0.2, 0, 0.0), "a", BLUE)
    f.text((-1.2, 0, -0.5), "b", GREY)


FRONT = {"gear", "gear-on-carrier", "rack", "rope", "drum", "tangency", "remote-drive", "sliding-point"}
FIGURES = {function.__name__.replace("_", "-"): function for function in (
    ball, hinge, universal, constant_velocity, slider, cylindrical, planar, weld, distance, nail, point_on_curve, gear,
    gear_on_carrier, differential, screw, rack, rope, drum, centre_of_mass, point_on_surface, tangency, rolling, knife_edge, driven, rotor_gear,
    remote_drive, sliding_point)}


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
