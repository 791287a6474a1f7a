import { describe, expect, it } from 'vitest';
import {
  readItem,
  toDigest,
  toFileName,
  toIdentity,
  writeItem,
  writeMarker,
  type SharedItem,
} from '../../../../src-main/core/shared-work/item-text.ts';
import { compareValues } from '../../../../src-main/core/shared-work/assess-link.ts';

const ITEM: SharedItem = {
  kind: 'alerts',
  connection: 'c-1',
  key: 'k-1',
  value: { name: 'Errors', isActive: true, condition: { minutes: 5, kind: 'down', part: 'platform' } },
};

describe('the name of a file', () => {
  const nameOf = (label: string, key = label): string =>
    toFileName(toIdentity({ kind: 'alerts', connection: 'c-1', key }), label);

  it.each([
    'con',
    'NUL.txt',
    'a/b\\c:d*e?f"g<h>i|j',
    '..',
    '.hidden',
    'ends in a dot.',
    '   ',
    '',
    'x'.repeat(500),
    '日本語の名前'.repeat(60),
    'e\u0301te\u0301',
    'line\nend\u0000\u202e',
    '👩‍👩‍👧‍👦 family',
  ])('of %j is safe everywhere', (label) => {
    const name = nameOf(label, 'same');
    expect(name).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}-]*--[0-9a-f]{10}\.json$/u);
    expect(name).not.toMatch(/^(con|nul|aux|prn)\./iu);
    expect(Buffer.byteLength(name)).toBeLessThan(200);
    expect(name).toBe(name.toLowerCase().normalize('NFC'));
  });

  it('is readable, and another one for another item of the same name, letter case aside', () => {
    expect(nameOf('Error rate, high!')).toMatch(/^error-rate-high--/u);
    const names = ['Errors', 'errors', 'ERRORS'].map((label, place) => nameOf(label, String(place)));
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(3);
  });
});

describe('the text of a file', () => {
  it('has sorted keys, a line for each value, and ends with a line end, so that changes compare well', () => {
    expect(writeItem(ITEM)).toBe(`{
  "format": "channelscope-shared",
  "version": 1,
  "kind": "alerts",
  "id": "k-1",
  "connection": "c-1",
  "value": {
    "condition": {
      "kind": "down",
      "minutes": 5,
      "part": "platform"
    },
    "isActive": true,
    "name": "Errors"
  }
}
`);
  });

  it('reads back as it was', () => {
    expect(readItem(writeItem(ITEM))).toEqual({ is: 'item', item: ITEM });
    expect(readItem(writeMarker())).toEqual({ is: 'marker' });
  });

  it('cut at any place is a fault, never another item', () => {
    const text = writeItem(ITEM);
    for (let length = 0; length < text.trimEnd().length; length += 1)
      expect(readItem(text.slice(0, length)), String(length)).toEqual({ is: 'fault', fault: 'cut' });
  });

  it('of a newer version, or of something else, is left alone', () => {
    expect(readItem(writeItem(ITEM).replace('"version": 1', '"version": 2'))).toMatchObject({
      fault: 'newer',
    });
    expect(readItem(writeItem(ITEM).replace('"alerts"', '"later-kind"'))).toMatchObject({ fault: 'newer' });
    expect(readItem('{"name":"package"}')).toMatchObject({ fault: 'foreign' });
    expect(readItem('<<<<<<< HEAD\n{}')).toMatchObject({ fault: 'cut' });
  });

  it('has one digest whatever the order of keys', () => {
    expect(toDigest({ a: 1, b: [1, { c: null, d: 'x' }] })).toBe(
      toDigest({ b: [1, { d: 'x', c: null }], a: 1 }),
    );
    expect(toDigest({ a: 1 })).not.toBe(toDigest({ a: '1' }));
  });
});

it('two versions are compared field by field, rows of a table by their key', () => {
  const mine = {
    name: 'Owners',
    rows: [
      ['1', 'Ana'],
      ['2', 'Bo'],
    ],
    days: ['monday', 'friday'],
  };
  const theirs = {
    name: 'Owners',
    rows: [
      ['2', 'Cy'],
      ['1', 'Ana'],
    ],
    days: ['monday'],
    more: true,
  };
  expect(compareValues(mine, theirs)).toEqual({
    differences: [
      { path: 'rows.2', mine: '2, Bo', theirs: '2, Cy' },
      { path: 'days', mine: 'monday, friday', theirs: 'monday' },
      { path: 'more', mine: null, theirs: 'true' },
    ],
    hasMore: false,
  });
});
