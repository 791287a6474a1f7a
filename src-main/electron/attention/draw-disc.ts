/** A picture as Electron's bitmaps are: blue, green, red and opacity of each pixel, row by row. */
interface Bitmap {
  readonly pixels: Buffer;
  readonly width: number;
}

/** In the bitmap's order of colours. */
const RED = [38, 38, 193, 255];
const WHITE = [255, 255, 255, 255];
const RING_WIDTH = 1.5;

/** Draws a red disc with a white ring, in a square whose first pixel is at `left` and `top`. */
export function drawDisc({ pixels, width }: Bitmap, left: number, top: number, size: number): void {
  const middle = (size - 1) / 2;
  for (let place = 0; place < size * size; place += 1) {
    const [x, y] = [place % size, Math.floor(place / size)];
    const distance = Math.hypot(x - middle, y - middle);
    if (distance > middle) continue;
    pixels.set(distance > middle - RING_WIDTH ? WHITE : RED, ((top + y) * width + left + x) * 4);
  }
}
