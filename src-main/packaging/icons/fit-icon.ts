const BAR = /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" rx="[\d.]+" \/>/gu;
/** The side of the square that the icon is drawn on. */
const UNITS = 40;
/** From here on a bar is wide enough to look sharp wherever it stands. */
const SHARP_PIXELS = 48;

/** The part of its square that an icon of macOS fills: others in the dock have the same margin. */
const MACOS_SHARE = 824 / 1024;

/** Returns the icon for a picture of so many pixels. In a small one, bars and gaps are whole pixels, each as wide. */
export function fitIcon(svg: string, size: number): string {
  if (size >= SHARP_PIXELS) return svg;
  const scale = size / UNITS;
  const snap = (units: number): number => Math.round(units * scale);
  const bars = [...svg.matchAll(BAR)].map((bar) => bar.slice(1, 5).map(Number));
  const [[firstX = 0, , width = 0] = [], [secondX = 0] = []] = bars;
  const wide = Math.max(1, snap(width));
  const pitch = snap(secondX - firstX);
  const start = Math.round((size - pitch * (bars.length - 1) - wide) / 2);
  let index = 0;
  return svg.replaceAll(BAR, () => {
    const [, y = 0, , height = 0] = bars[index] ?? [];
    const top = snap(y);
    const numbers = [start + pitch * index, top, wide, snap(y + height) - top].map((each) => each / scale);
    const radius = wide > 2 ? wide / 2 / scale : 0;
    index += 1;
    return `<rect x="${numbers[0]}" y="${numbers[1]}" width="${numbers[2]}" height="${numbers[3]}" rx="${radius}" />`;
  });
}

/** Returns the icon with the margin that macOS expects. */
export function addMacosMargin(svg: string): string {
  const side = UNITS / MACOS_SHARE;
  const start = (UNITS - side) / 2;
  return svg.replace(`viewBox="0 0 ${UNITS} ${UNITS}"`, `viewBox="${start} ${start} ${side} ${side}"`);
}
