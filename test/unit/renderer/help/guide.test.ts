import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { GuideBlock, GuideText } from '../../../../src-main/common/help/guide-page.ts';
import { ERROR_CODES } from '../../../../src-main/common/contract/errors.ts';
import {
  findErrorSection,
  findPage,
  GUIDE_ENTRIES,
  listSections,
} from '../../../../src-renderer/help/guide.ts';
import { searchGuide } from '../../../../src-renderer/help/search-guide.ts';

/** For readers of the sources; the rest of the guide is in Help. */
const NOT_IN_HELP = ['README', 'figures', 'security', 'supply-chain'];

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
    case 'code':
      return [];
  }
}

test('every page of the guide is in Help once, but those about the sources', () => {
  const names = GUIDE_ENTRIES.map(({ page }) => page.name);
  const files = readdirSync('resources/guide').map((file) => file.replace(/\.md$/u, ''));
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
