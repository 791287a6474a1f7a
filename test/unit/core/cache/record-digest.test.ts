import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRowDigest } from '../../../../src-main/core/cache/write/insert-records.ts';

const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('', 'é', '\ud800', '🙂', 'x'.repeat(100_000)),
  fc.integer(),
  fc.maxSafeInteger().map((thousandths) => thousandths / 1000),
  fc.double({ noNaN: true }),
  fc.constant(null),
);

test('the checksum of rows runs over their values as text, as pages of earlier versions were stored with', () => {
  fc.assert(
    fc.property(fc.array(fc.array(value, { maxLength: 20 }), { maxLength: 20 }), (rows) => {
      const digest = createRowDigest();
      const hash = createHash('sha256');
      for (const row of rows) {
        digest.add(row.slice(0, 3), row.slice(3));
        hash.update(`${row.map((each) => `${String(each ?? '\0')}\u001f`).join('')}\u001e`);
      }
      expect(digest.finish()).toBe(hash.digest('hex'));
    }),
  );
});
