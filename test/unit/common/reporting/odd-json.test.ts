import { describe, expect, it } from 'vitest';
import { findDoubledKeys, measureJson } from '../../../../src-main/common/json.ts';
import { readEnvelopeRest } from '../../../../src-main/common/reporting/reading/find-records.ts';
import { readPage, type ReadPage } from '../../../../src-main/common/reporting/reading/read-page.ts';
import { findRawEntries } from '../../../../src-main/core/cache/read/stored-pages.ts';

const GOOD = '{"Id":"a","Date":"2026-11-20T10:00:00Z","ReponseTime":12,"BotLatency":1,"Payload":"p"}';

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
function read(records: readonly string[], envelope = '"isValid":true,"lastDocument":""'): ReadPage {
  return readPage(toBytes(`{${envelope},"documents":[${records.join(',')}]}`), {
    report: 'inbound-detail',
    zone: 'UTC',
  });
}
const remarkOf = (page: ReadPage, code: string) => page.remarks.find((remark) => remark.code === code);

describe('NaN and Infinity where a number belongs', () => {
  it.each(['NaN', 'Infinity', '-Infinity'])(
    'decision 41, client: set aside the record with %s alone, as it came',
    (word) => {
      const odd = GOOD.replace('12', word);
      const page = read([GOOD, odd, GOOD.replace('"p"', `"NaN, \\"Infinity"`)]);
      expect(page.setAside).toEqual([{ index: 1, reason: 'not-a-number', text: odd }]);
      expect(page.records.map(({ payload }) => payload)).toEqual(['p', 'NaN, "Infinity']);
      expect(page.recordCount).toBe(3);
    },
  );
  it('keep the page where every record has one, and where they stand in an inner value', () => {
    const odd = GOOD.replace('"p"', '"p","More":{"deep":[1,NaN]}');
    expect(read([odd]).setAside).toEqual([{ index: 0, reason: 'not-a-number', text: odd }]);
  });
  it('say nothing beside the records: a cursor is none', () => {
    const page = read(
      [GOOD],
      '"isValid":true,"totalDocument":NaN,"lastDocument":NaN,"executionTime":Infinity',
    );
    expect(page).toMatchObject({ totalDocument: null, lastDocument: null, executionTimeMs: null });
    expect(page.records).toHaveLength(1);
    const rest = readEnvelopeRest(
      toBytes(`{"isValid":true,"ratio":NaN,"documents":[${GOOD}]}`),
      'inbound-detail',
    );
    expect(rest.fields).toEqual({ ratio: 'NaN' });
  });
  it('are found again in the page as it came', () => {
    const odd = GOOD.replace('12', 'NaN');
    const text = `{"isValid":true,"documents":[${GOOD},${odd}]}`;
    let entries: readonly unknown[] = [];
    readPage(toBytes(text), {
      report: 'inbound-detail',
      zone: 'UTC',
      onEntries: (found) => (entries = found),
    });
    expect(findRawEntries(text, entries, [0, 1])).toEqual([GOOD, odd]);
  });
  it('make no other text JSON', () => {
    expect(() => read([GOOD.replace('12', 'NaN NaN')])).toThrow(
      expect.objectContaining({ code: 'client.not-json' }),
    );
    expect(() => read([GOOD.replace('12', 'nan')])).toThrow(
      expect.objectContaining({ code: 'client.not-json' }),
    );
  });
});

describe('a name that comes twice', () => {
  it('in a record is said, with the name and the number of records', () => {
    const twice = GOOD.replace('"Payload"', '"ReponseTime":99,"Payload"');
    const page = read([GOOD, twice, twice.replace('"ReponseTime":99', '"Reponse\\u0054ime":98')]);
    expect(page.records.map(({ responseTimeMs }) => responseTimeMs)).toEqual([12, 99, 98]);
    expect(remarkOf(page, 'doubled-keys')).toEqual({ code: 'doubled-keys', count: 2, detail: 'ReponseTime' });
  });
  it('beside the records is said apart', () => {
    const page = read([GOOD], '"isValid":true,"lastDocument":"a","lastDocument":"b"');
    expect(page.lastDocument).toBe('b');
    expect(remarkOf(page, 'doubled-envelope-keys')).toMatchObject({ count: 1, detail: 'lastDocument' });
    expect(remarkOf(page, 'doubled-keys')).toBeUndefined();
  });
  it('is not seen in texts that look like it, in other objects, and in lists', () => {
    const text = GOOD.replace('"p"', '":","More":[{"a":1},{"a":1}],"T":"{\\"a\\":1,\\"a\\":2} : \\\\"');
    expect(read([text, text]).remarks.map(({ code }) => code)).not.toContain('doubled-keys');
    expect(findDoubledKeys(text)).toBeNull();
  });
});

describe('a time that a number can not hold', () => {
  it.each([
    ['9007199254740993', true],
    ['9007199254740992', false],
    ['"9007199254740993"', true],
    ['"12.50"', false],
    ['1e300', false],
    ['123456789012345678901234567890', true],
    ['0.1', false],
  ])('%s: %s', (digits, isRounded) => {
    const page = read([GOOD.replace('12', digits), GOOD]);
    expect(remarkOf(page, 'number-rounded')?.count).toBe(isRounded ? 1 : undefined);
    expect(page.records).toHaveLength(2);
  });
});

it('measures a text without parsing it', () => {
  expect(measureJson('{"a":[1,2,{"b":"[[[,,:"}],"c":"\\""}')).toEqual({ depth: 3, parts: 6, keys: 3 });
});

it('refuses a page of more values than a parser has memory for', () => {
  const brackets = '['.repeat(300_000);
  expect(() => read([`{"Id":${brackets}`])).toThrow(expect.objectContaining({ code: 'client.too-large' }));
});
