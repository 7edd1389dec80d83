// The drawn model: pieces gathered into few draw calls, and what moves them. Made anew for every structure.
import { BackSide, Color, CylinderGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, MeshStandardMaterial, PlaneGeometry, Quaternion, SphereGeometry, Vector3 } from 'three';
import type { Frame, Picture, PictureFixed } from '../source';
import type { Selection } from '../store';
import { Batch, poseBetween, stretching } from './batch';
import type { SceneColors } from './colors';
import { bodiesOfTubes, bodyColor, bodyPiece, bodyPieces, findChains, glyphRadius, isJointDrawn, jointPieces, jointRadius, motorPieces, quaternionOf, thinnest, turnMarks, type Chain, type Piece } from './pieces';
import { detailFor, solid, type Detail, type SolidKind } from './solids';
import { Tubes, type TubeSpec } from './tubes';

interface Segment { p: number; q: number; radius: number; spring: boolean; index: number }

const kPose = new Float64Array(7);

export class DrawnModel {
  readonly group = new Group();
  readonly glyphs = new Group();           // joints and motors, to be hidden
  readonly glyph: number;                  // m, radius of what has no size
  readonly drawnJoints: number[];          // those that have a mark
  arrowScale = 0;                          // N per metre of arrow
  private readonly batches: Batch[] = [];
  private readonly segments: Segment[] = [];
  private bars: Batch | null = null;
  private coils: Batch | null = null;
  private arrows: Batch | null = null;
  private tubes: Tubes | null = null;
  private readonly chains: Chain[];
  private readonly tubeTracks: number[] = [];
  private readonly carried: { group: Group; body: number }[] = [];   // surfaces and curves that move with a body
  private readonly halos: { batch: Batch; solid: SolidKind }[] = [];
  private poses: Float32Array;             // as drawn last: what is marked while nothing moves is placed by them
  private reference = 0;                   // N, force of the longest arrow
  private readonly material: MeshStandardMaterial;
  private readonly detail: Detail;

  constructor(readonly picture: Picture, frame: Frame, private readonly colors: SceneColors) {
    this.glyph = glyphRadius(picture);
    this.poses = frame.poses;
    this.detail = detailFor(picture.bodies.length);
    this.material = stretching(new MeshStandardMaterial({ roughness: 0.62, metalness: 0.05 }));
    this.chains = findChains(picture, frame.poses);
    const inTube = new Set([...bodiesOfTubes(picture), ...this.chains.flatMap((chain) => chain.bodies)]);
    this.drawnJoints = picture.joints.flatMap((joint, i) => (isJointDrawn(picture, joint, inTube) ? [i] : []));
    this.group.add(this.glyphs);
    this.addPieces([...bodyPieces(picture, colors, inTube), ...turnMarks(picture, colors)], this.group);
    this.addPieces([...jointPieces(picture, colors, frame.poses, inTube), ...motorPieces(picture, colors)], this.glyphs);
    this.addTracks();
    for (const fixed of picture.fixed) this.addFixed(fixed);
    this.update(frame.poses, frame.points);
  }

  update(poses: Float32Array, points: Float32Array): void {
    this.poses = poses;
    for (const batch of this.batches) batch.update(poses);
    for (const halo of this.halos) halo.batch.update(poses);
    for (const s of this.segments) {
      const length = poseBetween(points[s.p], points[s.p + 1], points[s.p + 2], points[s.q], points[s.q + 1], points[s.q + 2], kPose, 0);
      const batch = s.spring ? this.coils! : this.bars!;
      batch.place(s.index, kPose, 0);
      if (s.spring) batch.setExtent(s.index, length, s.radius, s.radius, 0.16 * s.radius);
      else batch.setExtent(s.index, 0.5 * length, 0, 0, s.radius);
    }
    for (const { group, body } of this.carried) {
      group.position.fromArray(poses, 7 * body);
      group.quaternion.fromArray(poses, 7 * body + 3);
    }
    if (this.tubes) this.updateTubes(poses, points);
  }

  // Constraint forces as arrows; the longest one of late is a fifth of the model.
  updateArrows(arrows: Float32Array, dt: number): void {
    const n = arrows.length / 6;
    if (n === 0) {
      if (this.arrows) this.arrows.mesh.visible = false;
      this.arrowScale = 0;
      return;
    }
    if (!this.arrows || this.arrows.capacity < n) this.makeArrows(n);
    const batch = this.arrows!;
    let most = 0;
    for (let i = 0; i < n; ++i) most = Math.max(most, Math.hypot(arrows[6 * i + 3], arrows[6 * i + 4], arrows[6 * i + 5]));
    if (this.reference === 0 || most > this.reference) this.reference = most;
    else this.reference += (most - this.reference) * Math.min(1, 0.4 * dt);
    const longest = 0.2 * this.picture.size, perNewton = longest / (this.reference || 1), thick = this.picture.size * (n > 60 ? 0.0028 : 0.0045);
    this.arrowScale = 1 / perNewton;
    for (let i = 0; i < n; ++i) {
      const o = 6 * i, x = arrows[o], y = arrows[o + 1], z = arrows[o + 2];
      const fx = arrows[o + 3] * perNewton, fy = arrows[o + 4] * perNewton, fz = arrows[o + 5] * perNewton;
      const length = poseBetween(x, y, z, x + fx, y + fy, z + fz, kPose, 0);
      kPose[0] = x; kPose[1] = y; kPose[2] = z;
      batch.place(i, kPose, 0);
      batch.setExtent(i, length, 0, 0, length < 1e-4 * longest ? 0 : Math.min(thick, 0.14 * length));
    }
    batch.mesh.count = n;
    batch.mesh.visible = true;
  }

  // A rim around what is selected or under the pointer.
  highlight(selection: Selection, hover: Selection): void {
    for (const halo of this.halos) {
      halo.batch.clear();
      halo.batch.mesh.visible = false;
    }
    this.addHalo(hover, this.colors.hover);
    this.addHalo(selection, this.colors.select);
    for (const halo of this.halos) halo.batch.update(this.poses);
  }

  dispose(): void {
    for (const batch of this.batches) batch.dispose();
    for (const halo of this.halos) halo.batch.dispose();
    this.arrows?.dispose();
    this.tubes?.dispose();
    this.group.removeFromParent();
  }

  private addHalo(what: Selection, color: Color): void {
    if (!what) return;
    const grow = 0.006 * this.picture.size;
    let piece: Piece | null = null;
    if (what.kind === 'body') {
      const body = this.picture.bodies[what.index];
      if (body) piece = bodyPiece(body, what.index, this.glyph, color, grow);
      if (body && !piece) piece = { solid: 'sphere', body: what.index, place: [0, 0, 0, 0, 0, 0, 1], extent: [0, 0, 0, 2.5 * this.glyph], color };
    } else if (what.kind === 'joint') {
      const joint = this.picture.joints[what.index];
      if (joint) {
        const marker = joint.a.body >= 0 ? joint.a : joint.b;
        piece = { solid: 'sphere', body: marker.body, place: [...marker.point, ...quaternionOf(marker.axes)], extent: [0, 0, 0, 2.2 * jointRadius(this.picture, joint)], color };
      }
    } else {
      const end = this.picture.forces[what.index]?.ends[0];
      if (end) piece = { solid: 'sphere', body: end.body, place: [...end.point, 0, 0, 0, 1], extent: [0, 0, 0, 2.5 * this.glyph], color };
    }
    if (!piece) return;
    const batch = this.haloBatch(piece.solid);
    batch.add(piece.body, piece.place, piece.extent, piece.color, piece.scale);
    if (batch.mesh.instanceColor) batch.mesh.instanceColor.needsUpdate = true;
    batch.mesh.visible = true;
  }

  private haloBatch(kind: SolidKind): Batch {
    let halo = this.halos.find((h) => h.solid === kind);
    if (!halo) {
      // only the far side of a slightly larger solid is drawn: a rim that leaves the colour of the body alone
      const material = stretching(new MeshBasicMaterial({ side: BackSide, transparent: true, opacity: 0.9, depthWrite: false }));
      halo = { solid: kind, batch: new Batch(solid(kind, 'fine'), material, 4, 'none') };
      halo.batch.mesh.renderOrder = 5;
      this.halos.push(halo);
      this.group.add(halo.batch.mesh);
    }
    return halo.batch;
  }

  private addPieces(pieces: Piece[], into: Group): void {
    const kinds = new Map<SolidKind, Piece[]>();
    for (const piece of pieces) {
      const list = kinds.get(piece.solid);
      if (list) list.push(piece); else kinds.set(piece.solid, [piece]);
    }
    for (const [kind, list] of kinds) {
      const batch = new Batch(solid(kind, this.detail), this.material, list.length, kind === 'capsule' ? 'throws' : 'both');
      for (const piece of list) batch.add(piece.body, piece.place, piece.extent, piece.color, piece.scale);
      this.batches.push(batch);
      into.add(batch.mesh);
    }
  }

  // Polylines through moving points: sharp ones as rods, springs as coils, curves and chains as tubes.
  private addTracks(): void {
    const specs: TubeSpec[] = this.chains.map((chain) => ({
      nodes: chain.bodies.length + (chain.closed ? 0 : 1), closed: chain.closed, radius: chain.radius, color: bodyColor(this.picture, chain.bodies[0], this.colors),
    }));
    const straight: { p: number; q: number; radius: number; spring: boolean; color: Color }[] = [];
    const thin = thinnest(this.picture);
    this.picture.tracks.forEach((track, t) => {
      const color = this.trackColor(track.kind, track.of);
      const smooth = (track.kind === 'curve' || track.kind === 'tube') && track.points.length > 3;
      if (smooth) {
        this.tubeTracks.push(t);
        specs.push({ nodes: track.points.length, closed: track.closed, radius: Math.max(track.radius, thin), color });
        return;
      }
      const n = track.points.length, spring = track.kind === 'spring' && n === 2;
      const radius = spring ? Math.min(Math.max(track.radius || 0, 0.012 * this.picture.size), 0.04 * this.picture.size) : Math.max(track.radius, thin);
      for (let k = 0; k + 1 < n + (track.closed ? 1 : 0); ++k) straight.push({ p: 3 * track.points[k], q: 3 * track.points[(k + 1) % n], radius, spring, color });
    });
    const bars = straight.filter((s) => !s.spring).length, coils = straight.length - bars;
    if (bars > 0) this.bars = this.movingBatch('capsule', bars);
    if (coils > 0) this.coils = this.movingBatch('coil', coils);
    for (const s of straight) {
      const batch = s.spring ? this.coils! : this.bars!;
      this.segments.push({ ...s, index: batch.add(-1, [0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0], s.color) });
    }
    if (specs.length > 0) {
      this.tubes = new Tubes(specs, new MeshStandardMaterial({ roughness: 0.62, metalness: 0.05, vertexColors: true }), specs.reduce((n, s) => n + s.nodes, 0) < 3000);
      this.group.add(this.tubes.mesh);
    }
  }

  private movingBatch(kind: SolidKind, count: number): Batch {
    const batch = new Batch(solid(kind, detailFor(4 * count)), this.material, count, 'throws');
    this.group.add(batch.mesh);
    this.batches.push(batch);
    return batch;
  }

  private trackColor(kind: string, of: string): Color {
    if (of.startsWith('chain ')) return this.colors.bodies[Number(of.slice(6)) % this.colors.bodies.length];
    if (of.startsWith('body ') && (kind === 'tube' || kind === 'arm' || kind === 'wire')) return bodyColor(this.picture, Number(of.slice(5)), this.colors);
    if (kind === 'spring') return this.colors.spring;
    if (kind === 'rope') return this.colors.rope;
    return kind === 'curve' || kind === 'wire' ? this.colors.fixed : this.colors.chain;
  }

  private updateTubes(poses: Float32Array, points: Float32Array): void {
    const tubes = this.tubes!;
    for (let c = 0; c < this.chains.length; ++c) this.updateChain(c, poses);
    for (let k = 0; k < this.tubeTracks.length; ++k) {
      const list = this.picture.tracks[this.tubeTracks[k]].points;
      for (let i = 0; i < list.length; ++i) tubes.set(this.chains.length + k, i, points[3 * list[i]], points[3 * list[i] + 1], points[3 * list[i] + 2]);
    }
    tubes.finish();
  }

  // Nodes of a chain: its ends, and between two rods the middle of the ends that meet.
  private updateChain(c: number, poses: Float32Array): void {
    const chain = this.chains[c], tubes = this.tubes!, n = chain.bodies.length;
    let ex = 0, ey = 0, ez = 0, fx = 0, fy = 0, fz = 0;
    for (let k = 0; k < n; ++k) {
      const body = chain.bodies[k], at = 7 * body, half = (chain.flip[k] ? -0.5 : 0.5) * this.picture.bodies[body].shape.size[0];
      const x = poses[at + 3], y = poses[at + 4], z = poses[at + 5], w = poses[at + 6];
      const dx = half * (1 - 2 * (y * y + z * z)), dy = half * 2 * (x * y + z * w), dz = half * 2 * (x * z - y * w);
      const sx = poses[at] - dx, sy = poses[at + 1] - dy, sz = poses[at + 2] - dz;
      if (k === 0) { fx = sx; fy = sy; fz = sz; tubes.set(c, 0, sx, sy, sz); }
      else tubes.set(c, k, 0.5 * (ex + sx), 0.5 * (ey + sy), 0.5 * (ez + sz));
      ex = poses[at] + dx; ey = poses[at + 1] + dy; ez = poses[at + 2] + dz;
    }
    if (chain.closed) tubes.set(c, 0, 0.5 * (ex + fx), 0.5 * (ey + fy), 0.5 * (ez + fz));
    else tubes.set(c, n, ex, ey, ez);
  }

  private makeArrows(count: number): void {
    this.arrows?.mesh.removeFromParent();
    this.arrows?.dispose();
    // seen through everything: most begin inside of a body
    const material = stretching(new MeshStandardMaterial({ roughness: 0.6, emissive: this.colors.force, emissiveIntensity: 0.25, depthTest: false, depthWrite: false, transparent: true, opacity: 0.92 }));
    this.arrows = new Batch(solid('arrow', detailFor(4 * count)), material, count, 'none');
    for (let i = 0; i < count; ++i) this.arrows.add(-1, [0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0], this.colors.force);
    this.arrows.mesh.renderOrder = 6;
    this.group.add(this.arrows.mesh);
  }

  // Surfaces of the world, translucent; a plane that is the ground is drawn as the ground.
  private addFixed(fixed: PictureFixed): void {
    const p = fixed.point ?? [0, 0, 0], size = this.picture.size, into = this.carrier(fixed.body ?? -1);
    const material = new MeshStandardMaterial({ color: this.colors.fixed, transparent: true, opacity: 0.28, roughness: 0.8, side: DoubleSide, depthWrite: false });
    let mesh: Mesh | null = null;
    if (fixed.kind === 'sphere') mesh = new Mesh(new SphereGeometry(fixed.radius ?? 1, 48, 24), material);
    if (fixed.kind === 'ellipsoid') {
      mesh = new Mesh(new SphereGeometry(1, 48, 24), material);
      mesh.scale.set(...(fixed.size ?? [1, 1, 1]));
      mesh.quaternion.set(...quaternionOf(fixed.axes ?? []));
    }
    if (fixed.kind === 'cylinder') {
      mesh = new Mesh(new CylinderGeometry(fixed.radius ?? 1, fixed.radius ?? 1, fixed.length || 1.2 * size, 48, 1, true), material);
      mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...(fixed.axis ?? [0, 0, 1])).normalize());
    }
    if (fixed.kind === 'plane') {
      const normal = new Vector3(...(fixed.normal ?? [0, 0, 1])).normalize();
      if (into === this.group && normal.dot(new Vector3(...this.picture.up)) > 0.999) return;
      material.opacity = 0.14;
      mesh = new Mesh(new PlaneGeometry(0.8 * size, 0.8 * size), material);
      mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
    }
    if (fixed.kind === 'curve' && (fixed.points?.length ?? 0) > 1) {
      const points = fixed.points!;
      const tubes = new Tubes([{ nodes: points.length, closed: fixed.closed ?? false, radius: 0.0035 * size, color: this.colors.fixed }],
        new MeshStandardMaterial({ roughness: 0.6, vertexColors: true }), points.length < 3000);
      points.forEach((point, k) => tubes.set(0, k, point[0], point[1], point[2]));
      tubes.finish();
      into.add(tubes.mesh);
    }
    if (!mesh) return;
    mesh.position.set(p[0], p[1], p[2]);
    into.add(mesh);
  }

  private carrier(body: number): Group {
    if (body < 0 || body >= this.picture.bodies.length) return this.group;
    const known = this.carried.find((c) => c.body === body);
    if (known) return known.group;
    const group = new Group();
    this.group.add(group);
    this.carried.push({ group, body });
    return group;
  }
}
