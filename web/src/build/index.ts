// Build mode: adding, connecting, deleting, undo, examples.
import type { BuildHost } from './host';

export function startBuildMode(_host: BuildHost): void {}
