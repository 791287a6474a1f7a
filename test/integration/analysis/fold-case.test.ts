import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldCase } from '../../../src-main/common/fold-case.ts';
import { openEngineFile } from './open-engine-file.ts';

let connection: DuckDBConnection;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ connection, close } = await openEngineFile());
});
afterAll(() => close());

async function foldInEngine(texts: readonly string[]): Promise<string[]> {
  await connection.run('CREATE OR REPLACE TEMP TABLE texts (place INTEGER, text VARCHAR)');
  const appender = await connection.createAppender('texts', 'main', 'temp');
  for (const [place, text] of texts.entries()) {
    appender.appendInteger(place);
    appender.appendVarchar(text);
    appender.endRow();
  }
  appender.closeSync();
  const reader = await connection.runAndReadAll('SELECT fold_case(text) FROM texts ORDER BY place');
  return reader.getRows().map(([text]) => String(text));
}

describe('folding', () => {
  it.each([
    ['straße', 'STRASSE', 'Straẞe'],
    ['ΟΔΟΣ', 'οδος', 'οδοσ'],
    ['Zu\u0308rich', 'ZÜRICH', 'zürich'],
    ['ﬁnal', 'FINAL'],
    ['İstanbul', 'i̇stanbul'],
    ['5 µs', '5 μS'],
  ])('makes %s and its other spellings one', async (...spellings) => {
    const folded = await foldInEngine(spellings);
    expect(new Set([...folded, ...spellings.map(foldCase)]).size).toBe(1);
  });

  it('keeps different letters apart', () => {
    expect(new Set(['é', 'e', 'ı', 'i', 'ñ', 'n', 'ø', 'o'].map(foldCase)).size).toBe(8);
  });

  it('is the same in the engine and in JavaScript for every character, its capitals, small letters and parts', async () => {
    const texts = Array.from({ length: 0x11_0000 }, (_, code) => code)
      .filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff))
      .map((code) => String.fromCodePoint(code))
      // What isn't assigned has neither case nor parts; a few of it stand for all.
      .filter((letter) => /[^\p{Cn}\p{Co}]|[\u0378\uE000\uFFFE]/u.test(letter))
      .flatMap((letter) => {
        const forms = [letter, letter.toUpperCase(), letter.toLowerCase(), letter.normalize('NFD')];
        return [...new Set(forms), `A${letter}`];
      })
      // The binding takes a mark of the byte order away where a text begins with it.
      .map((text) => `|${text}`);
    const folded = await foldInEngine(texts);
    const different = texts.filter((text, place) => folded[place] !== foldCase(text));
    expect(different.map((text) => text.codePointAt(1)?.toString(16))).toEqual([]);
    expect(texts.filter((text) => foldCase(foldCase(text)) !== foldCase(text))).toEqual([]);
  }, 120_000);
});
