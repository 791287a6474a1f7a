import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { GuideBlock, GuideText } from '../../../../src-main/common/help/guide-page.ts';
import { ERROR_CODES } from '../../../../src-main/common/contract/errors.ts';
import {
  findErrorSection,
  findPage,
  findPicture,
  GUIDE_ENTRIES,
  listSections,
  searchGuide,
} from '../../../../src-renderer/help/guide.ts';

/** For readers of the sources; the rest of the guide is in Help. */
const NOT_IN_HELP = ['README', 'figures', 'releasing', 'security', 'supply-chain'];

const MAX_PICTURE_BYTES = 100_000;

/** The size of a WebP picture, from its extended header (RFC 9649, section 2.7). */
function readWebpSize(bytes: Buffer): { width: number; height: number } {
  expect(bytes.toString('latin1', 8, 16)).toBe('WEBPVP8X');
  return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
}

function listLinks(pieces: readonly GuideText[]): string[] {
  return pieces.flatMap((piece) => {
    if (piece.kind === 'link') return [piece.to];
    return 'parts' in piece ? listLinks(piece.parts) : [];
  });
}

function listBlockLinks(block: GuideBlock): string[] {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return listLinks(block.line);
    case 'list':
      return block.items.flat().flatMap(listBlockLinks);
    case 'table':
      return [block.head, ...block.rows].flat().flatMap(listLinks);
    case 'quote':
      return block.blocks.flatMap(listBlockLinks);
    case 'code':
    case 'picture':
      return [];
  }
}

test('every page of the guide is in Help once, but those about the sources', () => {
  const names = GUIDE_ENTRIES.map(({ page }) => page.name);
  const files = readdirSync('resources/guide').flatMap((file) => /^(.*)\.md$/u.exec(file)?.[1] ?? []);
  expect(names.toSorted()).toEqual(files.filter((name) => !NOT_IN_HELP.includes(name)).toSorted());
});

test('every link of the guide leads to a page and a heading that are there', () => {
  const links = GUIDE_ENTRIES.flatMap(({ page }) => page.blocks.flatMap(listBlockLinks));
  expect(links.length).toBeGreaterThan(50);
  const broken = links.filter((link) => {
    const [, place, name = '', id] = link.split('/');
    if (place !== 'help' || NOT_IN_HELP.includes(name)) return false;
    const page = findPage(name);
    return page === null || (id !== undefined && !listSections(page).some((section) => section.id === id));
  });
  expect(broken).toEqual([]);
});

test('every picture is there, shown once, small, and of the one shape that Help makes room for', () => {
  const folder = 'resources/guide/pictures';
  const shown = GUIDE_ENTRIES.flatMap(({ page }) =>
    page.blocks.flatMap((block) => (block.kind === 'picture' ? [block.file] : [])),
  );
  expect(shown.length).toBeGreaterThan(3);
  expect(shown.toSorted()).toEqual(readdirSync(folder).toSorted());
  for (const file of shown) {
    expect(findPicture(file), file).toBeDefined();
    expect(statSync(join(folder, file)).size, file).toBeLessThan(MAX_PICTURE_BYTES);
    const { width, height } = readWebpSize(readFileSync(join(folder, file)));
    expect(width / height, file).toBeCloseTo(8 / 5);
  }
});

test('every error has a paragraph, and one only', () => {
  const without = ERROR_CODES.filter((code) => (findErrorSection(code)?.blocks.length ?? 0) < 3);
  expect(without).toEqual([]);
  const named = GUIDE_ENTRIES.flatMap(({ page }) => Object.keys(page.errors));
  expect(named.toSorted()).toEqual([...ERROR_CODES].toSorted());
});

test('the search finds parts by all words, headings first', () => {
  expect(searchGuide('')).toEqual([]);
  expect(searchGuide('no-such-word')).toEqual([]);
  expect(searchGuide('client.tls').map(({ to }) => to)).toContain(
    '/help/errors/the-secure-connection-failed',
  );
  expect(searchGuide('disk FULL')[0]).toMatchObject({
    to: '/help/errors/the-disk-is-full',
    label: 'Errors',
    heading: 'The disk is full',
  });
  const around = searchGuide('keychain').map((hit) => hit.around.toLowerCase());
  expect(around.some((text) => text.includes('keychain'))).toBe(true);
});
