// What build mode needs from the page around it. The page hands in one object; build mode knows nothing else of it.
import type { Source, Structure, Vec3 } from '../source';
import type { Store } from '../store';

export interface Pose {
  p: Vec3;                                    // m, world
  q: [number, number, number, number];        // x y z w, body to world
}

export interface Pick {
  body: number;                               // index into the picture's bodies
  local: Vec3;                                // where it was hit, body axes
  world: Vec3;
}

export interface BuildHost {
  source: Source;
  store: Store;
  stage: HTMLElement;                         // positioned, holds the canvas; the overlay goes into it
  toolbar: HTMLElement;                       // the palette goes here; shown in build mode
  menu: HTMLElement;                          // the buttons for files, undo and redo go here
  ray(clientX: number, clientY: number): { origin: Vec3; direction: Vec3 };
  project(world: Vec3): [number, number, boolean];   // client px; whether in front of the camera
  pick(clientX: number, clientY: number): Pick | null;
  pose(body: number): Pose | null;            // in the picture drawn last
  structure(): Structure | null;
  onDraw(f: () => void): void;                // after every picture
  toast(text: string, kind: 'info' | 'error'): void;
  fit(): void;                                // moves the camera so that all is seen
}
