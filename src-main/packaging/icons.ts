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

/** A square picture, as a PNG. */
export interface Picture {
  readonly size: number;
  readonly png: Buffer;
}

const ICO_HEADER_BYTES = 6;
const ICO_ENTRY_BYTES = 16;

/** Returns a Windows icon of up to 256 pixels, with each picture as a PNG. */
export function writeIco(pictures: readonly Picture[]): Buffer {
  const header = Buffer.alloc(ICO_HEADER_BYTES + pictures.length * ICO_ENTRY_BYTES);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(pictures.length, 4);
  let offset = header.length;
  for (const [index, { size, png }] of pictures.entries()) {
    if (size > 256) throw new RangeError('A Windows icon has at most 256 pixels.');
    const entry = ICO_HEADER_BYTES + index * ICO_ENTRY_BYTES;
    // 256 is written as 0.
    header.writeUInt8(size % 256, entry);
    header.writeUInt8(size % 256, entry + 1);
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(32, entry + 6);
    header.writeUInt32LE(png.length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += png.length;
  }
  return Buffer.concat([header, ...pictures.map(({ png }) => png)]);
}

/** The names that macOS has for a picture of so many pixels: at normal density, and at double density. */
const ICNS_TYPES: Readonly<Record<number, readonly string[]>> = {
  16: ['icp4'],
  32: ['icp5', 'ic11'],
  64: ['ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
};
/** The sizes that an icon of macOS consists of. */
export const ICNS_SIZES = Object.keys(ICNS_TYPES).map(Number);

function writeBlock(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32BE(header.length + content.length, 4);
  return Buffer.concat([header, content]);
}

/** Returns an icon for macOS. Pictures of other sizes than `ICNS_SIZES` are left out. */
export function writeIcns(pictures: readonly Picture[]): Buffer {
  const blocks = pictures.flatMap(({ size, png }) =>
    (ICNS_TYPES[size] ?? []).map((type) => writeBlock(type, png)),
  );
  return writeBlock('icns', Buffer.concat(blocks));
}
