// Chains, ropes and curves as smooth tubes. The card makes the tube: a texture holds the nodes (position and a
// direction across the tube), the vertices know between which nodes they lie. Per frame only the nodes are sent.
import {
  BufferAttribute, BufferGeometry, Color, DataTexture, FloatType, Mesh, MeshDepthMaterial, MeshStandardMaterial, NearestFilter, RGBADepthPacking, RGBAFormat,
} from 'three';

export interface TubeSpec {
  nodes: number;       // how many it goes through
  closed: boolean;
  radius: number;
  color: Color;
}

const kWidth = 1024;   // texels per line of the texture; even, because a node takes two

const kVertexHead = /* glsl */ `
attribute vec4 along;      // node, place between it and the next, radial and axial factor of the ring
attribute vec2 around;     // cosine and sine
attribute float thick;
uniform highp sampler2D nodes;
vec3 tubeAt(int i, int k) { int j = 2 * i + k; return texelFetch(nodes, ivec2(j % ${kWidth}, j / ${kWidth}), 0).xyz; }
void tube(out vec3 place, out vec3 outward) {
  int i = int(along.x);
  float t = along.y;
  vec3 a = tubeAt(i - 1, 0), b = tubeAt(i, 0), c = tubeAt(i + 1, 0), d = tubeAt(i + 2, 0);
  vec3 m0 = 0.5 * (c - a), m1 = 0.5 * (d - b), e = c - b;
  vec3 centre = b + t * (m0 + t * ((3.0 * e - 2.0 * m0 - m1) + t * (m0 + m1 - 2.0 * e)));
  vec3 tangent = m0 + t * (2.0 * (3.0 * e - 2.0 * m0 - m1) + t * 3.0 * (m0 + m1 - 2.0 * e));
  tangent = dot(tangent, tangent) > 1e-20 ? normalize(tangent) : vec3(1.0, 0.0, 0.0);
  vec3 across = mix(tubeAt(i, 1), tubeAt(i + 1, 1), t);
  across -= dot(across, tangent) * tangent;
  across = dot(across, across) > 1e-12 ? normalize(across) : normalize(abs(tangent.x) < 0.9 ? cross(tangent, vec3(1.0, 0.0, 0.0)) : cross(tangent, vec3(0.0, 1.0, 0.0)));
  vec3 radial = across * around.x + cross(tangent, across) * around.y;
  outward = radial * along.z + tangent * along.w;
  place = centre + thick * outward;
}
`;

function tubing<T extends MeshStandardMaterial | MeshDepthMaterial>(material: T, texture: DataTexture): T {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.nodes = { value: texture };
    shader.vertexShader = kVertexHead + shader.vertexShader
      .replace('#include <beginnormal_vertex>', 'vec3 tubePlace; vec3 objectNormal; tube(tubePlace, objectNormal);')
      .replace('#include <begin_vertex>', material instanceof MeshDepthMaterial
        ? 'vec3 tubePlace2; vec3 unused; tube(tubePlace2, unused); vec3 transformed = tubePlace2;'
        : 'vec3 transformed = tubePlace;');
  };
  return material;
}

export class Tubes {
  readonly mesh: Mesh;
  private readonly data: Float32Array;
  private readonly texture: DataTexture;
  private readonly first: number[] = [];   // texture node of each tube's first node

  constructor(readonly specs: TubeSpec[], material: MeshStandardMaterial, fine: boolean) {
    // a node before and two after each tube, so that every vertex has its neighbours
    let total = 0;
    for (const spec of specs) {
      this.first.push(total + 1);
      total += spec.nodes + 3;
    }
    const lines = Math.max(1, Math.ceil((2 * total) / kWidth));
    this.data = new Float32Array(4 * kWidth * lines);
    this.texture = new DataTexture(this.data, kWidth, lines, RGBAFormat, FloatType);
    this.texture.minFilter = this.texture.magFilter = NearestFilter;
    this.mesh = new Mesh(this.geometry(fine), tubing(material, this.texture));
    this.mesh.customDepthMaterial = tubing(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }), this.texture);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
  }

  // Node k of a tube.
  set(tube: number, k: number, x: number, y: number, z: number): void {
    const at = 8 * (this.first[tube] + k);
    this.data[at] = x; this.data[at + 1] = y; this.data[at + 2] = z;
  }

  // After all nodes are set: ends and directions across.
  finish(): void {
    for (let tube = 0; tube < this.specs.length; ++tube) finishTube(this.data, this.first[tube], this.specs[tube].nodes, this.specs[tube].closed);
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.texture.dispose();
  }

  private geometry(fine: boolean): BufferGeometry {
    const along: number[] = [], around: number[] = [], thick: number[] = [], colors: number[] = [], faces: number[] = [];
    const sides = fine ? 14 : 6;
    for (let tube = 0; tube < this.specs.length; ++tube) {
      const spec = this.specs[tube], first = this.first[tube];
      const cuts = fine ? (spec.nodes < 60 ? 6 : 3) : 1;
      const rings: [number, number, number, number][] = [];
      const segments = spec.closed ? spec.nodes : spec.nodes - 1;
      if (!spec.closed) for (const a of fine ? [1, 0.7, 0.35] : [1]) rings.push([first, 0, Math.sqrt(1 - a * a), -a]);
      for (let k = 0; k < segments; ++k) for (let c = 0; c < cuts; ++c) rings.push([first + k, c / cuts, 1, 0]);
      rings.push([first + segments - 1, 1, 1, 0]);
      if (!spec.closed) for (const a of fine ? [0.35, 0.7, 1] : [1]) rings.push([first + segments - 1, 1, Math.sqrt(1 - a * a), a]);
      const start = thick.length;
      for (const ring of rings) {
        for (let j = 0; j <= sides; ++j) {
          const b = (2 * Math.PI * j) / sides;
          along.push(...ring);
          around.push(Math.cos(b), Math.sin(b));
          thick.push(spec.radius);
          colors.push(spec.color.r, spec.color.g, spec.color.b);
        }
      }
      for (let i = 0; i + 1 < rings.length; ++i) {
        for (let j = 0; j < sides; ++j) {
          const a = start + i * (sides + 1) + j, b = a + sides + 1;
          faces.push(a, a + 1, b, b, a + 1, b + 1);
        }
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * thick.length), 3));
    geometry.setAttribute('along', new BufferAttribute(new Float32Array(along), 4));
    geometry.setAttribute('around', new BufferAttribute(new Float32Array(around), 2));
    geometry.setAttribute('thick', new BufferAttribute(new Float32Array(thick), 1));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(colors), 3));
    geometry.setIndex(thick.length > 65535 ? new BufferAttribute(new Uint32Array(faces), 1) : new BufferAttribute(new Uint16Array(faces), 1));
    return geometry;
  }
}

// Fills the nodes before and after the tube, and carries a direction across it from node to node without
// twist. Eight numbers per node: position, unused, direction, unused.
export function finishTube(data: Float32Array, first: number, nodes: number, closed: boolean): void {
  const o = 8 * first, last = o + 8 * (nodes - 1);
  for (let k = 0; k < 3; ++k) {
    if (closed) {
      data[o - 8 + k] = data[last + k];
      data[last + 8 + k] = data[o + k];
      data[last + 16 + k] = data[o + 8 + k];
    } else {
      data[o - 8 + k] = 2 * data[o + k] - data[o + 8 + k];
      data[last + 8 + k] = 2 * data[last + k] - data[last - 8 + k];
      data[last + 16 + k] = data[last + 8 + k];
    }
  }
  let nx = 0, ny = 0, nz = 0;
  for (let i = 0; i < nodes + (closed ? 1 : 0); ++i) {
    const at = o + 8 * i;
    let tx = data[at + 8] - data[at - 8], ty = data[at + 9] - data[at - 7], tz = data[at + 10] - data[at - 6];
    const t = Math.sqrt(tx * tx + ty * ty + tz * tz) || 1;
    tx /= t; ty /= t; tz /= t;
    if (i === 0) { // any direction that is far from the tangent
      if (Math.abs(tz) < 0.8) { nx = 0; ny = 0; nz = 1; } else { nx = 1; ny = 0; nz = 0; }
    }
    const dot = nx * tx + ny * ty + nz * tz;
    nx -= dot * tx; ny -= dot * ty; nz -= dot * tz;
    const n = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (n < 1e-6) { // turned by a right angle from one node to the next
      if (Math.abs(tx) < 0.8) { nx = 0; ny = tz; nz = -ty; } else { nx = -tz; ny = 0; nz = tx; }
    }
    const s = 1 / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1);
    nx *= s; ny *= s; nz *= s;
    data[at + 4] = nx; data[at + 5] = ny; data[at + 6] = nz;
  }
}
