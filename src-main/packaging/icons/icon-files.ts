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
