import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listFields } from '../../../../src-main/common/reporting/reports.ts';
import { toRecordTable } from '../../../../src-main/core/cache/read/record-tables.ts';
import { createRowDigest, toDigested } from '../../../../src-main/core/cache/write/insert-records.ts';

const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('', 'é', '\ud800', '🙂', 'x'.repeat(100_000)),
  fc.integer(),
  fc.maxSafeInteger().map((thousandths) => thousandths / 1000),
  fc.double({ noNaN: true }),
  fc.constant(null),
);

test('the checksum of rows runs over their values as text', () => {
  fc.assert(
    fc.property(fc.array(fc.array(value, { maxLength: 20 }), { maxLength: 20 }), (rows) => {
      const digest = createRowDigest();
      const hash = createHash('sha256');
      for (const row of rows) {
        digest.add({ values: row.slice(0, 3), texts: row.slice(3) });
        hash.update(`${row.map((each) => `${String(each ?? '\0')}\u001f`).join('')}\u001e`);
      }
      expect(digest.finish()).toBe(hash.digest('hex'));
    }),
  );
});

test('a field that becomes known later changes no checksum and no mark: it counts as what the specification lacks', () => {
  const region = { wireName: 'Region', type: 'text', column: 'region', isLater: true } as const;
  const note = { wireName: 'Remark', type: 'content', column: 'note', isLater: true } as const;
  const known = listFields('inbound-detail');
  // No field became known later yet: two stand in for ones that did.
  const fields = [...known, ['actionId', region], ['response', note]] as const;
  const [before, after] = [toRecordTable('inbound_records', known), toRecordTable('inbound_records', fields)];
  const toValues = ({ columns }: typeof before, region: string) =>
    columns.map(({ name }) => (name === 'actionId' ? region : name));
  const toRow = (
    table: typeof before,
    extra: Readonly<Record<string, unknown>>,
    [region, note]: [string, string],
  ) => toDigested(table, toValues(table, region), { payload: 'hello', response: note, extra });
  expect(after.columns.map(({ column }) => column)).toEqual([
    ...before.columns.map(({ column }) => column),
    'region',
  ]);
  expect(toRow(after, { A: 1, Z: 2 }, ['south', 'dry'])).toEqual(
    toRow(before, { A: 1, Region: 'south', Z: 2, Remark: 'dry' }, ['', '']),
  );
  expect(toRow(after, {}, ['', ''])).toEqual(toRow(before, {}, ['', '']));
});
