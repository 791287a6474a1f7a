import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PageBuffer } from '../../src-main/service/reports/page-buffer.ts';
import { toSessionBits } from '../../src-main/service/sample/describe-records.ts';

describe('the buffer of a page', () => {
  // It begins too small, so that it has to grow.
  const write = (work: (page: PageBuffer) => void): string => {
    const page = new PageBuffer(8, 1);
    work(page);
    return page.finish('', '').toString();
  };
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
    fc.constantFrom('"\\', '\u0000', '\u007f', '\ud800', '🙂é', ''),
  );

  it('quotes any text as JSON does', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(write((page) => page.writeQuoted(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('writes numbers, milliseconds and instants as JSON does', () => {
    const number = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
    );
    fc.assert(
      fc.property(number, fc.maxSafeInteger(), fc.integer({ min: -6e13, max: 2e14 }), (value, us, ms) => {
        expect(write((page) => page.writeNumber(value))).toBe(JSON.stringify(value));
        expect(write((page) => page.writeMilliseconds(us))).toBe(JSON.stringify(us / 1000));
        expect(write((page) => page.writeInstant(ms))).toBe(new Date(ms).toISOString());
      }),
    );
  });

  it('writes the GUID of a session in version 4 form', () => {
    const guid = write((page) => page.writeGuid(toSessionBits(7, 12)));
    expect(guid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('puts the head in front of what was written, and takes none that is too long', () => {
    const page = new PageBuffer(8, 4);
    page.write('long enough to be copied by the runtime and not by hand, é');
    expect(page.length).toBe(59);
    expect(page.finish('[', ']').toString()).toBe(
      '[long enough to be copied by the runtime and not by hand, é]',
    );
    expect(() => new PageBuffer(2, 4).finish('[[[', '')).toThrow('A head of 3 bytes');
  });
});
