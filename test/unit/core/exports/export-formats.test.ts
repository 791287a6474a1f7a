import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordDetail } from '../../../../src-main/common/model/records/record.ts';
import {
  addZonedDate,
  MARK_COLUMNS,
  OTHER_FIELDS,
  selectDetailColumns,
  selectSummaryColumns,
  watchDirectionMarks,
} from '../../../../src-main/core/exports/export-columns.ts';
import {
  InboundDetailDocument,
  InboundSummaryDocument,
  OutboundDetailDocument,
  OutboundSummaryDocument,
} from '../../../../src-main/common/reporting/wire-documents.ts';
import {
  createCsvWriter,
  createJsonWriter,
  guardCsvText,
} from '../../../../src-main/core/exports/formats/export-writer.ts';
import { toExportFileName, toSafeFileName } from '../../../../src-main/core/exports/partial-file.ts';
import { createRecord, createSnapshotOf } from '../../../support/fakes/fake-export-parts.ts';

const about = {
  report: 'outbound-detail',
  tenant: 1001,
  startDate: '2026-11-19 00:00:00',
  endDate: '2026-11-19 23:59:59',
  zone: 'UTC',
  state: 'complete',
  recordCount: 1,
  exportedAt: '2026-11-20T00:00:00.000Z',
};
const outbound = selectDetailColumns('outbound-detail', true);

function writeCsv(rows: RecordDetail[], columns = outbound): string {
  const writer = createCsvWriter(columns, about);
  // In groups, as an export does.
  const groups = rows.map((row) => writer.write([row]));
  return writer.begin() + groups.join('') + writer.end();
}

function readCsv(text: string): string[][] {
  return parse(text, { record_delimiter: '\r\n' });
}

/** Text as the file must hold it: what cannot be written replaced, then guarded. */
function toExpected(text: string): string {
  const clean = text.replaceAll('\0', '\ufffd').toWellFormed();
  return guardCsvText(clean);
}

describe('columns', () => {
  it.each([
    ['inbound-detail', InboundDetailDocument, selectDetailColumns('inbound-detail', true)],
    ['outbound-detail', OutboundDetailDocument, selectDetailColumns('outbound-detail', true)],
    ['inbound-summary', InboundSummaryDocument, selectSummaryColumns('inbound-summary')],
    ['outbound-summary', OutboundSummaryDocument, selectSummaryColumns('outbound-summary')],
  ] as const)('%s has the fields of the specification, in its order', (_report, schema, columns) => {
    expect(columns.map((column) => column.name)).toEqual(Object.keys(schema.properties));
  });

  it('leaves payload and response out when asked to', () => {
    const names = selectDetailColumns('outbound-detail', false).map((column) => column.name);
    expect(names).not.toContain('Payload');
    expect(names).not.toContain('Reponse');
    expect(names.at(-1)).toBe('Origin');
  });
});

describe('dates in the shown clock', () => {
  const zoned = addZonedDate(outbound, 'outbound-detail', 'America/Bogota');

  it('stand behind the date as received, under a name that tells the zone', () => {
    const names = zoned.map((column) => column.name);
    expect(names.slice(0, 3)).toEqual(['Id', 'Date', 'Date (America/Bogota)']);
    expect(names).toHaveLength(outbound.length + 1);
  });

  it('are the moments that the texts were read as, and empty where a text was not understood', () => {
    const rows = [
      createRecord(0, { dateText: '/Date(1795083330123)/' }),
      createRecord(1, { dateText: 'not a date', dateMs: null }),
      createRecord(2, { dateText: '2026-11-19 10:15:30', dateMs: Date.UTC(2026, 10, 19, 10, 15, 30) }),
    ];
    const cells = readCsv(writeCsv(rows, zoned)).slice(1);
    expect(cells.map((row) => row.slice(1, 3))).toEqual([
      ['/Date(1795083330123)/', '2026-11-19 05:15:30.123'],
      ['not a date', ''],
      ['2026-11-19 10:15:30', '2026-11-19 05:15:30.000'],
    ]);
  });
});

describe('csv', () => {
  it('writes quoted texts, bare numbers, CRLF and no byte order mark', () => {
    const row = createRecord(0, { actionId: '-1', response: 'a "b", c', error: 'two\nlines', channel: null });
    expect(writeCsv([row])).toBe(
      '"Id","Date","Channel","Service","Client","ReponseTime","ReponseCode","Error","ActionId","Payload","Reponse","Origin"\r\n' +
        '"0f8fad5b-d9cb-469f-a165-70867728950e","2026-11-19T10:15:30.123Z",,7,"Ana",12.5,200,"two\nlines","-1","hello","a ""b"", c","web"\r\n',
    );
  });

  it('keeps a date exactly as it was received', () => {
    const dates = ['19/11/2026 10:15', '/Date(1763547330123)/', '1763547330', 'not a date', ''];
    const cells = readCsv(writeCsv(dates.map((dateText, seq) => createRecord(seq, { dateText }))));
    expect(cells.slice(1).map((row) => row[1])).toEqual(dates);
  });

  it.each([
    ...['=1+1', '+1', '-1+cmd', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '\0=1', ' =1', '   \u00a0=1'],
    ...['\ufeff=1', '\u200b=1', '\u200e\u2060 =1', '＝1', '＋1', '－1', '＠a', '\u2212cmd', '\n\n=1', '-5'],
    ...['\u2066=1', '\ud800=1', '=HYPERLINK("http://x","y")', "=cmd|' /C calc'!A0", ' \n@x', '+49 30 1234'],
  ])('guards the text %j', (text) => {
    const [, row] = readCsv(writeCsv([createRecord(0, { payload: text, actionId: `${text} ` })]));
    expect(row?.[9]?.startsWith("'")).toBe(true);
    expect(row?.[8]?.startsWith("'")).toBe(true);
  });

  it.each(['plain', 'a=b', "'quoted", '3+4', 'line\n=2nd line', '', ' spaced', '−no'.slice(1), '"q"'])(
    'leaves the text %j alone',
    (text) => {
      const [, row] = readCsv(writeCsv([createRecord(0, { payload: text })]));
      expect(row?.[9]).toBe(text);
    },
  );

  it('leaves numbers alone, also negative ones and an ActionId of -1', () => {
    const numbers = { responseTimeMs: -5.25, channel: -1, actionId: '-1' };
    const [, row] = readCsv(writeCsv([createRecord(0, numbers)]));
    expect([row?.[2], row?.[5], row?.[8]]).toEqual(['-1', '-5.25', '-1']);
  });

  it('counts the characters that it replaced', () => {
    const writer = createCsvWriter(outbound, about);
    const text = writer.write([createRecord(0, { payload: 'a\0b\ud800c😀', client: '\udc00' })]);
    expect(writer.countReplaced()).toBe(3);
    expect(text).toContain('"a\ufffdb\ufffdc😀"');
  });

  it('reads back cell by cell, for 1,000 tables of nasty values', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n\0"\',; aé\ufeff\u200b＝\ud83d\ude00'.split('')) }),
    );
    const number = fc.oneof(
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
    );
    const rows = fc.array(
      fc.record({ client: nasty, error: nasty, payload: nasty, origin: nasty, responseTimeMs: number }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(rows, (changes) => {
        const cells = readCsv(writeCsv(changes.map((change, seq) => createRecord(seq, change))));
        expect(cells).toHaveLength(changes.length + 1);
        for (const [index, change] of changes.entries()) {
          const row = cells[index + 1]!;
          expect(row).toHaveLength(outbound.length);
          const { client, error, payload, origin, responseTimeMs } = change;
          expect([row[4], row[7], row[9], row[11]]).toEqual([client, error, payload, origin].map(toExpected));
          expect(row[5] === '' ? null : Number(row[5]) + 0).toBe(
            responseTimeMs === null ? null : responseTimeMs + 0,
          );
          for (const cell of [row[4]!, row[7]!, row[9]!, row[11]!])
            expect(cell).not.toMatch(/^[=+\-@\t\r\n\0＝＋－＠]/);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('json', () => {
  it('is one object with the records under the names and types of the specification', () => {
    const writer = createJsonWriter(outbound, about);
    const rows = [createRecord(0, { actionId: '-1', response: '=1' }), createRecord(1, { channel: null })];
    const text = writer.begin() + writer.write(rows.slice(0, 1)) + writer.write(rows.slice(1)) + writer.end();
    const { records, ...head } = JSON.parse(text) as { records: Record<string, unknown>[] };
    expect(head).toEqual(about);
    expect(Object.keys(records[0]!)).toEqual(Object.keys(OutboundDetailDocument.properties));
    expect(records[0]).toMatchObject({ Channel: 3, ReponseTime: 12.5, ActionId: '-1', Reponse: '=1' });
    expect(records[1]?.Channel).toBeNull();
  });

  it('is whole without records', () => {
    const writer = createJsonWriter(outbound, about);
    expect(JSON.parse(writer.begin() + writer.write([]) + writer.end())).toEqual({ ...about, records: [] });
  });

  it('writes the count of a summary as a string', () => {
    const writer = createJsonWriter(selectSummaryColumns('inbound-summary'), about);
    const group = {
      channel: 1,
      service: 2,
      origin: 'web',
      responseCode: 200,
      count: 12,
      averageResponseTimeMs: 1.5,
      averageBotLatencyMs: 4,
      sessionId: 's',
    };
    const { records } = JSON.parse(writer.begin() + writer.write([group]) + writer.end()) as {
      records: unknown[];
    };
    expect(records).toEqual([
      {
        Id: 's',
        ReponseCode: 200,
        Channel: 1,
        Service: 2,
        Origin: 'web',
        Count: '12',
        AvegareReponseTime: 1.5,
        AvegareBotLatency: 4,
      },
    ]);
  });

  it('reads back any text unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (texts) => {
        const writer = createJsonWriter(outbound, about);
        const rows = texts.map((payload, seq) => createRecord(seq, { payload }));
        const text = writer.begin() + writer.write(rows) + writer.end();
        const { records } = JSON.parse(Buffer.from(text).toString()) as { records: { Payload: string }[] };
        expect(records.map((record) => record.Payload)).toEqual(texts);
      }),
    );
  });
});

describe('what is no field of the specification', () => {
  const columns = [...outbound, OTHER_FIELDS, ...MARK_COLUMNS];
  const unread = createRecord(0, {
    responseTimeMs: null,
    extra: {
      ReponseTime: '"12abc"',
      Channel: '1e400',
      Big: '12345678901234567890',
      Mark: '"theirs"',
      Region: '"=1+1"',
    },
  });

  it('is a column of the csv, as JSON, empty for records without any', () => {
    const [head, first, second] = readCsv(writeCsv([unread, createRecord(1)], columns));
    const at = head!.indexOf('Other fields');
    expect(head!.slice(at)).toEqual(['Other fields', 'Mark', 'Note']);
    expect([first![at], second![at]]).toEqual([
      '{"ReponseTime":"12abc","Channel":1e400,"Big":12345678901234567890,"Mark":"theirs","Region":"=1+1"}',
      '',
    ]);
  });

  it('stands in a record of the json under its own name, in the digits received', () => {
    const writer = createJsonWriter(columns, about);
    const text = writer.write([unread, createRecord(1)]);
    expect(text).toContain('"ReponseTime":"12abc","ReponseCode":200');
    expect(text).toContain('"Mark":null,"Note":null,"Big":12345678901234567890,"Region":"=1+1",');
    // The record has a channel, and a person's own mark has a column: neither is replaced.
    expect(text).toContain('"Channel":3,');
    expect(text).toContain('"Other fields":{"Channel":1e400,"Mark":"theirs"}');
    expect(text.match(/Other fields/g)).toHaveLength(1);
  });

  it('is watched for marks that reorder text', () => {
    const watched = watchDirectionMarks([OTHER_FIELDS]);
    createJsonWriter(watched.columns, about).write([{ extra: { Region: '"a\u202eb"' } }]);
    expect(watched.list()).toEqual(['U+202E']);
  });
});

describe('file name', () => {
  it('follows the template', () => {
    const snapshot = createSnapshotOf('inbound-detail', 1);
    expect(toExportFileName(snapshot, 'csv')).toBe('inbound-detail_1001_2026-11-19.csv');
    const week = { ...snapshot, period: { ...snapshot.period, toMs: Date.UTC(2026, 10, 25, 23, 59, 59) } };
    expect(toExportFileName(week, 'json')).toBe('inbound-detail_1001_2026-11-19_to_2026-11-25.json');
    expect(toExportFileName(snapshot, 'csv', { zone: 'America/Bogota' })).toBe(
      'inbound-detail_1001_2026-11-18_to_2026-11-19.csv',
    );
    const filter = { conditions: [{ field: 'client' as const, text: 'Ana/../x' }] };
    expect(toExportFileName(snapshot, 'csv', { filter })).toMatch(
      /^inbound-detail_1001_2026-11-19_filtered_client-Ana-x\.csv$/,
    );
  });

  it.each([
    ['', 'export.csv'],
    [' . ', 'export.csv'],
    ['../../etc/passwd', '_.._etc_passwd.csv'],
    ['a<b>c:d"e/f\\g|h?i*j', 'a_b_c_d_e_f_g_h_i_j.csv'],
    ['con', '_con.csv'],
    ['NUL.txt', '_NUL.txt.csv'],
    ['COM¹', '_COM¹.csv'],
    ['CONIN$', '_CONIN$.csv'],
    ['console', 'console.csv'],
    ['a\u202etxt.exe\u200b\0', 'atxt.exe.csv'],
    ['e\u0301', 'é.csv'],
  ])('makes a safe name of %j', (text, name) => expect(toSafeFileName(text, 'csv')).toBe(name));

  it('is safe for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const name = toSafeFileName(text, 'csv');
        expect(name.length).toBeLessThanOrEqual(120);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(240);
        expect(name).toMatch(/^[^\s.<>:"/\\|?*][^<>:"/\\|?*]*\.csv$/);
        expect(name.isWellFormed()).toBe(true);
      }),
    );
    expect(Buffer.byteLength(toSafeFileName('😀'.repeat(200), 'csv'))).toBeLessThanOrEqual(240);
  });
});
