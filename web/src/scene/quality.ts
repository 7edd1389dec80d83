// How much the drawing may cost. A card that cannot keep up gets fewer pixels and then no shadows, rather than a
// picture that stutters; a processor that stands in for a card begins without shadows. ?quality=high keeps
// everything on (for pictures), ?quality=low starts at the bottom.

export interface Quality {
  pixelRatio: number;
  shadows: boolean;
  shadowMap: number;
  antialias: boolean;
}

const kSlow = 1 / 24;        // s per picture that is too slow
const kPatience = 24;        // pictures in a row
const kSoftware = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export class QualityControl {
  level: number;             // 0 best
  private readonly fixed: boolean;
  private slow = 0;

  constructor(search: string, private readonly renderer: string) {
    const asked = new URLSearchParams(search).get('quality');
    this.fixed = asked === 'high' || asked === 'low';
    this.level = asked === 'high' ? 0 : asked === 'low' ? 3 : kSoftware.test(renderer) ? 2 : 0;
  }

  get antialias(): boolean {
    return this.level === 0;
  }

  get settings(): Quality {
    const software = kSoftware.test(this.renderer) && !this.fixed;
    const full = Math.min(2, devicePixelRatio);
    return {
      pixelRatio: this.level === 0 ? full : this.level < 3 ? 1 : 0.75,
      shadows: this.level < 2,
      shadowMap: software ? 1024 : 2048,
      antialias: this.antialias,
    };
  }

  // Told of every picture drawn in motion; returns whether the settings changed.
  drew(seconds: number): boolean {
    if (this.fixed || this.level >= 3) return false;
    this.slow = seconds > kSlow ? this.slow + 1 : Math.max(0, this.slow - 3);
    if (this.slow < kPatience) return false;
    this.slow = 0;
    this.level += 1;
    return true;
  }
}

// What draws: asked of a context of its own, because whether edges are smoothed is settled when one is made.
export function rendererName(): string {
  const canvas = document.createElement('canvas');
  const gl = canvas.getContext('webgl2');
  if (!gl) return '';
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return name;
}
