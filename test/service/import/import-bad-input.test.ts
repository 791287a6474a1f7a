import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { callReport } from '../../support/service/service-calls.ts';
import {
  ALL_TIME,
  CSV_HEADER,
  importText,
  toCsvRow,
  toInbound,
  toNdjson,
  type DescribedOutcome,
} from './import-support.ts';

describe('an import of bad records', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startTestService({ records: 0 });
  });
  afterAll(() => service.stop());
  const add = (text: string | Uint8Array): Promise<DescribedOutcome> => importText(service, text);

  it('CSV: reports each bad row by the line on which it begins, and keeps the others', async () => {
    const text = [
      CSV_HEADER,
      toCsvRow(),
      `${toCsvRow()},one too many`,
      'too,few',
      '',
      toCsvRow({ Client: '"two\r\nlines"' }),
      toCsvRow({ Client: 'say "hi"' }),
      CSV_HEADER,
      toCsvRow({ Channel: 'x' }),
      toCsvRow({ Client: '"<img onerror>"' }),
      'open,"quote',
    ].join('\r\n');
    const { report, failure } = await add(text);
    expect(failure).toBeNull();
    expect(report).toMatchObject({ lines: 9, added: 4, rejected: 5 });
    expect(report.problems).toEqual([
      { line: 3, reason: 'It has 12 cells, the header 11.' },
      { line: 4, reason: 'It has 2 cells, the header 11.' },
      { line: 9, reason: 'The header again.' },
      { line: 10, reason: 'Channel isn\'t a whole number from -2147483648 to 2147483647: "x".' },
      { line: 12, reason: "A quotation mark isn't closed." },
    ]);
  });

  it('CSV: what a spreadsheet adds is understood, and its lines are counted as they stand in the file', async () => {
    const named = CSV_HEADER.replaceAll(',', ';').replace('Date', 'Date (Europe/Madrid)');
    const row = (date: string, time: string): string =>
      ['spread', date, '1', '2', 'Ana', time, '200', '', '3', 'hello', 'web'].join(';');
    const header = named.split(';');
    const expected = ['Id', 'Date (Europe/Madrid)', 'Channel', 'Service', 'Client'];
    expect(header.slice(0, 5)).toEqual(expected);
    const { report, failure } = await add(
      [
        'sep=;',
        `${named};;`,
        `${row('2026-11-20 10:00:00.000', '10,5')};;`,
        `${row('soon', '1')};;`,
        ';;;;;;',
      ].join('\r\n'),
    );
    expect(failure).toBeNull();
    expect(report).toMatchObject({ lines: 2, added: 1, rejected: 1 });
    expect(report.problems).toEqual([{ line: 4, reason: 'The date "soon" can\'t be read.' }]);
  });

  it.each([
    ['a quoted cell', '"Ana"', 5],
    ['an empty quoted cell', '""', 5],
    ['a quoted cell over two lines', '"two\r\nlines"', 6],
    ['the end of the file', 'Ana', 5],
  ])(
    'CSV: a quote left open before %s is reported, not merged into a wrong record',
    async (_name, Client, line) => {
      const openRow = toCsvRow({ Client: '"open' });
      const rows = [
        CSV_HEADER,
        toCsvRow(),
        openRow,
        toCsvRow({ Client }),
        toCsvRow({ Channel: 'x', Client }),
      ];
      const { report } = await add([...rows, toCsvRow({ Client }), ''].join('\r\n'));
      expect(report).toMatchObject({ lines: 5, added: 3, rejected: 2 });
      expect(report.problems).toEqual([
        { line: 3, reason: "A quotation mark isn't closed." },
        { line, reason: expect.stringContaining("Channel isn't a whole number") },
      ]);
    },
  );

  it('CSV: keeps whole what comes before and after bytes that are not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${CSV_HEADER}\n${toCsvRow()}\n`),
      Buffer.from(`${toCsvRow({ Client: 'Núñez' })}\n`, 'latin1'),
      Buffer.from(`${toCsvRow({ Client: 'Núñez' })}\n`),
    ]);
    expect((await add(bytes)).report).toMatchObject({
      added: 2,
      problems: [{ line: 3, reason: "It isn't UTF-8." }],
    });
  });

  it.each<[string, (text: string) => string | Uint8Array]>([
    ['semicolons', (text: string) => text.replaceAll(',', ';')],
    ['UTF-16 and its mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 without its mark', (text: string) => Buffer.from(text, 'utf16le').swap16()],
    ['spaces behind commas', (text: string) => text.replaceAll(',', ', ')],
    ['tabs', (text: string) => text.replaceAll(',', '\t')],
    ['LF', (text: string) => text.replaceAll('\r\n', '\n')],
    ['CR', (text: string) => text.replaceAll('\r\n', '\r')],
    ['a mark at the start', (text: string) => `\ufeff${text}`],
    ['no line end at its end', (text: string) => text.trimEnd()],
    ['names in capitals', (text: string) => text.replace(CSV_HEADER, CSV_HEADER.toUpperCase())],
    [
      'columns of its own',
      (text: string) => text.replaceAll('\r\n', ',"x,y"\r\n').replace('"x,y"', '__proto__'),
    ],
  ])('CSV with %s is understood', async (_name, change) => {
    const text = change(
      `${CSV_HEADER}\r\n${toCsvRow()}\r\n${toCsvRow({ Channel: 'bad' })}\r\n${toCsvRow()}\r\n`,
    );
    const { report, failure } = await add(text);
    expect([failure, report.added, report.problems.map(({ line }) => line)]).toEqual([null, 2, [3]]);
    expect(Object.prototype).not.toHaveProperty('x,y');
  });

  it('CSV: a cell without end is given up, not kept in memory', async () => {
    const { failure, report } = await add(`${CSV_HEADER}\n${toCsvRow()}\n"${'x'.repeat(20_000_000)}`);
    expect(failure).toMatch(/begins on line 3 doesn't end/);
    expect(report.added).toBe(1);
  });

  it.each([
    '1,234.56',
    '1.234,56',
    '١٢٣',
    '0x10',
    '007',
    '12345678901234567890',
    'NaN',
    '∞',
    '--5',
    '+5',
    '1.5',
    '1e5',
    ' 5',
  ])('takes %j for no whole number', async (text) => {
    const { report } = await add(toNdjson([toInbound({ Channel: text })]));
    expect(report).toMatchObject({
      added: 0,
      problems: [{ line: 1, reason: expect.stringContaining("Channel isn't a") }],
    });
  });

  it.each(['1,5', '1.234,5', '0x10', '012', '.5', '5.', 'NaN', 'Infinity', '-1', '1e400', '3 ms'])(
    'takes %j for no response time',
    async (text) => {
      expect((await add(toNdjson([toInbound({ ReponseTime: text })]))).report.added).toBe(0);
    },
  );

  /** What a service that held nothing serves of a file. */
  const serve = async (text: string): Promise<readonly { Id: string; Date?: string }[]> => {
    const own = await startTestService({ records: 0 });
    try {
      expect((await importText(own, text)).report.rejected).toBe(0);
      return (await callReport(own, 'inbound-detail', { ...ALL_TIME, size: 100 })).documents;
    } finally {
      await own.stop();
    }
  };

  it('keeps identifiers of any length as they are', async () => {
    const id = '00012345678901234567890';
    const numeric = JSON.stringify(toInbound({ Id: 0 })).replace('"Id":0', '"Id":12345678901234567890');
    const served = await serve(`${JSON.stringify(toInbound({ Id: id }))}\n${numeric}`);
    expect(served.map(({ Id }) => Id)).toEqual([id, '12345678901234567890']);
  });

  it.each([
    '2026-02-30 10:00:00',
    '2026-11-19 24:00:00',
    '2026-12-31T23:59:60Z',
    '19/11/2026 10:00',
    '26-11-19',
    '45980.5',
    '10000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '0001-01-01T00:00:00Z',
    'yesterday',
    '',
  ])('takes %j for no date', async (text) => {
    const { report } = await add(toNdjson([toInbound({ Date: text })]));
    expect(report).toMatchObject({
      added: 0,
      problems: [{ reason: expect.stringMatching(/^Date is|^The date ".+" can't be read\.$/) }],
    });
  });

  it.each([
    ['2026-11-19T10:15:30+14:00', '2026-11-18T20:15:30.000Z'],
    ['2026-11-19 10:15:30', '2026-11-19T10:15:30.000Z'],
    ['2026-11-19T10:15:30.1239Z', '2026-11-19T10:15:30.123Z'],
    ['/Date(1795428930123)/', '2026-11-23T10:15:30.123Z'],
  ])('reads the date %j', async (text, expected) => {
    expect(await serve(toNdjson([toInbound({ Date: text })]))).toMatchObject([{ Date: expected }]);
  });

  it.each<[string, string, number, number]>([
    ['a list of scalars among others', '{"tags":["a"],"documents":[$],"errors":[]}', 1, 0],
    ['an empty list', '{"records":[]}', 0, 0],
    ['lists of two reports', '{"a":[$],"b":[$]}', 2, 0],
    ['what is no object', '[$,1,"text",null,[],$]', 2, 4],
    ['a comma too much', '[$,]', 1, 1],
    ['a syntax error in one entry', '[$,{"Id":tru},$]', 2, 1],
    [
      'an entry nested deeply',
      `[$,{"Id":${'['.repeat(5000)}${']'.repeat(5000)},"Date":1,"BotLatency":1},$]`,
      2,
      1,
    ],
    [
      'a value nested deeply',
      `[$,{"Id":"x","Date":1,"BotLatency":1,"Channel":${'['.repeat(50_000)}${']'.repeat(50_000)}},$]`,
      2,
      1,
    ],
    ['brackets and quotes inside of texts', '[$,{"Error":"]}\\\\\\"{[","Id":""}]', 1, 1],
    ['`__proto__` among the names', '[{"__proto__":{"Id":"x"},"Date":"2026-11-19"},$]', 1, 1],
  ])('JSON with %s: the good entries are added', async (_name, pattern, added, rejected) => {
    // Every record is new to the store.
    const text = pattern.replaceAll('$', () =>
      JSON.stringify(toInbound({ Id: `json ${randomUUID()}`, Error: '[{"\\' })),
    );
    const { report, failure } = await add(text);
    expect([failure, report.added, report.rejected]).toEqual([null, added, rejected]);
  });

  const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  it.each<[string, Record<string, string>, string | null]>([
    ['NaN', { ReponseTime: 'NaN' }, 'ReponseTime is NaN, which is no number.'],
    ['Infinity', { ReponseCode: '-Infinity' }, 'ReponseCode is -Infinity, which is no number.'],
    ['a text nested 100,000 deep', { Payload: DEEP }, 'Payload is nested too deep.'],
    ['a number nested 100,000 deep', { Channel: DEEP }, "Channel isn't a whole number"],
    ['an unknown field nested 100,000 deep', { Shape: DEEP }, null],
    ['a word that is nothing', { ReponseTime: 'nil' }, "It isn't JSON."],
  ])(
    'a first record with %s is said in words, and those after it are added',
    async (_name, values, reason) => {
      const write = (): string => JSON.stringify(toInbound({ Id: `first ${randomUUID()}` }));
      const more = Object.entries(values).map(([name, value]) => `"${name}":${value}`);
      const writeOdd = (): string => `${write().slice(0, -1)},${more.join(',')}}`;
      for (const text of [
        `${writeOdd()}\n${write()}\n${write()}\n`,
        `[${writeOdd()},${write()},\n${write()}]`,
        `{"report":"inbound-detail","records":[${writeOdd()},${write()},${write()}]}`,
      ]) {
        const { report, failure } = await add(text);
        const rejected = reason === null ? 0 : 1;
        expect([failure, report.added, report.rejected]).toEqual([null, 3 - rejected, rejected]);
        expect(report.problems.map((problem) => problem.reason).join('\n')).toContain(reason ?? '');
      }
    },
  );

  it('JSON is cut into its entries wherever its bytes are split', async () => {
    const { createJsonSplitter } = await import('../../../src-main/node/json-splitter.ts');
    const text = Buffer.from(
      '{"report":"x" , "n":[1,{"a":[2]}],"records" : [ {"a":"]\\\\","b":[{}]} ,\n{"c":"\\"é,"} ] ,"z":[]}',
    );
    const whole = ['{"a":"]\\\\","b":[{}]}', '{"c":"\\"é,"}'];
    for (let size = 1; size <= text.length; size += 1) {
      const splitter = createJsonSplitter({ maxEntryBytes: 1_000, toError: (fault) => new Error(fault) });
      const pieces: string[] = [];
      for (let at = 0; at < text.length; at += size) {
        for (const piece of splitter.push(text.subarray(at, at + size)))
          pieces.push(piece!.toString().trim());
      }
      splitter.end();
      expect(pieces, `${size} bytes at once`).toEqual(whole);
    }
  });

  it('NDJSON: one bad line among many is reported, the others are added', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) =>
      JSON.stringify(toInbound({ Id: `nd ${index}` })),
    );
    lines[1_499] = '{"Id": oops';
    lines[2_000] = '';
    const { report } = await add(lines.join('\n'));
    expect(report).toMatchObject({
      lines: 2_999,
      added: 2_998,
      problems: [{ line: 1_500, reason: "It isn't JSON." }],
    });
  });

  it('NDJSON: a line without end is passed over', async () => {
    const [first, last] = [toInbound({ Id: 'before' }), toInbound({ Id: 'after' })].map((each) =>
      JSON.stringify(each),
    );
    const { report } = await add(`${first}\n{"Id":"${'x'.repeat(17_000_000)}"}\n${last}`);
    expect(report).toMatchObject({
      lines: 3,
      added: 2,
      problems: [{ line: 2, reason: expect.stringContaining('longer than') }],
    });
  });

  it('keeps the first thousand reasons and counts them all', async () => {
    const { report } = await add(`${CSV_HEADER}\n${'bad\n'.repeat(1_500)}`);
    expect([report.rejected, report.problems.length, report.problems.at(-1)?.line]).toEqual([
      1_500, 1_000, 1_001,
    ]);
  });

  it('refuses what a store can’t serve: long texts, halves of signs are replaced', async () => {
    const { report } = await add(
      toNdjson([
        toInbound({ Id: 'long', Payload: 'x'.repeat(1_000_001) }),
        toInbound({ Id: 'half', Payload: '\ud800' }),
      ]),
    );
    expect(report).toMatchObject({
      added: 1,
      problems: [{ line: 1, reason: 'Payload is longer than 1000000 characters.' }],
    });
    const again = await add(toNdjson([toInbound({ Id: 'half', Payload: '\ud800' })]));
    expect(again.report.known).toBe(1);
  });

  it('decision 36, service: half of a surrogate pair is never sent, a NUL is', async () => {
    const other = await startTestService({ records: 0 });
    try {
      await importText(other, toNdjson([toInbound({ Payload: 'a\ud800b\0c' })]));
      const { documents } = await callReport(other, 'inbound-detail', ALL_TIME);
      expect(documents).toMatchObject([{ Payload: 'a\ufffdb\0c' }]);
    } finally {
      await other.stop();
    }
  });

  it('uses the report that is given, unless the fields contradict it', async () => {
    const row = { ...toInbound({ Id: 'told' }), BotLatency: undefined };
    expect((await add(toNdjson([row]))).report.problems).toMatchObject([
      { reason: expect.stringContaining('told') },
    ]);
    const outbound = await importText(service, toNdjson([row]), { stated: 'outbound-detail' });
    expect(outbound.report).toMatchObject({ added: 1, rejected: 0 });
    const wrong = await importText(service, `${CSV_HEADER}\n${toCsvRow()}\n`, { stated: 'outbound-detail' });
    expect(wrong.failure).toContain('not those of an outbound record');
  });
});
