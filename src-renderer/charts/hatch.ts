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
  for (let x = left - height; x < left + width; x += HATCH_PX) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}
