// What build mode needs of the page.
import type { Source, Structure, Vec3 } from '../source';
import type { Store } from '../store';

export interface BuildHost {
  source: Source;
  store: Store;
  stage: HTMLElement;      // the positioned element that holds the canvas
  toolbar: HTMLElement;    // for the palette; shown in build mode
  menu: HTMLElement;       // in the header, for buttons
  ray(clientX: number, clientY: number): { origin: Vec3; direction: Vec3 };
  project(world: Vec3): [number, number, boolean];   // client coordinates, and whether in front of the camera
  pick(clientX: number, clientY: number): { body: number; local: Vec3; world: Vec3 } | null;
  pose(body: number): { p: Vec3; q: [number, number, number, number] } | null;   // as drawn at present
  structure(): Structure | null;
  onDraw(f: () => void): void;
  toast(text: string, kind: 'info' | 'error'): void;
  fit(): void;
}
