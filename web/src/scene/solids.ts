// Solids that stretch without losing their roundness. A vertex is  p·r + s ∘ e : p is a point of a unit piece
// (a cap, a bevel, a wire), r its radius, s how far it goes along the extents e of an instance. Normals do not depend
// on r and e, so that one geometry serves capsules, bevelled boxes, discs, hoops, springs and arrows of every size.
import { BufferAttribute, BufferGeometry } from 'three';

export type SolidKind = 'sphere' | 'capsule' | 'box' | 'disc' | 'hoop' | 'coil' | 'arrow' | 'bracket';

class Mesh {
  p: number[] = [];
  n: number[] = [];
  s: number[] = [];
  faces: number[] = [];

  vertex(px: number, py: number, pz: number, nx: number, ny: number, nz: number, sx: number, sy: number, sz: number): number {
    const norm = Math.hypot(nx, ny, nz) || 1;
    this.p.push(px, py, pz);
    this.n.push(nx / norm, ny / norm, nz / norm);
    this.s.push(sx, sy, sz);
    return this.p.length / 3 - 1;
  }

  quad(a: number, b: number, c: number, d: number): void {
    this.faces.push(a, b, c, a, c, d);
  }

  // a grid of (rows + 1) × (columns + 1) vertices that were just added, row by row
  grid(first: number, rows: number, columns: number): void {
    for (let i = 0; i < rows; ++i) {
      for (let j = 0; j < columns; ++j) {
        const a = first + i * (columns + 1) + j;
        this.quad(a, a + columns + 1, a + columns + 2, a + 1);
      }
    }
  }

  geometry(): BufferGeometry {
    this.orient();
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(this.p), 3));
    geometry.setAttribute('normal', new BufferAttribute(new Float32Array(this.n), 3));
    geometry.setAttribute('spread', new BufferAttribute(new Float32Array(this.s), 3));
    geometry.setIndex(this.faces);
    return geometry;
  }

  // turns faces so that they agree with their normals, measured on an instance with radius 1 and extents 3
  private orient(): void {
    const at = (v: number, k: number) => this.p[3 * v + k] + 3 * this.s[3 * v + k];
    for (let f = 0; f < this.faces.length; f += 3) {
      const [a, b, c] = [this.faces[f], this.faces[f + 1], this.faces[f + 2]];
      const u = [0, 1, 2].map((k) => at(b, k) - at(a, k)), v = [0, 1, 2].map((k) => at(c, k) - at(a, k));
      const cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      let dot = 0;
      for (let k = 0; k < 3; ++k) dot += cross[k] * (this.n[3 * a + k] + this.n[3 * b + k] + this.n[3 * c + k]);
      if (dot < 0) { this.faces[f + 1] = c; this.faces[f + 2] = b; }
    }
  }
}

// How many triangles a solid may have: the more of them, the smaller they are on the screen.
export type Detail = 'fine' | 'medium' | 'coarse';

export function detailFor(count: number): Detail {
  return count < 250 ? 'fine' : count < 1500 ? 'medium' : 'coarse';
}

export function solid(kind: SolidKind, detail: Detail): BufferGeometry {
  const of = (fine: number, medium: number, coarse: number) => (detail === 'fine' ? fine : detail === 'medium' ? medium : coarse);
  switch (kind) {
    case 'sphere': return capsule(of(32, 12, 8), of(12, 4, 2), 0);
    case 'capsule': return capsule(of(20, 8, 6), of(6, 2, 1), 1);
    case 'box': return detail === 'coarse' ? plainBox() : box(detail === 'fine' ? [0, 0.5, 1] : [0, 1]);
    case 'disc': return disc(of(64, 20, 12), of(3, 1, 1));
    case 'hoop': return hoop(of(72, 32, 16), of(12, 6, 4));
    case 'coil': return coil(9, of(14, 8, 6), of(6, 5, 3));
    case 'arrow': return arrow(of(16, 8, 5));
    case 'bracket': return bracket();
  }
}

// Two half spheres along x, apart by the extent.
function capsule(around: number, rings: number, spread: number): BufferGeometry {
  const mesh = new Mesh();
  for (const side of [-1, 1]) {
    for (let i = 0; i <= rings; ++i) {
      const a = side < 0 ? (Math.PI / 2) * (1 - i / rings) : (Math.PI / 2) * (i / rings);
      const x = side * Math.sin(a), r = Math.cos(a);
      for (let j = 0; j <= around; ++j) {
        const b = (2 * Math.PI * j) / around;
        mesh.vertex(x, r * Math.cos(b), r * Math.sin(b), x, r * Math.cos(b), r * Math.sin(b), spread * side, 0, 0);
      }
    }
  }
  mesh.grid(0, 2 * rings + 1, around);
  return mesh.geometry();
}

// Bevelled box: half edges e + r. `half` are the places from the middle of a face (0) to its edge at 45° (1).
function box(half: number[]): BufferGeometry {
  const mesh = new Mesh();
  const places = [...half].reverse().map((u) => ({ u: -u, s: -1 })).concat(half.map((u) => ({ u, s: 1 })));
  for (let axis = 0; axis < 3; ++axis) {
    for (const side of [-1, 1]) {
      const first = mesh.p.length / 3;
      for (const a of places) {
        for (const b of places) {
          const n = [0, 0, 0], s = [0, 0, 0];
          n[axis] = side; n[(axis + 1) % 3] = Math.tan((a.u * Math.PI) / 4); n[(axis + 2) % 3] = Math.tan((b.u * Math.PI) / 4);
          s[axis] = side; s[(axis + 1) % 3] = a.s; s[(axis + 2) % 3] = b.s;
          const norm = Math.hypot(n[0], n[1], n[2]);
          mesh.vertex(n[0] / norm, n[1] / norm, n[2] / norm, n[0], n[1], n[2], s[0], s[1], s[2]);
        }
      }
      mesh.grid(first, places.length - 1, places.length - 1);
    }
  }
  return mesh.geometry();
}

// The same box with sharp edges.
function plainBox(): BufferGeometry {
  const mesh = new Mesh();
  for (let axis = 0; axis < 3; ++axis) {
    for (const side of [-1, 1]) {
      const ids = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => {
        const n = [0, 0, 0], s = [0, 0, 0];
        n[axis] = s[axis] = side; s[(axis + 1) % 3] = a; s[(axis + 2) % 3] = b;
        return mesh.vertex(s[0], s[1], s[2], n[0], n[1], n[2], s[0], s[1], s[2]);
      });
      mesh.quad(ids[0], ids[1], ids[2], ids[3]);
    }
  }
  return mesh.geometry();
}

// Disc about z with a rounded rim: radius e.x + r, half thickness e.z + r.
function disc(around: number, rings: number): BufferGeometry {
  const mesh = new Mesh();
  for (let i = -rings - 1; i <= rings; ++i) {
    const side = i < 0 ? -1 : 1, a = ((Math.PI / 2) * (i < 0 ? -(i + 1) : i)) / rings;
    for (let j = 0; j <= around; ++j) {
      const b = (2 * Math.PI * j) / around, c = Math.cos(b), s = Math.sin(b), z = side * Math.sin(a), r = Math.cos(a);
      mesh.vertex(r * c, r * s, z, r * c, r * s, z, c, s, side);
    }
  }
  mesh.grid(0, 2 * rings + 1, around);
  for (const side of [-1, 1]) {
    const centre = mesh.vertex(0, 0, side, 0, 0, side, 0, 0, side);
    for (let j = 0; j <= around; ++j) {
      const b = (2 * Math.PI * j) / around;
      mesh.vertex(0, 0, side, 0, 0, side, Math.cos(b), Math.sin(b), side);
      if (j > 0) mesh.faces.push(centre, centre + j, centre + j + 1);
    }
  }
  return mesh.geometry();
}

// Ring about z: radius e.x, wire radius r.
function hoop(around: number, sides: number): BufferGeometry {
  const mesh = new Mesh();
  for (let i = 0; i <= around; ++i) {
    const a = (2 * Math.PI * i) / around, c = Math.cos(a), s = Math.sin(a);
    for (let j = 0; j <= sides; ++j) {
      const b = (2 * Math.PI * j) / sides, r = Math.cos(b), z = Math.sin(b);
      mesh.vertex(r * c, r * s, z, r * c, r * s, z, c, s, 0);
    }
  }
  mesh.grid(0, around, sides);
  return mesh.geometry();
}

// Spring along x: length e.x, coil radius e.y = e.z, wire radius r. Its ends are straight on the axis and joined to the coil by spokes.
function coil(turns: number, perTurn: number, sides: number): BufferGeometry {
  const mesh = new Mesh();
  const steps = turns * perTurn, lead = 0.09;
  let rows = 0;
  // a ring of the wire at (u, out along the spoke at angle a); its section is spanned by two directions
  const ring = (u: number, out: number, a: number, section: 'end' | 'spoke' | 'coil') => {
    const c = Math.cos(a), s = Math.sin(a);
    for (let j = 0; j <= sides; ++j) {
      const p = Math.cos((2 * Math.PI * j) / sides), q = Math.sin((2 * Math.PI * j) / sides);
      const [x, y, z] = section === 'end' ? [0, p * c - q * s, p * s + q * c] : section === 'spoke' ? [p, -q * s, q * c] : [q, p * c, p * s];
      mesh.vertex(x, y, z, x, y, z, u - 0.5, out * c, out * s);
    }
    rows += 1;
  };
  ring(0, 0, 0, 'end');
  ring(lead, 0, 0, 'end');
  ring(lead, 0, 0, 'spoke');
  ring(lead, 1, 0, 'spoke');
  for (let i = 0; i <= steps; ++i) ring(lead + ((1 - 2 * lead) * i) / steps, 1, (2 * Math.PI * turns * i) / steps, 'coil');
  ring(1 - lead, 1, 0, 'spoke');
  ring(1 - lead, 0, 0, 'spoke');
  ring(1 - lead, 0, 0, 'end');
  ring(1, 0, 0, 'end');
  mesh.grid(0, rows - 1, sides);
  return mesh.geometry();
}

// Arrow from the origin along x: length e.x, radius of the shaft r.
function arrow(around: number): BufferGeometry {
  const mesh = new Mesh();
  const head = 5, wide = 2.3;
  const rows: [number, number, number, number, number][] = [   // x, radius, spread, normal x, normal radial
    [0, 0, 0, -1, 0], [0, 1, 0, -1, 0], [0, 1, 0, 0, 1], [-head, 1, 1, 0, 1], [-head, 1, 1, -1, 0], [-head, wide, 1, -1, 0], [-head, wide, 1, wide, head], [0, 0.02, 1, wide, head],
  ];
  for (const [x, r, s, nx, nr] of rows) {
    for (let j = 0; j <= around; ++j) {
      const b = (2 * Math.PI * j) / around, c = Math.cos(b), d = Math.sin(b);
      mesh.vertex(x, r * c, r * d, nx, nr * c, nr * d, s, 0, 0);
    }
  }
  mesh.grid(0, rows.length - 1, around);
  return mesh.geometry();
}

// Support: a pyramid with its tip at the origin, standing on a plate below it (z down); size r.
function bracket(): BufferGeometry {
  const mesh = new Mesh();
  const corner = (k: number, w: number): [number, number] => [w * Math.SQRT2 * Math.cos((Math.PI / 2) * (k + 0.5)), w * Math.SQRT2 * Math.sin((Math.PI / 2) * (k + 0.5))];
  const wall = (wide0: number, z0: number, wide1: number, z1: number) => {
    for (let k = 0; k < 4; ++k) {
      const n = [Math.cos((Math.PI / 2) * (k + 1)), Math.sin((Math.PI / 2) * (k + 1)), (wide1 - wide0) / (z0 - z1 || 1e-9)];
      const flat = z0 === z1, up = wide1 > wide0 ? 1 : -1;
      const [nx, ny, nz] = flat ? [0, 0, up] : n;
      const corners = [[...corner(k, wide0), z0], [...corner(k, wide1), z1], [...corner(k + 1, wide1), z1], [...corner(k + 1, wide0), z0]];
      const ids = corners.map(([x, y, z]) => mesh.vertex(x, y, z, nx, ny, nz, 0, 0, 0));
      mesh.quad(ids[0], ids[1], ids[2], ids[3]);
    }
  };
  wall(0.25, 0.1, 0.95, -1.9);
  wall(0.95, -1.9, 1.7, -1.9);
  wall(1.7, -1.9, 1.7, -2.3);
  wall(1.7, -2.3, 0, -2.3);
  return mesh.geometry();
}
