import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import { readPage, type ReadPage } from '../../../../src-main/common/reporting/reading/read-page.ts';
import type { ReportKind } from '../../../../src-main/common/reporting/reports.ts';
import { toEnvelope } from '../../../support/network/fault-server.ts';

const inbound = {
  Id: '7d3c1f7e-0000-4000-8000-000000000001',
  Date: '2026-11-20T10:15:30.123Z',
  Channel: 3,
  Service: 12,
  Client: 'Ana',
  ReponseTime: 12.5,
  ReponseCode: 200,
  Error: '',
  BotLatency: 40,
  Payload: '{"text":"hi"}',
  Origin: 'web',
};
const outbound = {
  Id: inbound.Id,
  Date: inbound.Date,
  Channel: 3,
  Service: 12,
  Client: 'Ana',
  ReponseTime: 80.25,
  ReponseCode: 503,
  Error: 'No answer',
  ActionId: '-1',
  Payload: 'ask',
  Reponse: 'none',
  Origin: 'bot',
};
const inboundGroup = {
  Id: inbound.Id,
  ReponseCode: 200,
  Channel: 3,
  Service: 12,
  Origin: 'web',
  Count: '12',
  AvegareReponseTime: 10.5,
  AvegareBotLatency: 33,
};
const outboundGroup = {
  Id: inbound.Id,
  ReponseCode: 200,
  Channel: 3,
  Service: 12,
  Count: '7',
  AvegareReponseTime: 99.5,
};
const read = {
  sessionId: inbound.Id,
  dateText: inbound.Date,
  dateMs: Date.UTC(2026, 10, 20, 10, 15, 30, 123),
  channel: 3,
  service: 12,
  client: 'Ana',
  responseTimeMs: 12.5,
  responseCode: 200,
  error: '',
  botLatencyMs: 40,
  payload: '{"text":"hi"}',
  origin: 'web',
  actionId: null,
  response: null,
  extra: {},
};

function readText(text: string, report: ReportKind = 'inbound-detail', zone = 'UTC'): ReadPage {
  return readPage(new TextEncoder().encode(text), { report, zone });
}
function readJson(value: unknown, report: ReportKind = 'inbound-detail', zone = 'UTC'): ReadPage {
  return readText(JSON.stringify(value), report, zone);
}
function fail(text: string, report: ReportKind = 'inbound-detail'): AppError {
  try {
    readText(text, report);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown');
}
const codesOf = (page: ReadPage): string[] => page.remarks.map(({ code }) => code);

describe('a page as specified', () => {
  it('reads an inbound record and its envelope, with nothing to remark', () => {
    const page = readJson(toEnvelope([inbound], { lastDocument: 'next', totalDocument: 5 }));
    expect(page.records).toEqual([read]);
    expect(page).toMatchObject({
      recordCount: 1,
      totalDocument: 5,
      lastDocument: 'next',
      idReport: '29CDB989-6221-4742-96CA-1A878545B5A3',
      nameVisualization: 'Inbound health detail',
      executionTimeMs: 3,
      remarks: [],
      setAside: [],
      groups: [],
    });
  });
  it('reads an outbound record', () => {
    const [record] = readJson(toEnvelope([outbound]), 'outbound-detail').records;
    expect(record).toMatchObject({
      actionId: '-1',
      response: 'none',
      botLatencyMs: null,
      responseTimeMs: 80.25,
    });
  });
  it('strips a byte order mark', () => {
    expect(readText(`\uFEFF${JSON.stringify(toEnvelope([inbound]))}`).records).toEqual([read]);
  });
});

describe('decision 1, client: records are found under any name', () => {
  const rest = toEnvelope([]) as Record<string, unknown>;
  delete rest['documents'];
  it.each([
    ['another name', { ...rest, data: [inbound] }],
    ['a name nobody knows', { ...rest, healthLog: [inbound] }],
    ['one level down', { ...rest, result: { rows: [inbound] } }],
    ['a JSON string', { ...rest, documents: JSON.stringify([inbound]) }],
    ['a JSON string one level down', { ...rest, result: JSON.stringify({ rows: [inbound] }) }],
    ['an envelope one level down', { status: 'ok', response: { ...rest, documents: [inbound] } }],
    [
      'beside errors that look like records',
      { ...rest, errors: [{ Date: 1, Client: 2, Error: 3 }], data: [inbound] },
    ],
    ['beside another array of objects', { ...rest, columns: [{ name: 'Id' }], records: [inbound] }],
    ['an array alone', [inbound]],
    ['a whole body in a string', JSON.stringify({ ...rest, documents: [inbound] })],
  ])('decision 1, client: %s', (_name, body) => {
    expect(readJson(body).records).toEqual([read]);
  });
  it('decision 1, client: says that it found them elsewhere', () => {
    expect(readJson({ ...rest, data: [inbound] }).remarks).toContainEqual({
      code: 'records-under-other-name',
      count: 1,
      detail: 'data',
    });
    expect(codesOf(readJson({ ...rest, documents: JSON.stringify([inbound]) }))).toContain(
      'records-as-string',
    );
  });
  it('decision 1, client: never takes errors for records', () => {
    const page = readJson({ ...rest, errors: [{ Date: 'a', Client: 'b', Error: 'c' }] });
    expect(page.recordCount).toBe(0);
  });
  it('decision 1, client: keeps a cursor that looks like JSON a cursor', () => {
    const page = readJson(toEnvelope([inbound], { lastDocument: '[1700000000,"a"]' }));
    expect(page.lastDocument).toBe('[1700000000,"a"]');
  });
  it('decision 1, client: an envelope that claims records but has none is not an empty page', () => {
    expect(fail(JSON.stringify({ ...rest, totalDocument: 9, lastDocument: 'x' })).code).toBe(
      'client.unexpected-shape',
    );
  });
});

describe('decision 3, client: dates', () => {
  it('decision 3, client: reads a date without a zone in the zone of the connection', () => {
    const page = readJson(
      toEnvelope([{ ...inbound, Date: '2026-11-20 10:15:30' }]),
      'inbound-detail',
      'America/Bogota',
    );
    expect(page.records[0]!.dateMs).toBe(Date.UTC(2026, 10, 20, 15, 15, 30));
  });
  it('decision 3, client: keeps a record whose date it can not read, and counts it', () => {
    const page = readJson(toEnvelope([{ ...inbound, Date: '31/06/2024' }, inbound]));
    expect(page.records[0]).toMatchObject({ dateText: '31/06/2024', dateMs: null });
    expect(page.remarks).toEqual([{ code: 'date-not-understood', count: 1 }]);
  });
  it('decision 3, client: knows the first day of the year 1 for no date', () => {
    expect(codesOf(readJson(toEnvelope([{ ...inbound, Date: '0001-01-01T00:00:00' }])))).toEqual([
      'date-empty',
    ]);
  });
});

describe('decision 6, client: an invalid request', () => {
  it.each([false, 'false', 'False'])(
    'decision 6, client: isValid %j is a refusal in the words of the service',
    (isValid) => {
      const errors = [{ field: 'startDate', message: 'does not exist' }];
      const error = fail(JSON.stringify(toEnvelope([], { isValid, errors })));
      expect(error.code).toBe('client.invalid-request');
      expect(error.details).toEqual({ body: 'startDate: does not exist', field: 'startDate' });
    },
  );
  it.each([
    [{ message: 'No such period' }, 'No such period', ''],
    [{ errors: { endDate: ['is too late'] } }, 'endDate: is too late', 'endDate'],
    [{ errors: ['one', 'two'] }, 'one\ntwo', ''],
    [{}, '', ''],
  ])('decision 6, client: understands %j', (extra, body, field) => {
    expect(fail(JSON.stringify({ isValid: false, ...extra })).details).toEqual({ body, field });
  });
  it('decision 6, client: finds a refusal one level down', () => {
    expect(fail(JSON.stringify({ result: toEnvelope([], { isValid: false }) })).code).toBe(
      'client.invalid-request',
    );
  });
});

describe('decision 7, client: size of a page', () => {
  it('decision 7, client: refuses more than 100,000 records', () => {
    const documents = new Array(100_001).fill({ Date: '', Client: '' });
    expect(fail(JSON.stringify(toEnvelope(documents))).code).toBe('client.too-large');
  });
});

describe('decision 8, client: cursors', () => {
  it.each([
    ['', null],
    [null, null],
    [undefined, null],
    ['  ', '  '],
    [42, '42'],
  ])('decision 8, client: lastDocument %j reads as %j', (lastDocument, expected) => {
    expect(readJson(toEnvelope([inbound], { lastDocument })).lastDocument).toBe(expected);
  });
  it('decision 8, client: keeps every digit of a cursor that is a number', () => {
    const text = JSON.stringify(toEnvelope([inbound])).replace(
      '"lastDocument":""',
      '"lastDocument":9007199254740993',
    );
    expect(readText(text).lastDocument).toBe('9007199254740993');
  });
});

describe('decision 11, client: both summaries under one identifier', () => {
  it('decision 11, client: each keeps its own groups', () => {
    const body = toEnvelope([inboundGroup, outboundGroup]);
    expect(readJson(body, 'inbound-summary').groups.map(({ count }) => count)).toEqual([12]);
    const page = readJson(body, 'outbound-summary');
    expect(page.groups).toEqual([
      {
        channel: 3,
        service: 12,
        origin: null,
        responseCode: 200,
        count: 7,
        averageResponseTimeMs: 99.5,
        averageBotLatencyMs: null,
        sessionId: inbound.Id,
      },
    ]);
    expect(page).toMatchObject({ recordCount: 2, remarks: [] });
  });
  it('decision 11, client: says when only inbound groups came for the outbound summary', () => {
    const page = readJson(toEnvelope([inboundGroup]), 'outbound-summary');
    expect(page.groups).toEqual([]);
    expect(codesOf(page)).toEqual(['answer-has-inbound-only']);
  });
  it('decision 11, client: null fields make no inbound group', () => {
    const body = toEnvelope([{ ...inboundGroup, Origin: null, AvegareBotLatency: null }]);
    expect(readJson(body, 'outbound-summary').groups).toHaveLength(1);
  });
});

describe('decision 17, client: any content type, if it is JSON', () => {
  it.each([
    ['<!DOCTYPE html>\n<p>Sign in', 'client.html'],
    ['\n\n  <html lang="en">', 'client.html'],
    ['<?xml version="1.0"?>', 'client.not-json'],
    ['', 'client.not-json'],
    ['Bad gateway', 'client.not-json'],
    ['{"isValid":true} trailing', 'client.not-json'],
    ['{"isValid":true}{"isValid":true}', 'client.not-json'],
    ['{"isValid":true,"documents":[{"Id":"a', 'client.truncated'],
    ['[{"Id":"a"},', 'client.truncated'],
    ['null', 'client.unexpected-shape'],
    ['42', 'client.unexpected-shape'],
    ['{}', 'client.unexpected-shape'],
    ['{"token":"x"}', 'client.unexpected-shape'],
    ['{"isValid":true,"documents":[1,2]}', 'client.unexpected-shape'],
  ])('decision 17, client: %j is %s', (text, code) => {
    expect(fail(text).code).toBe(code);
  });
  it('shows the first line of a web page', () => {
    expect(fail('\n<html><title>Sign in</title>\n<body>').details).toEqual({
      firstLine: '<html><title>Sign in</title>',
    });
  });
  it('refuses bytes that are not UTF-8', () => {
    expect(() =>
      readPage(new Uint8Array([0x22, 0xff, 0x22]), { report: 'inbound-detail', zone: 'UTC' }),
    ).toThrow(expect.objectContaining({ code: 'client.not-json' }));
  });
  it('survives a body nested 10,000 deep', () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    expect(fail(deep).code).toBe('client.unexpected-shape');
    const page = readText(
      JSON.stringify(toEnvelope([inbound, 0])).replace(',0]', `,{"Date":"","More":${deep}}]`),
    );
    expect(page.setAside.map(({ reason }) => reason)).toEqual(['nested-too-deep']);
  });
});

describe('decision 21, client: pageCount', () => {
  it.each([null, 7, 'many', [{ Id: 1 }]])('decision 21, client: %j is ignored', (pageCount) => {
    expect(readJson(toEnvelope([inbound], { pageCount }))).toMatchObject({ recordCount: 1, remarks: [] });
  });
});

describe('decision 22, client: types', () => {
  it('decision 22, client: numbers as strings', () => {
    const given = {
      ...inbound,
      Channel: '3',
      Service: ' 12 ',
      ReponseTime: '12.5',
      ReponseCode: '200',
      BotLatency: '40',
    };
    const page = readJson(toEnvelope([given, inbound], { totalDocument: '2', executionTime: '3' }));
    expect(page.records).toEqual([read, read]);
    expect(page.totalDocument).toBe(2);
    expect(page.remarks).toEqual([{ code: 'numbers-as-strings', count: 1 }]);
  });
  it('decision 22, client: strings as numbers, without loss of digits', () => {
    const text = JSON.stringify(toEnvelope([inbound])).replace(`"${inbound.Id}"`, '12345678901234567890');
    expect(readText(text).records[0]!.sessionId).toBe('12345678901234567890');
  });
  it('decision 36, client: a number beyond any double keeps its digits wherever it stands', () => {
    const text = JSON.stringify(
      toEnvelope([{ ...inbound, ReponseTime: 'X', Client: 'X', Payload: { at: ['X'] }, Far: 'X' }]),
    ).replaceAll('"X"', '1e400');
    const page = readText(text);
    expect(page.records[0]).toMatchObject({
      responseTimeMs: null,
      client: '1e400',
      payload: '{"at":[1e400]}',
    });
    expect(JSON.stringify(page.records[0]!.extra)).toBe('{"Far":1e400,"ReponseTime":1e400}');
    expect(codesOf(page)).toContain('number-not-understood');
  });
  it('decision 36, client: text made of a structure keeps the digits of its numbers', () => {
    const text = JSON.stringify(toEnvelope([{ ...inbound, Payload: { at: 'X' } }]));
    const [record] = readText(text.replace('"X"', '12345678901234567890')).records;
    expect(record!.payload).toBe('{"at":12345678901234567890}');
  });
  it('decision 22, client: a group keeps what is no field of it, and numbers that can not be read', () => {
    const group = { ...inboundGroup, Channel: '12abc', Region: 'EU', Big: 'X' };
    const text = JSON.stringify(toEnvelope([group])).replace('"X"', '12345678901234567890');
    expect(readText(text, 'inbound-summary').groups).toMatchObject([
      { channel: null, extra: { Channel: '"12abc"', Region: '"EU"', Big: '12345678901234567890' } },
    ]);
  });
  it('decision 22, client: null for an empty string and for a number', () => {
    const page = readJson(toEnvelope([{ ...inbound, Error: null, BotLatency: null }]));
    expect(page.records[0]).toMatchObject({ error: '', botLatencyMs: null });
    expect(codesOf(page)).toEqual(['null-values']);
  });
  it('decision 22, client: unknown fields are kept, among them dangerous names', () => {
    const text = JSON.stringify(toEnvelope([{ ...inbound, Region: 'EU' }])).replace(
      '"Region"',
      '"__proto__":{"a":1},"Region"',
    );
    const [record] = readText(text).records;
    expect(Object.keys(record!.extra)).toEqual(['__proto__', 'Region']);
    expect(Object.getPrototypeOf(record!.extra)).toBe(Object.prototype);
  });
  it('decision 22, client: a number that can not be read stays in sight', () => {
    const page = readJson(toEnvelope([{ ...inbound, ReponseTime: '1,234' }]));
    expect(page.records[0]).toMatchObject({ responseTimeMs: null, extra: { ReponseTime: '1,234' } });
    expect(codesOf(page)).toEqual(['number-not-understood']);
  });
  it('decision 22, client: a payload that is no text becomes its JSON', () => {
    const page = readJson(toEnvelope([{ ...inbound, Payload: { text: 'hi' } }]));
    expect(page.records[0]!.payload).toBe('{"text":"hi"}');
    expect(codesOf(page)).toEqual(['structures-as-text']);
  });
  it('sets aside what is no record, and reads the others', () => {
    const page = readJson(toEnvelope([inbound, null, 'x', { foo: 1 }]));
    expect(page.records).toEqual([read]);
    expect(page.recordCount).toBe(4);
    expect(page.setAside).toEqual([
      { index: 1, reason: 'not-an-object', text: 'null' },
      { index: 2, reason: 'not-an-object', text: '"x"' },
      { index: 3, reason: 'no-known-field', text: '{"foo":1}' },
    ]);
    expect(page.remarks).toContainEqual({ code: 'record-unreadable', count: 3 });
  });
});

describe('decision 23, client: spelling', () => {
  const respell = (
    record: Record<string, unknown>,
    change: (name: string) => string,
  ): Record<string, unknown> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [change(name), value]));
  const correct = (name: string): string => name.replace('Reponse', 'Response').replace('Avegare', 'Average');
  it.each([
    ['corrected', correct],
    ['lower case', (name: string) => name.toLowerCase()],
    ['upper case', (name: string) => name.toUpperCase()],
    [
      'corrected and in camel case',
      (name: string) => correct(name)[0]!.toLowerCase() + correct(name).slice(1),
    ],
    [
      'snake case',
      (name: string) =>
        correct(name)
          .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
          .toLowerCase(),
    ],
  ])('decision 23, client: %s', (_name, change) => {
    const page = readJson(toEnvelope([respell(inbound, change)]));
    expect(page.records).toEqual([read]);
    expect(page.remarks).toEqual([{ code: 'corrected-spelling', count: 1 }]);
    expect(readJson(toEnvelope([respell(outbound, change)]), 'outbound-detail').records[0]!.response).toBe(
      'none',
    );
    expect(readJson(toEnvelope([respell(inboundGroup, change)]), 'inbound-summary').groups).toEqual(
      readJson(toEnvelope([inboundGroup]), 'inbound-summary').groups,
    );
  });
  it('decision 23, client: the specified spelling wins over a corrected one beside it', () => {
    const page = readJson(toEnvelope([{ ResponseTime: 99, ...inbound }]));
    expect(page.records[0]).toMatchObject({ responseTimeMs: 12.5, extra: { ResponseTime: 99 } });
  });
  it('reads records of different shapes in one page', () => {
    const page = readJson(toEnvelope([inbound, respell(inbound, correct), inbound, { Date: inbound.Date }]));
    expect(page.records.slice(0, 3)).toEqual([read, read, read]);
    expect(page.records[3]).toMatchObject({ client: '', responseCode: null });
    expect(page.remarks).toContainEqual({ code: 'missing-fields', count: 1 });
  });
  it('decision 23, client: an envelope in another letter case', () => {
    const page = readJson({ IsValid: true, TotalDocument: 4, LastDocument: 'c', Documents: [inbound] });
    expect(page).toMatchObject({ totalDocument: 4, lastDocument: 'c', recordCount: 1 });
  });
});

describe('decision 32, client: Count', () => {
  it.each([
    ['12', 12],
    [12, 12],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('decision 32, client: %j is %i', (Count, count) => {
    expect(readJson(toEnvelope([{ ...inboundGroup, Count }]), 'inbound-summary').groups[0]!.count).toBe(
      count,
    );
  });
  it.each(['9007199254740993', '1,234', '1 234', '-1', '1.5', null])(
    'decision 32, client: %j is set aside, not guessed',
    (Count) => {
      const page = readJson(toEnvelope([inboundGroup, { ...inboundGroup, Count }]), 'inbound-summary');
      expect(page.groups).toHaveLength(1);
      expect(page.setAside[0]).toMatchObject({ index: 1, reason: 'count-not-understood' });
    },
  );
});

describe('a report that is another one', () => {
  it.each<[ReportKind, unknown]>([
    ['inbound-detail', inboundGroup],
    ['outbound-summary', outbound],
  ])('is not taken for %s', (report, record) => {
    expect(fail(JSON.stringify(toEnvelope([record])), report).code).toBe('client.unexpected-shape');
  });
});

describe('records as they come', () => {
  it('decision 9, client: stay in the order received, whatever their dates', () => {
    const dates = ['2026-11-20T10:00:00.000Z', '2026-11-19T10:00:00.000Z', '2026-11-21T10:00:00.000Z'];
    const page = readJson(toEnvelope(dates.map((Date) => ({ ...inbound, Date }))));
    expect(page.records.map(({ dateText }) => dateText)).toEqual(dates);
  });
  it('decision 12, client: the Id of a group is kept to be shown, and may be missing', () => {
    const { Id, ...rest } = inboundGroup;
    const { groups } = readJson(toEnvelope([inboundGroup, rest]), 'inbound-summary');
    expect(groups.map(({ sessionId }) => sessionId)).toEqual([Id, '']);
  });
  it('decisions 26 and 37, client: identical records and shared Ids are all kept', () => {
    const page = readJson(toEnvelope([inbound, inbound, { ...inbound, Channel: 4 }]));
    expect(page.records.map(({ channel }) => channel)).toEqual([3, 3, 4]);
  });
});
