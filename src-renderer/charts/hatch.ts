/** Where a chart draws, in CSS pixels of its canvas. */
export interface PlotArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const HATCH_PX = 5;

/** Hatches a part of a chart: what is not cached must not read as nothing. */
export function hatch(
  ctx: CanvasRenderingContext2D,
  { left, top, width, height }: PlotArea,
  colour: string,
): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.beginPath();
  // On whole pixels and from one origin, so that parts beside each other look like one.
  const [bottom, rise] = [Math.round(top + height), Math.ceil(height) + 1];
  const start = Math.floor((left - rise) / HATCH_PX) * HATCH_PX;
  for (let x = start; x < left + width; x += HATCH_PX) {
    ctx.moveTo(x, bottom);
    ctx.lineTo(x + rise, bottom - rise);
  }
  ctx.stroke();
  ctx.restore();
}
