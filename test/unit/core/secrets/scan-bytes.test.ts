import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createByteScan } from '../../../../src-main/core/secrets/scan-bytes.ts';

const toBytes = (text: string): ArrayBuffer => new Uint8Array(Buffer.from(text, 'latin1')).buffer;

test('finds what a search for each anchor finds, wherever a page begins or ends', () => {
  // Few letters, so that pages often begin or end in the middle of an anchor.
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 9 });
  const page = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 24 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), page, (anchors, text) => {
      const scan = createByteScan();
      for (const anchor of anchors) scan.add([anchor]);
      expect(scan.finds(toBytes(text))).toBe(anchors.some((anchor) => text.includes(anchor)));
    }),
    { numRuns: 500 },
  );
});
