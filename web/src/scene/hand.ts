// The mark of the hand: from the grabbed point of a body to where the pointer pulls it.
import { Mesh, MeshBasicMaterial, SphereGeometry, type Scene } from 'three';
import type { Vec3 } from '../source';
import { Batch, poseBetween, stretching } from './batch';
import { sceneColors } from './colors';
import { toWorld } from './pick';
import { solid } from './solids';

const kPose = new Float64Array(7);

export class HandMark {
  readonly target: Vec3 = [0, 0, 0];
  private body = -1;
  private local: Vec3 = [0, 0, 0];
  private readonly line: Batch;
  private readonly knob: Mesh;

  constructor(scene: Scene) {
    const color = sceneColors(false).hand;
    this.line = new Batch(solid('capsule', 'fine'), stretching(new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 })), 1, 'none');
    this.line.add(-1, [0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0], color);
    this.line.mesh.renderOrder = 9;
    this.knob = new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial({ color, depthTest: false, transparent: true }));
    this.knob.renderOrder = 10;
    scene.add(this.line.mesh, this.knob);
    this.show(false);
  }

  grab(body: number, local: Vec3): void {
    this.body = body;
    this.local = local;
    this.show(true);
  }

  release(): void {
    this.body = -1;
    this.show(false);
  }

  update(poses: Float32Array, distance: number): void {
    if (this.body < 0 || 7 * this.body >= poses.length) return;
    const p = toWorld(this.local, poses, 7 * this.body), t = this.target, r = 0.0016 * distance;
    const length = poseBetween(p[0], p[1], p[2], t[0], t[1], t[2], kPose, 0);
    this.line.place(0, kPose, 0);
    this.line.setExtent(0, 0.5 * length, 0, 0, r);
    this.knob.position.set(...t);
    this.knob.scale.setScalar(3 * r);
  }

  private show(on: boolean): void {
    this.line.mesh.visible = on;
    this.knob.visible = on;
  }
}
