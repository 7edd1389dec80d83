// Many instances of one solid in one draw call. An instance belongs to a body and has a place in it; its matrix
// is written straight into the array that goes to the graphics card.
import {
  Color, DynamicDrawUsage, InstancedBufferAttribute, InstancedMesh, MeshDepthMaterial, RGBADepthPacking,
  type BufferGeometry, type Material,
} from 'three';

// Makes a material understand `spread` and `extent` (see solids.ts).
export function stretching<T extends Material>(material: T): T {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = 'attribute vec3 spread;\nattribute vec4 extent;\n' + shader.vertexShader.replace(
      '#include <begin_vertex>', 'vec3 transformed = position * extent.w + spread * extent.xyz;');
  };
  return material;
}

export class Batch {
  readonly mesh: InstancedMesh;
  readonly body: number[] = [];        // of each instance; -1: the world
  private readonly local: number[] = [];   // 7 per instance: place in the body
  private readonly scale: number[] = [];   // 3 per instance, of the whole solid
  private readonly extents: InstancedBufferAttribute;

  // Thin things throw shadows but do not receive them: a shadow map is too coarse for that.
  constructor(geometry: BufferGeometry, material: Material, readonly capacity: number, shadows: 'none' | 'throws' | 'both') {
    this.extents = new InstancedBufferAttribute(new Float32Array(4 * capacity), 4);
    this.extents.setUsage(DynamicDrawUsage);
    const own = geometry.clone();
    own.setAttribute('extent', this.extents);
    this.mesh = new InstancedMesh(own, material, capacity);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;   // its bounds would have to be followed, which costs more than it saves
    this.mesh.count = 0;
    if (shadows !== 'none') {
      this.mesh.castShadow = true;
      this.mesh.receiveShadow = shadows === 'both';
      this.mesh.customDepthMaterial = stretching(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }));
    }
  }

  get count(): number {
    return this.mesh.count;
  }

  // Adds an instance at a place (position and quaternion) in a body.
  add(body: number, place: ArrayLike<number>, extent: ArrayLike<number>, color: Color, scale: ArrayLike<number> = [1, 1, 1]): number {
    const i = this.mesh.count++;
    this.body.push(body);
    for (let k = 0; k < 7; ++k) this.local.push(place[k]);
    for (let k = 0; k < 3; ++k) this.scale.push(scale[k]);
    this.setExtent(i, extent[0], extent[1], extent[2], extent[3]);
    this.mesh.setColorAt(i, color);
    if (body < 0) this.write(i, this.local, 7 * i, this.scale, 3 * i);
    return i;
  }

  setExtent(i: number, x: number, y: number, z: number, r: number): void {
    this.extents.setXYZW(i, x, y, z, r);
    this.extents.needsUpdate = true;
  }

  setColor(i: number, color: Color): void {
    this.mesh.setColorAt(i, color);
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  clear(): void {
    this.mesh.count = 0;
    this.body.length = 0;
    this.local.length = 0;
    this.scale.length = 0;
  }

  // Follows the bodies.
  update(poses: Float32Array): void {
    for (let i = 0; i < this.mesh.count; ++i) {
      const b = this.body[i];
      if (b < 0 || 7 * b >= poses.length) continue;
      compose(poses, 7 * b, this.local, 7 * i, kPlace);
      this.write(i, kPlace, 0, this.scale, 3 * i);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  // Places an instance that belongs to no body.
  place(i: number, pose: ArrayLike<number>, at: number): void {
    this.write(i, pose, at, kUnit, 0);
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.dispose();
  }

  private write(i: number, pose: ArrayLike<number>, at: number, scale: ArrayLike<number>, s: number): void {
    const m = this.mesh.instanceMatrix.array as Float32Array, o = 16 * i;
    const x = pose[at + 3], y = pose[at + 4], z = pose[at + 5], w = pose[at + 6];
    const sx = scale[s], sy = scale[s + 1], sz = scale[s + 2];
    m[o] = (1 - 2 * (y * y + z * z)) * sx; m[o + 1] = 2 * (x * y + z * w) * sx; m[o + 2] = 2 * (x * z - y * w) * sx; m[o + 3] = 0;
    m[o + 4] = 2 * (x * y - z * w) * sy; m[o + 5] = (1 - 2 * (x * x + z * z)) * sy; m[o + 6] = 2 * (y * z + x * w) * sy; m[o + 7] = 0;
    m[o + 8] = 2 * (x * z + y * w) * sz; m[o + 9] = 2 * (y * z - x * w) * sz; m[o + 10] = (1 - 2 * (x * x + y * y)) * sz; m[o + 11] = 0;
    m[o + 12] = pose[at]; m[o + 13] = pose[at + 1]; m[o + 14] = pose[at + 2]; m[o + 15] = 1;
  }
}

const kPlace = new Float64Array(7);
const kUnit = [1, 1, 1];

// out = pose of a body ∘ place in the body
export function compose(pose: ArrayLike<number>, p: number, local: ArrayLike<number>, l: number, out: Float64Array): void {
  const x = pose[p + 3], y = pose[p + 4], z = pose[p + 5], w = pose[p + 6];
  const vx = local[l], vy = local[l + 1], vz = local[l + 2];
  const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx);
  out[0] = pose[p] + vx + w * tx + y * tz - z * ty;
  out[1] = pose[p + 1] + vy + w * ty + z * tx - x * tz;
  out[2] = pose[p + 2] + vz + w * tz + x * ty - y * tx;
  const a = local[l + 3], b = local[l + 4], c = local[l + 5], d = local[l + 6];
  out[3] = w * a + x * d + y * c - z * b;
  out[4] = w * b - x * c + y * d + z * a;
  out[5] = w * c + x * b - y * a + z * d;
  out[6] = w * d - x * a - y * b - z * c;
}

// Writes into out[at…] the pose in the middle of p and q whose x axis points from p to q; returns their distance.
export function poseBetween(px: number, py: number, pz: number, qx: number, qy: number, qz: number, out: Float64Array, at: number): number {
  const dx = qx - px, dy = qy - py, dz = qz - pz, d = Math.hypot(dx, dy, dz) || 1e-12;
  out[at] = 0.5 * (px + qx); out[at + 1] = 0.5 * (py + qy); out[at + 2] = 0.5 * (pz + qz);
  const w = 1 + dx / d;
  if (w < 1e-9) { out[at + 3] = 0; out[at + 4] = 0; out[at + 5] = 1; out[at + 6] = 0; return d; }
  const y = -dz / d, z = dy / d, norm = Math.sqrt(y * y + z * z + w * w);
  out[at + 3] = 0; out[at + 4] = y / norm; out[at + 5] = z / norm; out[at + 6] = w / norm;
  return d;
}
