import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  createColumns,
  listDefaultLayout,
  toOrder,
} from '../../../../src-renderer/screens/detail/grid/grid-columns.ts';
import { tryFormatJson } from '../../../../src-renderer/inspector/record-texts.ts';

function toText(lines: ReturnType<typeof tryFormatJson>): string | undefined {
  return lines?.map((line) => line.map((token) => token.text).join('')).join('\n');
}

describe('JSON lines', () => {
  it('joined, the tokens are the indented document', () => {
    const document = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(document, (value) => {
        const compact = JSON.stringify(value);
        expect(toText(tryFormatJson(compact))).toBe(JSON.stringify(JSON.parse(compact), null, 2));
        expect(toText(tryFormatJson(JSON.stringify(value, null, 4)))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps long numbers, escapes and repeated keys as received', () => {
    const text = '{"id":12345678901234567890,"a":"\\u00e9","a":1.50}';
    expect(toText(tryFormatJson(text))).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": "\\u00e9",\n  "a": 1.50\n}',
    );
  });

  it('distinguishes keys from texts', () => {
    const kinds = tryFormatJson('{"a":"b"}')
      ?.flat()
      .map((token) => token.kind);
    expect(kinds).toEqual(['mark', 'space', 'key', 'mark', 'space', 'string', 'mark']);
  });

  it.each(['hello', '{"a":', '<b>x</b>', '12', '"text"', ''])('leaves %j as plain text', (text) => {
    expect(tryFormatJson(text)).toBeNull();
  });
});

describe('columns', () => {
  it('shows bot latency for inbound and the action for outbound', () => {
    const columnIds = (direction: 'inbound' | 'outbound') => listDefaultLayout(direction).map(({ id }) => id);
    expect(columnIds('inbound')).toContain('botLatencyMs');
    expect(columnIds('inbound')).not.toContain('actionId');
    expect(columnIds('outbound')).toContain('actionId');
    expect(columnIds('outbound')).not.toContain('botLatencyMs');
  });

  it('falls back to the default order when no column is sorted', () => {
    const fallback = [{ column: 'dateMs', descending: true } as const];
    expect(toOrder([], fallback)).toEqual(fallback);
    expect(toOrder([{ colId: 'payload', sort: 'asc' }], fallback)).toEqual(fallback);
    expect(toOrder([{ colId: 'channel', sort: 'asc' }], fallback)).toEqual([
      { column: 'channel', descending: false },
    ]);
  });

  it('sorts by three columns at most, the leading one first', () => {
    const sorted = ['channel', 'service', 'error', 'origin'].map((colId) => ({ colId, sort: 'desc' }));
    const order = toOrder(sorted, []);
    expect(order.map(({ column }) => column)).toEqual(['channel', 'service', 'error']);
    const layout = listDefaultLayout('inbound');
    const columns = createColumns('inbound', { layout, order, t: (key) => key, readZone: () => 'UTC' });
    const places = columns.flatMap(({ colId, initialSort, initialSortIndex }) =>
      initialSort === undefined ? [] : [{ colId, initialSort, initialSortIndex }],
    );
    expect(places).toEqual([
      { colId: 'error', initialSort: 'desc', initialSortIndex: 2 },
      { colId: 'channel', initialSort: 'desc', initialSortIndex: 0 },
      { colId: 'service', initialSort: 'desc', initialSortIndex: 1 },
    ]);
  });
});
