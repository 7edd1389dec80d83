// What surrounds the model: renderer, light with soft shadows, and a ground with a grid that fades out.
import {
  Color, DirectionalLight, DoubleSide, Group, HemisphereLight, Mesh, PCFShadowMap, PlaneGeometry, Quaternion, Scene, ShaderMaterial, ShadowMaterial, Vector3, WebGLRenderer,
} from 'three';
import type { SceneColors } from './colors';
import type { Quality } from './quality';

const kGridVertex = /* glsl */ `
varying vec2 place;
void main() { place = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;

const kGridFragment = /* glsl */ `
varying vec2 place;
uniform vec2 origin;
uniform float spacing, reach;
uniform vec3 line, strong;
uniform float weak;
float lines(vec2 p, float s) {
  vec2 c = p / s, d = fwidth(c);
  vec2 a = abs(fract(c - 0.5) - 0.5) / max(d, vec2(1e-6));
  vec2 seen = 1.0 - smoothstep(0.25, 0.6, d);
  return max((1.0 - min(a.x, 1.0)) * seen.x, (1.0 - min(a.y, 1.0)) * seen.y);
}
void main() {
  vec2 p = place + origin;
  float fade = 1.0 - smoothstep(0.25 * reach, reach, length(place));
  float fine = lines(p, spacing) * weak, coarse = lines(p, 5.0 * spacing) * 2.2 * weak;
  vec2 d = fwidth(p), a = abs(p) / max(d, vec2(1e-9));
  float axis = (1.0 - min(min(a.x, a.y) / 1.2, 1.0)) * 3.4 * weak;
  float alpha = max(max(fine, coarse), axis) * fade;
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(coarse > fine ? strong : line, alpha);
  #include <colorspace_fragment>
}`;

export class Stage {
  readonly scene = new Scene();
  readonly renderer: WebGLRenderer;
  readonly ground = new Group();
  readonly key = new DirectionalLight(0xffffff, 2);
  private readonly hemisphere = new HemisphereLight(0xffffff, 0x888888, 1);
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly shade: Mesh<PlaneGeometry, ShadowMaterial>;

  constructor(canvas: HTMLCanvasElement, quality: Quality) {
    this.renderer = new WebGLRenderer({ canvas, antialias: quality.antialias, alpha: true, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setClearColor(0x000000, 0);

    this.grid = new Mesh(new PlaneGeometry(2, 2), new ShaderMaterial({
      vertexShader: kGridVertex, fragmentShader: kGridFragment, transparent: true, depthWrite: false, side: DoubleSide,
      uniforms: { origin: { value: [0, 0] }, spacing: { value: 1 }, reach: { value: 1 }, line: { value: new Color() }, strong: { value: new Color() }, weak: { value: 0.16 } },
    }));
    this.shade = new Mesh(new PlaneGeometry(2, 2), new ShadowMaterial({ opacity: 0.2, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    this.shade.receiveShadow = true;
    this.shade.renderOrder = -2;
    this.grid.renderOrder = -1;
    this.grid.frustumCulled = this.shade.frustumCulled = false;
    this.ground.add(this.shade, this.grid);

    this.key.castShadow = true;
    this.key.shadow.mapSize.set(quality.shadowMap, quality.shadowMap);
    this.key.shadow.radius = 3.5;
    this.key.shadow.normalBias = 0.02;
    this.scene.add(this.hemisphere, this.key, this.key.target, this.ground);
  }

  setColors(colors: SceneColors): void {
    this.hemisphere.color.copy(colors.sky);
    this.hemisphere.groundColor.copy(colors.earth);
    this.hemisphere.intensity = colors.ambient;
    this.key.intensity = colors.key;
    const u = this.grid.material.uniforms;
    (u.line.value as Color).copy(colors.gridLine);
    (u.strong.value as Color).copy(colors.gridStrong);
    this.shade.material.opacity = colors.shadow;
  }

  // The ground goes through a point with a normal; its grid has its origin where the world has it.
  setGround(at: Vector3, normal: Vector3, spacing: number, reach: number): void {
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
    this.ground.position.copy(at);
    this.ground.quaternion.copy(turn);
    this.grid.geometry.dispose();
    this.grid.geometry = new PlaneGeometry(2 * reach, 2 * reach);
    const local = at.clone().applyQuaternion(turn.clone().invert());
    const u = this.grid.material.uniforms;
    u.origin.value = [local.x, local.y];
    u.spacing.value = spacing;
    u.reach.value = reach;
  }

  // Light from a direction, with shadows over a ball.
  setLight(direction: Vector3, centre: Vector3, radius: number): void {
    this.key.target.position.copy(centre);
    this.key.position.copy(centre).addScaledVector(direction, 3 * radius);
    const camera = this.key.shadow.camera;
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = radius;
    camera.far = 6 * radius;
    camera.updateProjectionMatrix();
    this.key.shadow.normalBias = radius * 0.0012;
    // the ground takes shadows only where there can be some: they fall a little further than the ball is wide
    this.shade.geometry.dispose();
    this.shade.geometry = new PlaneGeometry(5 * radius, 5 * radius);
    this.hemisphere.position.copy(direction);
  }

  show(grid: boolean, shadows: boolean): void {
    this.grid.visible = grid;
    this.shade.visible = shadows;
    this.key.castShadow = shadows;
  }
}
