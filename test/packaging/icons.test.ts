import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { addMacosMargin, fitIcon, ICNS_SIZES, writeIcns, writeIco } from '../../src-main/packaging/icons.ts';

const folder = fileURLToPath(new URL('../../resources/icons/', import.meta.url));
const drawing = readFileSync(join(folder, 'channelscope.svg'), 'utf8');

/** Width and height of a PNG, which begins with its signature. */
function readSize(png: Buffer): [number, number] {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001A\n');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe('an icon for Windows', () => {
  it('holds each picture where its list says, and writes 256 pixels as 0', () => {
    const ico = writeIco([
      { size: 16, png: Buffer.from('small') },
      { size: 256, png: Buffer.from('large one') },
    ]);
    expect([...ico.subarray(0, 6)]).toEqual([0, 0, 1, 0, 2, 0]);
    expect([ico[6], ico[7], ico[22], ico[23]]).toEqual([16, 16, 0, 0]);
    const read = (entry: number): string => {
      const start = ico.readUInt32LE(entry + 12);
      return ico.subarray(start, start + ico.readUInt32LE(entry + 8)).toString();
    };
    expect([read(6), read(22)]).toEqual(['small', 'large one']);
  });

  it('has no picture above 256 pixels', () => {
    expect(() => writeIco([{ size: 512, png: Buffer.alloc(0) }])).toThrow(RangeError);
  });

  it('has every size that Windows shows', () => {
    const ico = readFileSync(join(folder, 'channelscope.ico'));
    const sizes = Array.from({ length: ico.readUInt16LE(4) }, (_, index) => {
      const entry = 6 + 16 * index;
      const [width, height] = readSize(ico.subarray(ico.readUInt32LE(entry + 12)));
      expect([width % 256, height % 256]).toEqual([ico[entry], ico[entry + 1]]);
      return width;
    });
    expect(sizes).toEqual([16, 20, 24, 32, 40, 48, 64, 256]);
  });
});

/** The blocks of an icon of macOS: their types and contents. */
function readBlocks(icns: Buffer): [string, Buffer][] {
  expect(icns.subarray(0, 4).toString('latin1')).toBe('icns');
  expect(icns.readUInt32BE(4)).toBe(icns.length);
  const blocks: [string, Buffer][] = [];
  for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4)) {
    const end = at + icns.readUInt32BE(at + 4);
    blocks.push([icns.subarray(at, at + 4).toString('latin1'), icns.subarray(at + 8, end)]);
  }
  return blocks;
}

describe('an icon for macOS', () => {
  it('holds a picture under each name that its size has, and none of another size', () => {
    const pictures = [32, 48].map((size) => ({ size, png: Buffer.from(`of ${size}`) }));
    const blocks = readBlocks(writeIcns(pictures)).map(([type, png]) => [type, png.toString()]);
    expect(blocks).toEqual([
      ['icp5', 'of 32'],
      ['ic11', 'of 32'],
    ]);
  });

  it('has every size, each as large as its name says', () => {
    const blocks = readBlocks(readFileSync(join(folder, 'channelscope.icns')));
    const sizes = blocks.map(([, png]) => readSize(png)[0]);
    expect([...new Set(sizes)]).toEqual(ICNS_SIZES);
    expect(blocks.map(([type]) => type)).toContain('ic10');
  });
});

it('the icons for Linux are as large as their names say', () => {
  const names = readdirSync(join(folder, 'linux'));
  expect(names).toHaveLength(8);
  for (const name of names) {
    const [width, height] = readSize(readFileSync(join(folder, 'linux', name)));
    expect(`${width}x${height}.png`).toBe(name);
  }
});

describe('the drawing', () => {
  it('is the mark that the window shows', () => {
    const mark = readFileSync(
      fileURLToPath(new URL('../../src-renderer/components/ProductMark.vue', import.meta.url)),
      'utf8',
    );
    const bars = (text: string): string[] => text.match(/<rect x="[^>]+>/gu) ?? [];
    expect(bars(drawing)).toHaveLength(4);
    expect(bars(drawing)).toEqual(bars(mark));
  });

  it.each([16, 20, 24, 32, 40])('has bars and gaps of whole and equal pixels at %i pixels', (size) => {
    const bars = [...fitIcon(drawing, size).matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/gu)];
    const [x, y, width] = [1, 2, 3].map((place) => bars.map((bar) => (Number(bar[place]) * size) / 40));
    for (const pixels of [...x!, ...y!, ...width!]) expect(pixels).toBeCloseTo(Math.round(pixels), 6);
    const gaps = x!.slice(1).map((start, index) => Math.round(start - x![index]! - width![index]!));
    expect(new Set(gaps).size).toBe(1);
    expect(gaps[0]).toBeGreaterThanOrEqual(1);
  });

  it('stays as it is in large pictures, and has a margin for macOS', () => {
    expect(fitIcon(drawing, 48)).toBe(drawing);
    expect(addMacosMargin(drawing)).toMatch(/viewBox="-4\.8\d+ -4\.8\d+ 49\.7\d+ 49\.7\d+"/u);
  });
});
