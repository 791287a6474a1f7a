import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeNumber, writeText } from '../../src-main/node/text-bytes.ts';
import {
  createPageBuffer,
  finishPage,
  getLength,
  type PageBuffer,
  writeGuid,
  writeInstant,
  writeMilliseconds,
  writeQuoted,
} from '../../src-main/service/reports/report-catalog.ts';
import { toSessionBits } from '../../src-main/service/sample/describe-records.ts';

describe('the buffer of a page', () => {
  // It begins too small, so that it has to grow.
  const write = (work: (page: PageBuffer) => void): string => {
    const page = createPageBuffer(1, 8);
    work(page);
    return finishPage(page, '', '').toString();
  };
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
    fc.constantFrom('"\\', '\u0000', '\u007f', '\ud800', '🙂é', ''),
  );

  it('quotes any text as JSON does', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(write((page) => writeQuoted(page, value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('writes numbers, milliseconds and instants as JSON does', () => {
    const number = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      fc.integer({ min: -10_000_000, max: 10_000_000 }).map((thousandths) => thousandths / 1000),
      fc.maxSafeInteger().map((thousandths) => thousandths / 1000),
    );
    fc.assert(
      fc.property(number, fc.maxSafeInteger(), fc.integer({ min: -6e13, max: 2e14 }), (value, us, ms) => {
        expect(write((page) => writeNumber(page, value))).toBe(JSON.stringify(value));
        expect(write((page) => writeMilliseconds(page, us))).toBe(JSON.stringify(us / 1000));
        expect(write((page) => writeInstant(page, ms))).toBe(JSON.stringify(new Date(ms)));
      }),
    );
  });

  it('writes the GUID of a session in version 4 form', () => {
    const guid = write((page) => writeGuid(page, toSessionBits(7, 12)));
    expect(guid).toMatch(/^"[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}"$/);
  });

  it('puts the head in front of what was written, and takes none that is too long', () => {
    const page = createPageBuffer(4, 8);
    writeText(page, 'long enough to be copied by the runtime and not by hand, é');
    expect(getLength(page)).toBe(59);
    expect(finishPage(page, '[', ']').toString()).toBe(
      '[long enough to be copied by the runtime and not by hand, é]',
    );
    expect(() => finishPage(createPageBuffer(4, 2), '[[[', '')).toThrow('A head of 3 bytes');
  });
});
