"""Line drawings of bodies in space as SVG: projection, solids, arrows, labels.

Colours have meanings: body a is blue, body b grey, what is free orange, helping lines thin.
"""
import math

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
