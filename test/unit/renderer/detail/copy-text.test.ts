import { flushPromises, mount } from '@vue/test-utils';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineComponent } from 'vue';
import type { RecordDetail } from '../../../../src-main/common/model/records/record.ts';
import { isSpreadsheetFormula } from '../../../../src-main/common/csv-habits.ts';
import {
  formatRecords,
  readValue,
  useRowCopy,
} from '../../../../src-renderer/screens/detail/grid/row-picks.ts';
import { provideApplication } from '../support/provide-application.ts';
import { ScriptedBackend } from '../support/scripted-backend.ts';
import { makeRow } from '../../../support/samples/make-record.ts';

const ROW = makeRow({
  dateText: '/Date(1763654400000)/',
  dateMs: 1_763_654_400_000,
  service: null,
  client: 'a|b\tc',
  responseTimeMs: 12.25,
  responseCode: 504,
  error: 'said "no"\nand left',
  botLatencyMs: 0,
  payloadPreview: '{"te',
});
const WHOLE: RecordDetail = {
  ...ROW,
  payload: '{"text":"<b>"}',
  payloadLength: 14,
  response: null,
  extra: {},
};
const IDS = ['dateMs', 'client', 'service', 'responseTimeMs', 'error'];

/** Reads TSV as a spreadsheet does. */
function readTsv(text: string): string[][] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^\t\n]*))(\t|\n)/g)];
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of cells) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

describe('copied rows', () => {
  it('have the names of the service, the values as cached, and dates in a zone that is named', () => {
    expect(
      formatRecords('tsv', [ROW], { columnIds: IDS, direction: 'inbound', zone: 'America/Bogota' }),
    ).toBe(
      'Date (America/Bogota)\tClient\tService\tReponseTime\tError\n' +
        '2025-11-20 11:00:00.000\t"a|b\tc"\t\t12.25\t"said ""no""\nand left"\n',
    );
    expect(
      JSON.parse(
        formatRecords('json', [ROW, ROW], {
          columnIds: ['service', 'dateMs'],
          direction: 'inbound',
          zone: 'UTC',
        }),
      ),
    ).toEqual([
      { Service: null, 'Date (UTC)': '2025-11-20 16:00:00.000' },
      { Service: null, 'Date (UTC)': '2025-11-20 16:00:00.000' },
    ]);
  });

  it('as Markdown, keep what they say from being obeyed', () => {
    expect(
      formatRecords('markdown', [WHOLE], {
        columnIds: ['client', 'error', 'payload'],
        direction: 'inbound',
        zone: 'UTC',
      }),
    ).toBe(
      '| Client | Error | Payload |\n| --- | --- | --- |\n' +
        '| a\\|b\tc | said "no"<br>and left | \\{"text":"\\<b\\>"\\} |\n',
    );
  });

  it('as TSV, are what a spreadsheet reads back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.string({ unit: fc.constantFrom('"', '\t', '\n', '\r', 'x') }))),
        (pairs) => {
          const rows = pairs.map(([client, error]) => ({ ...ROW, client, error }));
          const text = formatRecords('tsv', rows, {
            columnIds: ['client', 'error'],
            direction: 'inbound',
            zone: 'UTC',
          });
          const guarded = pairs.map((cells) =>
            cells.map((cell) => (isSpreadsheetFormula(cell) ? `'${cell}` : cell)),
          );
          expect(readTsv(text)).toEqual([['Client', 'Error'], ...guarded]);
        },
      ),
    );
  });

  it('show nothing for what a record lacks', () => {
    expect(readValue(ROW, 'service', 'UTC')).toBeNull();
    expect(readValue(ROW, 'payload', 'UTC')).toBeNull();
    const unread = { ...ROW, dateMs: null, dateText: 'yesterday' };
    expect(readValue(unread, 'dateMs', 'UTC')).toBe('yesterday');
  });
});

describe('the clipboard', () => {
  const written: string[] = [];
  const rich: (string | null)[] = [];
  const write = (text: string, html: string | null): Promise<void> => {
    written.push(text);
    rich.push(html);
    return Promise.resolve();
  };

  it('receives whole payloads, and reads records for them only', async () => {
    const backend = new ScriptedBackend({ 'records/read-record': () => WHOLE });
    const { global } = await provideApplication(backend);
    let found: ReturnType<typeof useRowCopy> | undefined;
    mount(
      defineComponent(() => {
        found = useRowCopy(() => 'inbound', write);
        return () => null;
      }),
      { global },
    );
    await found?.copy('tsv');
    expect(written).toEqual([]);
    if (found !== undefined) {
      found.pick.value = {
        rows: [ROW],
        cell: { row: ROW, columnId: 'payload' },
        columnIds: ['channel', 'client'],
      };
    }
    await found?.copy('json');
    expect(backend.countCalls('records/read-record')).toBe(0);
    await found?.copy('cell');
    await flushPromises();
    expect(written.map((text) => text.trim())).toEqual([
      JSON.stringify([{ Channel: 3, Client: 'a|b\tc' }], null, 2),
      WHOLE.payload,
    ]);
    // JSON is no table; a cell is one, in which a text stays what it is.
    expect(rich).toEqual([null, expect.stringContaining(`mso-number-format:'\\@'`)]);
  });
});
