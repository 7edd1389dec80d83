import { describe, expect, it } from 'vitest';
import { decodeFrame, encodeFrame } from '../src/frame';
import { mixPoses, FrameClock } from '../src/scene/clock';
import type { Frame } from '../src/source';

function frame(time: number, more: Partial<Frame> = {}): Frame {
  return {
    revision: 3, time, past: false, playing: true, poses: new Float32Array([time, 2, 3, 0, 0, 0, 1]), points: new Float32Array([4, 5, 6]),
    arrows: new Float32Array([1, 2, 3, 4, 5, 6]), arrowJoints: new Uint32Array([7]), ...more,
  };
}

describe('frames', () => {
  it('are read as they were written', () => {
    const f = frame(1.25, { past: true });
    expect(decodeFrame(encodeFrame(f))).toEqual(f);
  });
  it('with no bodies are frames', () => {
    const f = frame(0, { poses: new Float32Array(), points: new Float32Array(), arrows: new Float32Array(), arrowJoints: new Uint32Array() });
    expect(decodeFrame(encodeFrame(f))).toEqual(f);
  });
  it('that are cut, too long or of another kind are refused', () => {
    const buffer = encodeFrame(frame(1));
    expect(() => decodeFrame(buffer.slice(0, 20))).toThrow(/shorter/);
    expect(() => decodeFrame(buffer.slice(0, buffer.byteLength - 4))).toThrow(/expected/);
    new DataView(buffer).setUint32(0, 1, true);
    expect(() => decodeFrame(buffer)).toThrow(/magic/);
  });
});

describe('interpolation', () => {
  it('goes the shorter way round and stays a rotation', () => {
    const a = new Float32Array([0, 0, 0, 0, 0, 0, 1]), b = new Float32Array([2, 0, 0, 0, 0, -Math.SQRT1_2, -Math.SQRT1_2]), out = new Float32Array(7);
    mixPoses(a, b, 0.5, out);
    expect(out[0]).toBeCloseTo(1);
    expect(out[5]).toBeCloseTo(Math.sin(Math.PI / 8));
    expect(Math.hypot(...out.slice(3))).toBeCloseTo(1);
  });
  it('shows a moment between frames that arrive steadily, and never goes back', () => {
    const clock = new FrameClock();
    let last = -1;
    for (let i = 0; i < 60; ++i) {
      clock.push(frame(i / 60), 1000 + (i * 1000) / 60);
      clock.advance(1000 + (i * 1000) / 60 + 4, 1 / 60);
      expect(clock.time).toBeGreaterThanOrEqual(last);
      expect(clock.time).toBeLessThanOrEqual(i / 60 + 1e-9);
      last = clock.time;
    }
    expect(59 / 60 - clock.time).toBeLessThan(3 / 60);
    expect(clock.poses[0]).toBeCloseTo(clock.time, 4);
  });
  it('shows a seek at once', () => {
    const clock = new FrameClock();
    clock.push(frame(5), 0);
    clock.push(frame(5.1), 16);
    clock.push(frame(1, { past: true, playing: false }), 32);
    clock.advance(33, 0.016);
    expect(clock.time).toBe(1);
  });
  it('comes to rest at the newest frame', () => {
    const clock = new FrameClock();
    clock.push(frame(0), 0);
    clock.push(frame(0.016), 16);
    for (let i = 0; i < 200; ++i) clock.advance(16 + 16 * i, 0.016);
    expect(clock.time).toBe(0.016);
    expect(clock.advance(5000, 0.016)).toBe(false);
  });
});
