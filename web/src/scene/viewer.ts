// The 3D view: draws the newest frames of the store, moves the camera, and answers where things are.
import { Box3, Frustum, Matrix4, Vector2, Vector3 } from 'three';
import type { Picture, Structure, Vec3 } from '../source';
import type { Selection, Store } from '../store';
import { OrbitCamera } from './camera';
import { FrameClock } from './clock';
import { sceneColors } from './colors';
import { basis, boundsOf, centre, diagonal, emptyBounds, fitDistance, gridSpacing, include, includeSwing, isEmpty, isPlanar, viewAngles, type Angles, type Bounds } from './framing';
import { HandMark } from './hand';
import { DrawnModel } from './model';
import { jointRadius } from './pieces';
import { pick, toWorld, type Hit, type Ray } from './pick';
import { QualityControl, rendererName } from './quality';
import { Stage } from './stage';

const kFollowEvery = 0.25;     // s, between looks at where the model has gone
const kMostGrowth = 2.2;       // of the framed size, by following
const kMargin = 1.12;

export class Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly orbit = new OrbitCamera();
  readonly clock = new FrameClock();
  readonly stage: Stage;
  readonly hand: HandMark;
  model: DrawnModel | null = null;
  framesDrawn = 0;
  drawTime = 0;                // ms, smoothed, of making a picture
  isAway = false;              // nothing of the model is in the picture

  private readonly quality: QualityControl;
  private moving = 0;                        // pictures in a row that were due
  private dirty = true;
  private structure: Structure | null = null;
  private seen: Bounds = emptyBounds();      // where the model has been since it was framed
  private framedSize = 1;
  private groundHeight = 0;
  private readonly groundAt = new Vector3();
  private chasing = false;                   // the model left where it was framed
  private chasedAt: Vec3 = [0, 0, 0];        // its middle when the camera last went along
  private userMoved = false;
  private lastFollow = 0;
  private lastLook = 0;
  private drewSinceLook = true;
  private last = performance.now();
  private readonly drawListeners: (() => void)[] = [];
  private readonly scratch = new Vector3();

  constructor(private readonly store: Store, readonly element: HTMLElement, private dark: boolean) {
    this.canvas = document.createElement('canvas');
    this.canvas.className = 'view3d';
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', '3D view. Drag to turn, scroll to zoom, drag a body to pull it, with Ctrl to strike it.');
    element.append(this.canvas);
    this.quality = new QualityControl(location.search, rendererName());
    this.stage = new Stage(this.canvas, this.quality.settings);
    this.hand = new HandMark(this.stage.scene);
    this.orbit.smooth = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.stage.setColors(sceneColors(dark));
    this.canvas.addEventListener('webglcontextrestored', () => this.rebuild());
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();

    store.on('frame', () => this.receive());
    store.on(['selection', 'hover'], () => { this.model?.highlight(store.selection, store.hover); this.refresh(); });
    store.on('view', () => this.applyView());
    requestAnimationFrame((now) => this.tick(now));
  }

  refresh(): void {
    this.dirty = true;
  }

  setDark(dark: boolean): void {
    this.dark = dark;
    this.stage.setColors(sceneColors(dark));
    this.rebuild();
  }

  onDraw(f: () => void): void {
    this.drawListeners.push(f);
  }

  // Moves the camera so that all is seen, from where the model is best looked at.
  fit(resetAngles = true): void {
    const picture = this.structure?.picture;
    if (!picture) return;
    this.userMoved = false;
    this.chasing = false;
    this.seen = this.boundsToFrame(picture);
    this.frame(resetAngles, false);
  }

  touchCamera(): void {
    this.userMoved = true;
    this.refresh();
  }

  project(world: Vec3): [number, number, boolean] {
    const v = this.scratch.set(...world).project(this.orbit.camera), box = this.canvas.getBoundingClientRect();
    return [box.left + (0.5 + 0.5 * v.x) * box.width, box.top + (0.5 - 0.5 * v.y) * box.height, v.z > -1 && v.z < 1];
  }

  ray(clientX: number, clientY: number): Ray {
    const box = this.canvas.getBoundingClientRect(), camera = this.orbit.camera;
    const x = (2 * (clientX - box.left)) / box.width - 1, y = 1 - (2 * (clientY - box.top)) / box.height;
    const p = new Vector3(x, y, 0.5).unproject(camera).sub(camera.position).normalize();
    return { origin: camera.position.toArray(), direction: p.toArray() };
  }

  pick(clientX: number, clientY: number, slackPixels = 5): Hit | null {
    if (!this.model) return null;
    const perPixel = (2 * Math.tan((this.orbit.camera.fov * Math.PI) / 360)) / this.canvas.clientHeight;
    return pick(this.ray(clientX, clientY), this.model.picture, this.clock.poses, this.clock.points, this.model.glyph, slackPixels * perPixel);
  }

  // What is under the pointer: a joint whose mark is within a few pixels and not hidden, else a body.
  under(clientX: number, clientY: number, withinPixels = 9): Selection {
    const hit = this.pick(clientX, clientY), model = this.model;
    let best = withinPixels, found = -1;
    if (model && this.store.view.joints) {
      const eye = this.orbit.camera.position;
      for (const i of model.drawnJoints) {
        const joint = model.picture.joints[i], marker = joint.a.body >= 0 ? joint.a : joint.b;
        if (marker.body < 0 || 7 * marker.body >= this.clock.poses.length) continue;
        const p = toWorld(marker.point, this.clock.poses, 7 * marker.body), [x, y, front] = this.project(p), d = Math.hypot(x - clientX, y - clientY);
        const behind = hit && Math.hypot(p[0] - eye.x, p[1] - eye.y, p[2] - eye.z) > hit.distance + 3 * jointRadius(model.picture, joint);
        if (front && !behind && d < best) { best = d; found = i; }
      }
    }
    if (found >= 0) return { kind: 'joint', index: found };
    return hit ? { kind: 'body', index: hit.body } : null;
  }

  pose(body: number): { p: Vec3; q: [number, number, number, number] } | null {
    const a = this.clock.poses, o = 7 * body;
    if (body < 0 || o + 6 >= a.length) return null;
    return { p: [a[o], a[o + 1], a[o + 2]], q: [a[o + 3], a[o + 4], a[o + 5], a[o + 6]] };
  }

  private receive(): void {
    const frame = this.store.frame, structure = this.store.structure;
    if (!frame || !structure || frame.revision !== structure.revision) return;
    if (frame.poses.length !== 7 * structure.picture.bodies.length || frame.points.length !== 3 * structure.picture.points) return;
    this.clock.push(frame, performance.now());
    if (this.structure !== structure) this.adopt(structure);
  }

  private adopt(structure: Structure): void {
    const before = this.structure;
    this.structure = structure;
    this.clock.advance(performance.now(), 0);
    this.rebuild();
    const other = !before || before.file !== structure.file || before.title !== structure.title || (before.picture.bodies.length === 0 && this.store.mode !== 'build');
    if (other) {
      this.orbit.setUp(structure.picture.up);
      this.userMoved = false;
      this.chasing = false;
      this.seen = this.boundsToFrame(structure.picture);
      this.frame(true, true);
    } else {
      this.placeGround();
    }
  }

  // The model as it is, and where it will go as far as that is known.
  private boundsToFrame(picture: Picture): Bounds {
    const bounds = boundsOf(picture, this.clock.poses, this.clock.points);
    if (picture.reach) {
      include(bounds, ...picture.reach.low);
      include(bounds, ...picture.reach.high);
    } else {
      includeSwing(bounds, picture, this.clock.poses);
    }
    return bounds;
  }

  private rebuild(): void {
    const frame = this.store.frame;
    if (!this.structure || !frame || frame.poses.length !== 7 * this.structure.picture.bodies.length) return;
    this.model?.dispose();
    this.model = new DrawnModel(this.structure.picture, frame, sceneColors(this.dark));
    this.model.highlight(this.store.selection, this.store.hover);
    this.stage.scene.add(this.model.group);
    this.applyView();
    this.refresh();
  }

  private applyView(): void {
    const view = this.store.view;
    this.stage.show(view.grid, view.shadows && this.quality.settings.shadows);
    if (this.model) this.model.glyphs.visible = view.joints;
    this.refresh();
  }

  private frame(resetAngles: boolean, atOnce: boolean): void {
    const picture = this.structure!.picture;
    if (isEmpty(this.seen)) {
      include(this.seen, 0, 0, 0, 1.5);
    }
    const angles = resetAngles ? viewAngles(picture, this.seen) : this.orbit.angles;
    const distance = this.distanceFor(this.seen, angles);
    this.framedSize = Math.max(diagonal(this.seen), 1e-3 * (picture.size || 1));
    this.orbit.look(centre(this.seen), distance, angles, atOnce);
    this.placeGround();
    this.refresh();
  }

  private placeGround(): void {
    const picture = this.structure!.picture, size = Math.max(diagonal(this.seen), 1e-6), c = new Vector3(...centre(this.seen));
    this.groundAt.copy(c);
    const up = new Vector3(...picture.up).normalize(), { e1, e2 } = basis(picture.up);
    const along = (v: Vec3) => v[0] * up.x + v[1] * up.y + v[2] * up.z;
    const corners = [along(this.seen.low), along(this.seen.high)];
    let low = Math.min(...corners);
    const light = new Vector3();
    if (isPlanar(picture)) {
      // a board behind the plane, lit from the upper left
      const normal = new Vector3(0, 0, 1);
      this.stage.setGround(new Vector3(c.x, c.y, -0.035 * size), normal, gridSpacing(size), 4 * size);
      light.set(-0.35, 0.55, 1).normalize();
    } else {
      const plane = picture.fixed.find((f) => f.kind === 'plane' && (f.body ?? -1) < 0 && Math.abs(along(f.normal ?? [0, 0, 0]) - 1) < 1e-3);
      if (plane) low = along(plane.point ?? [0, 0, 0]);
      else if (low > -0.01 * size && low < 0.3 * size) low = Math.min(low, 0) - 0.002 * size;
      else low -= 0.03 * size;
      this.groundHeight = low;
      const at = c.clone().addScaledVector(up, low - c.dot(up));
      this.stage.setGround(at, up, gridSpacing(size), 4 * size);
      const { azimuth } = this.orbit.angles;
      // from above, a quarter turn to the left of where the camera stood
      const a = azimuth - 0.9;
      light.set(...e1).multiplyScalar(0.6 * Math.cos(a)).addScaledVector(new Vector3(...e2), 0.6 * Math.sin(a)).addScaledVector(up, 1).normalize();
    }
    this.stage.setLight(light, c, 0.85 * size + 1e-6);
  }

  // While the user leaves the camera alone it keeps the whole motion in view; what travels far is accompanied.
  private follow(now: number): void {
    if (!this.structure || this.structure.picture.reach) return;
    if (this.store.mode === 'build') return;   // what one builds on does not move by itself
    const picture = this.structure.picture, quick = this.chasing && picture.bodies.length < 3000;
    if (!quick && now - this.lastFollow < 1000 * kFollowEvery) return;
    this.lastFollow = now;
    const b = boundsOf(picture, this.clock.poses, this.clock.points);
    if (isEmpty(b) || diagonal(b) > 4 * this.framedSize) return;
    const grown: Bounds = { low: [...this.seen.low], high: [...this.seen.high] };
    include(grown, ...b.low);
    include(grown, ...b.high);
    const before = diagonal(this.seen), after = diagonal(grown);
    if (this.chasing || after > kMostGrowth * this.framedSize) {
      this.chase(b);
      return;
    }
    if (after < 1.01 * before) return;
    this.seen = grown;
    const up = picture.up, low = Math.min(...[grown.low, grown.high].map((v) => v[0] * up[0] + v[1] * up[1] + v[2] * up[2]));
    if (after > 1.15 * before || low < this.groundHeight) this.placeGround();
    if (this.userMoved) return;
    this.orbit.look(centre(grown), this.distanceFor(grown), null, false);
  }

  // Keeps the distance and goes along; ground and light come after in strides. A camera that was moved by hand goes along too, as far from
  // the model as it was put: one turn of the wheel must not lose what travels.
  private chase(b: Bounds): void {
    const half = 0.5 * this.framedSize, c = centre(b), from = this.chasedAt;
    this.chasedAt = c;
    if (!this.chasing) {
      this.chasing = true;
      this.placeGround();
      if (!this.userMoved || !this.sees(b)) this.orbit.accompany(c);
    } else if (this.userMoved) {
      this.orbit.shift(c[0] - from[0], c[1] - from[1], c[2] - from[2]);
    } else {
      this.orbit.accompany(c);
    }
    this.seen = { low: [c[0] - half, c[1] - half, Math.min(b.low[2], c[2])], high: [c[0] + half, c[1] + half, Math.max(b.high[2], c[2])] };
    if (Math.hypot(c[0] - this.groundAt.x, c[1] - this.groundAt.y, c[2] - this.groundAt.z) > 0.6 * this.framedSize) this.placeGround();
  }

  private sees(b: Bounds): boolean {
    const { camera } = this.orbit;
    return new Frustum().setFromProjectionMatrix(new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse))
      .intersectsBox(new Box3(new Vector3(...b.low), new Vector3(...b.high)));
  }

  // Whether anything of the model is in the picture still, a few times a second while pictures are made.
  private lookForModel(now: number): void {
    if (!this.structure || !this.drewSinceLook || now - this.lastLook < 1000 * kFollowEvery) return;
    this.lastLook = now;
    this.drewSinceLook = false;
    const b = boundsOf(this.structure.picture, this.clock.poses, this.clock.points), away = !isEmpty(b) && !this.sees(b);
    if (away === this.isAway) return;
    this.isAway = away;
    this.refresh();
  }

  // The buttons at the edge cover nothing: they are at the right, on a phone at the top.
  private distanceFor(bounds: Bounds, angles: Angles = this.orbit.angles): number {
    const { clientWidth: w, clientHeight: h } = this.element, wide = w > 600, fov = (this.orbit.camera.fov * Math.PI) / 180;
    const height = wide ? h : Math.max(0.6 * h, h - 96), width = wide ? Math.max(0.6 * w, w - 112) : w;
    return kMargin * fitDistance(bounds, angles, this.structure!.picture.up, 2 * Math.atan((Math.tan(fov / 2) * height) / h), width / height);
  }

  private resize(): void {
    const width = Math.max(1, this.element.clientWidth), height = Math.max(1, this.element.clientHeight);
    const size = this.stage.renderer.getSize(new Vector2()), ratio = this.quality.settings.pixelRatio;
    if (ratio !== this.stage.renderer.getPixelRatio()) this.stage.renderer.setPixelRatio(ratio);
    if (size.x !== width || size.y !== height) this.stage.renderer.setSize(width, height, false);
    this.orbit.resize(width, height);
    if (this.structure && !this.userMoved) this.orbit.look(centre(this.seen), this.distanceFor(this.seen), null, true);
    this.refresh();
    // a resized canvas is empty: draw at once, or it flickers
    this.draw();
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const dt = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.clock.advance(performance.now(), dt) && this.model) {
      this.model.update(this.clock.poses, this.clock.points);
      this.model.updateArrows(this.clock.arrows, dt);
      this.follow(now);
      this.dirty = true;
    }
    if (this.orbit.update(dt)) this.dirty = true;
    this.lookForModel(now);
    this.moving = this.dirty ? this.moving + 1 : 0;
    if (this.moving > 2 && this.quality.drew(dt)) { this.resize(); this.applyView(); }
    if (this.dirty) this.draw();
  }

  private draw(): void {
    const start = performance.now();
    this.dirty = false;
    this.hand.update(this.clock.poses, this.orbit.distance);
    this.stage.renderer.render(this.stage.scene, this.orbit.camera);
    this.framesDrawn += 1;
    this.drewSinceLook = true;
    this.drawTime += 0.1 * (performance.now() - start - this.drawTime);
    for (const f of this.drawListeners) f();
  }
}
