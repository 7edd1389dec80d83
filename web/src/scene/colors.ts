// Colours of the drawing. Bodies share a small palette of muted hues that read on light and on dark ground;
// red, amber and blue are kept for forces, warnings and what is selected.
import { Color } from 'three';

const kBodies = ['#5f8fbf', '#c98a5e', '#7ba88c', '#9a86b8', '#c9aa5c', '#5ea3a6', '#b9788c', '#8794a4'];

export interface SceneColors {
  bodies: Color[];
  chain: Color;
  rope: Color;
  spring: Color;
  pin: Color;            // joints
  support: Color;
  redundant: Color;
  motor: Color;
  off: Color;
  force: Color;          // arrows of constraint forces
  hand: Color;
  select: Color;
  hover: Color;
  fixed: Color;
  gridLine: Color;
  gridStrong: Color;
  shadow: number;        // opacity
  sky: Color;
  earth: Color;
  ambient: number;
  key: number;
}

export function sceneColors(dark: boolean): SceneColors {
  const c = (text: string) => new Color(text);
  return {
    bodies: kBodies.map(c),
    chain: c(dark ? '#93a5b8' : '#6f8296'),
    rope: c(dark ? '#c9b68d' : '#9a8558'),
    spring: c(dark ? '#8fb59a' : '#6d9a7c'),
    pin: c(dark ? '#d5dce4' : '#3f4c5a'),
    support: c(dark ? '#5c6977' : '#8f9ba8'),
    redundant: c('#e0942f'),
    motor: c('#d9752b'),
    off: c(dark ? '#68737f' : '#a9b3bd'),
    force: c(dark ? '#f0647a' : '#cf3a55'),
    hand: c('#f08a24'),
    select: c(dark ? '#6cb4ff' : '#1d74d8'),
    hover: c(dark ? '#a9d2ff' : '#5fa0e8'),
    fixed: c(dark ? '#7f93a8' : '#8ea3b8'),
    gridLine: c(dark ? '#8fa3b8' : '#71839a'),
    gridStrong: c(dark ? '#a9bdd2' : '#53657b'),
    shadow: dark ? 0.45 : 0.2,
    sky: c(dark ? '#dfe9f5' : '#ffffff'),
    earth: c(dark ? '#39424d' : '#b9c2cc'),
    ambient: dark ? 1.15 : 1.75,
    key: dark ? 1.9 : 2.0,
  };
}
