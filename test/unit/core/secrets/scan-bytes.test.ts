import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createByteScan } from '../../../../src-main/core/secrets/decode-layers.ts';

const toBytes = (text: string): ArrayBuffer => new Uint8Array(Buffer.from(text, 'latin1')).buffer;

test('finds what a search for each anchor finds, wherever a page begins or ends', () => {
  // Few letters, so that pages often begin or end in the middle of an anchor.
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 9 });
  const page = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 24 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), page, (anchors, text) => {
      const scan = createByteScan();
      for (const anchor of anchors) scan.add([anchor]);
      const bytes = toBytes(text);
      expect(scan.find(bytes) !== -1).toBe(anchors.some((anchor) => text.includes(anchor)));
      const isThere = (start: number): boolean => anchors.some((anchor) => text.startsWith(anchor, start));
      // From any place on, none is passed over, and what is found is around the place that is told.
      const isRight = Array.from(text).every((_unit, from) => {
        const at = scan.find(bytes, from);
        const first = Array.from(text, (_each, start) => start).find(
          (start) => start >= from && isThere(start),
        );
        if (at === -1) return first === undefined;
        const isNear = Array.from({ length: 9 }, (_none, back) => at - back).some(isThere);
        return isNear && at >= from && (first === undefined || at < first + 9);
      });
      expect(isRight).toBe(true);
    }),
    { numRuns: 500 },
  );
});
