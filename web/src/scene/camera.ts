// The camera on its orbit: a target, a distance and two angles about the up direction. What the user asks for is a goal;
// the camera follows it smoothly, or at once when motion is to be reduced.
import { PerspectiveCamera, Vector3 } from 'three';
import type { Vec3 } from '../source';
import { basis, type Angles } from './framing';

const kFollow = 14;            // 1/s
const kSteepest = 1.55;        // rad

export class OrbitCamera {
  readonly camera = new PerspectiveCamera(30, 1, 0.1, 100);
  readonly target = new Vector3();
  distance = 5;
  azimuth = 0;
  elevation = 0;
  smooth = true;
  private readonly goalTarget = new Vector3();
  private goalDistance = 5;
  private goalAzimuth = 0;
  private goalElevation = 0;
  private e1 = new Vector3(1, 0, 0);
  private e2 = new Vector3(0, 1, 0);
  private e3 = new Vector3(0, 0, 1);
  private readonly offset = new Vector3();

  setUp(up: Vec3): void {
    const b = basis(up);
    this.e1.set(...b.e1);
    this.e2.set(...b.e2);
    this.e3.set(...b.e3);
    this.camera.up.copy(this.e3);
  }

  look(target: Vec3, distance: number, angles: Angles | null, atOnce: boolean): void {
    this.goalTarget.set(...target);
    this.goalDistance = distance;
    if (angles) {
      this.goalAzimuth = angles.azimuth;
      this.goalElevation = angles.elevation;
    }
    if (atOnce) this.snap();
  }

  // Goes to another target and keeps distance and angles, also those still on their way.
  accompany(target: Vec3): void {
    this.goalTarget.set(...target);
  }

  // Goes along by a way of what is looked at.
  shift(x: number, y: number, z: number): void {
    this.goalTarget.x += x;
    this.goalTarget.y += y;
    this.goalTarget.z += z;
  }

  get angles(): Angles {
    return { azimuth: this.goalAzimuth, elevation: this.goalElevation };
  }

  orbit(dAzimuth: number, dElevation: number): void {
    this.goalAzimuth += dAzimuth;
    this.goalElevation = Math.min(kSteepest, Math.max(-kSteepest, this.goalElevation + dElevation));
  }

  // Moves the target with the pointer: by pixels of a picture of the given height.
  pan(dx: number, dy: number, height: number): void {
    const perPixel = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    const m = this.camera.matrixWorld.elements;
    this.goalTarget.x += perPixel * (-dx * m[0] + dy * m[4]);
    this.goalTarget.y += perPixel * (-dx * m[1] + dy * m[5]);
    this.goalTarget.z += perPixel * (-dx * m[2] + dy * m[6]);
  }

  // Comes nearer by the factor, towards a point in the world if one is given.
  zoom(factor: number, towards?: Vector3): void {
    const before = this.goalDistance;
    this.goalDistance = Math.min(1e6, Math.max(1e-4, this.goalDistance * factor));
    if (towards) this.goalTarget.lerp(towards, 1 - this.goalDistance / before);
  }

  // Follows the goal; returns whether the camera moved.
  update(dt: number): boolean {
    const s = this.smooth ? 1 - Math.exp(-kFollow * dt) : 1;
    const dTarget = this.target.distanceTo(this.goalTarget), dDistance = Math.abs(Math.log(this.goalDistance / this.distance));
    const dAngle = Math.abs(this.goalAzimuth - this.azimuth) + Math.abs(this.goalElevation - this.elevation);
    if (dTarget < 1e-5 * this.distance && dDistance < 1e-5 && dAngle < 1e-5) return false;
    this.target.lerp(this.goalTarget, s);
    this.distance *= (this.goalDistance / this.distance) ** s;
    this.azimuth += s * (this.goalAzimuth - this.azimuth);
    this.elevation += s * (this.goalElevation - this.elevation);
    this.place();
    return true;
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  private snap(): void {
    this.target.copy(this.goalTarget);
    this.distance = this.goalDistance;
    this.azimuth = this.goalAzimuth;
    this.elevation = this.goalElevation;
    this.place();
  }

  private place(): void {
    const ce = Math.cos(this.elevation);
    this.offset.copy(this.e1).multiplyScalar(ce * Math.cos(this.azimuth));
    this.offset.addScaledVector(this.e2, ce * Math.sin(this.azimuth));
    this.offset.addScaledVector(this.e3, Math.sin(this.elevation));
    this.camera.position.copy(this.target).addScaledVector(this.offset, this.distance);
    this.camera.lookAt(this.target);
    this.camera.near = this.distance / 100;
    this.camera.far = this.distance * 30;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }
}
