// The tools of the palette: what each is called, what gesture it takes, and the one line that says how to use it.

export type ToolName =
  | 'hand' | 'delete'
  | 'particle' | 'ball' | 'rod' | 'box' | 'disc'
  | 'bar' | 'hinge' | 'slider' | 'ball-joint' | 'spring' | 'motor' | 'nail' | 'weld' | 'curve';

// none: the page's own dragging. place: click, or drag for the size. span: from one point to another. join: from point to
// point, or a click where things meet. click: one point of a body. draw: a free line.
export type Gesture = 'none' | 'place' | 'span' | 'join' | 'click' | 'draw';

export interface Tool {
  name: ToolName;
  label: string;
  group: 'Tools' | 'Parts' | 'Connections';
  gesture: Gesture;
  key: string;                // keyboard shortcut while build mode is on
  hint: string;
  icon: string;               // content of a 24 × 24 SVG, drawn with strokes
}

const dot = (x: number, y: number, r = 2.2) => `<circle cx="${x}" cy="${y}" r="${r}" fill="currentColor"/>`;

export const kTools: Tool[] = [
  { name: 'hand', label: 'Hand', group: 'Tools', gesture: 'none', key: '1',
    hint: 'Drag a body to pull it. Click a body, joint or spring to edit it.',
    icon: '<path d="M8 13V5.5a1.5 1.5 0 0 1 3 0V11m0-6.5a1.5 1.5 0 0 1 3 0V11m0-5a1.5 1.5 0 0 1 3 0v8c0 4-2 6.5-5.5 6.5S7 19 5 15l-1-2.5c-.5-1.5 1.5-2.5 2.5-1L8 13"/>' },
  { name: 'delete', label: 'Delete', group: 'Tools', gesture: 'click', key: 'x',
    hint: 'Click what shall go: a body (with all that holds it), a joint, a spring.',
    icon: '<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5"/>' },

  { name: 'rod', label: 'Rod', group: 'Parts', gesture: 'span', key: '2',
    hint: 'Drag from end to end. An end put on another part is hinged to it; the first end, put on the empty board, is pinned there.',
    icon: `<path d="M5 19 19 5" stroke-width="4"/>` },
  { name: 'particle', label: 'Particle', group: 'Parts', gesture: 'place', key: '3',
    hint: 'Click: a point with mass. Put on another part, it is joined to it.',
    icon: dot(12, 12, 3.5) },
  { name: 'ball', label: 'Ball', group: 'Parts', gesture: 'place', key: '4',
    hint: 'Click, or drag for its size. Put on another part, it is hinged to it.',
    icon: '<circle cx="12" cy="12" r="7.5"/><path d="M8 10a5 5 0 0 1 4-3"/>' },
  { name: 'box', label: 'Box', group: 'Parts', gesture: 'place', key: '5',
    hint: 'Click, or drag from corner to corner. Put on another part, it is hinged to it.',
    icon: '<rect x="5" y="6" width="14" height="12" rx="1"/>' },
  { name: 'disc', label: 'Disc', group: 'Parts', gesture: 'place', key: '6',
    hint: 'Click, or drag for its size. Put on another part, it is hinged to it.',
    icon: `<circle cx="12" cy="12" r="8"/>${dot(12, 12, 1.5)}<path d="M12 12h8"/>` },

  { name: 'nail', label: 'Nail', group: 'Connections', gesture: 'click', key: '7',
    hint: 'Click a point of a part: it stays where it is.',
    icon: '<path d="M7 5h10M12 5v10M10 15h4l-2 5z"/>' },
  { name: 'hinge', label: 'Hinge', group: 'Connections', gesture: 'join', key: '8',
    hint: 'Click where two parts meet, or one part to pin it to the board; or drag from a point of one part to a point of another.',
    icon: `<circle cx="12" cy="12" r="3.5"/><path d="M4 18l5.5-4M20 18l-5.5-4"/>` },
  { name: 'bar', label: 'Bar', group: 'Connections', gesture: 'span', key: '9',
    hint: 'Drag from a point to a point: they stay at this distance. A bar has no mass.',
    icon: `${dot(5, 19)}${dot(19, 5)}<path d="M5 19 19 5"/>` },
  { name: 'spring', label: 'Spring', group: 'Connections', gesture: 'span', key: '0',
    hint: 'Drag from a point to a point, of parts or of the board.',
    icon: '<path d="M3 12h3l1.5-5 3 10 3-10 3 10 1.5-5h3"/>' },
  { name: 'motor', label: 'Motor', group: 'Connections', gesture: 'click', key: 'm',
    hint: 'Click a hinge: it is driven at a steady speed. On a part without one it brings its own.',
    icon: `<path d="M18.5 8.5a7.5 7.5 0 1 0 1 5"/><path d="M20 4v5h-5"/>${dot(12, 12, 1.8)}` },
  { name: 'slider', label: 'Slider', group: 'Connections', gesture: 'join', key: 's',
    hint: 'Drag from a part in the direction in which it shall slide, to another part or over the board.',
    icon: '<path d="M3 17h18M3 7h18"/><rect x="8" y="9" width="8" height="6"/>' },
  { name: 'ball-joint', label: 'Ball joint', group: 'Connections', gesture: 'join', key: 'o',
    hint: 'Click where two parts meet, or one part to pin it; or drag from part to part. It turns every way.',
    icon: `<circle cx="12" cy="10" r="3.5"/><path d="M6.5 9a6 6 0 1 0 11 0M12 16v5"/>` },
  { name: 'weld', label: 'Weld', group: 'Connections', gesture: 'join', key: 'w',
    hint: 'Click where two parts meet, or one part to fix it to the board; or drag from part to part.',
    icon: '<path d="M6 6l12 12M18 6 6 18M12 3.5v3M12 17.5v3"/>' },
  { name: 'curve', label: 'Curve', group: 'Connections', gesture: 'draw', key: 'v',
    hint: 'Press on a part and draw the wire along which it shall slide; end where you began to close it.',
    icon: `<path d="M3 16c4-14 7 6 11-2s4-8 7-6"/>${dot(8.5, 9.5)}` },
];

export const toolNamed = (name: ToolName): Tool => kTools.find((tool) => tool.name === name)!;
