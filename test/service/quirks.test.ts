import { afterEach, describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src-main/service/run-command.ts';
import { QUIRK_NAMES, type QuirkName } from '../../src-main/common/model/connections/local-service.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { startTestService } from '../support/service/running-service.ts';
import { post, toPeriod, toReportAddress } from '../support/service/service-calls.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 15, 30, 12, 345);
const WEEK = toPeriod(NOW_MS - 8 * 86_400_000, NOW_MS);
const STATUS = '/api/ServiceReporting/Status/1001';

/** A response as a client might meet it; only what the tests look at. */
interface Answer {
  readonly isValid: boolean;
  readonly totalDocument: number;
  readonly lastDocument: string;
  readonly documents: Record<string, string>[] | undefined;
  readonly data: Record<string, string>[] | undefined;
}

describe('a service that misbehaves on purpose', () => {
  let service: RunningService;
  let clockMs = NOW_MS;
  afterEach(() => {
    clockMs = NOW_MS;
    return service.stop();
  });

  const start = async (...quirks: QuirkName[]): Promise<void> => {
    service = await startTestService({ now: () => clockMs, records: 1200, quirks });
  };
  const call = (body: object = {}): Promise<Response> =>
    post(service, toReportAddress(service, 'inbound-detail'), { ...WEEK, size: 30, ...body });
  const read = async (body: object = {}) => (await (await call(body)).json()) as Answer;

  it('corrected-spelling, dates-dotnet, numbers-as-strings and records-key-data change documents', async () => {
    await start('corrected-spelling', 'dates-dotnet', 'numbers-as-strings', 'records-key-data');
    const { data, documents } = await read();
    expect(documents).toBeUndefined();
    expect(data![0]).toMatchObject({
      ResponseCode: expect.stringMatching(/^\d+$/),
      ResponseTime: expect.any(String),
    });
    expect(data![0]!['Date']).toMatch(/^\/Date\(\d{13}\)\/$/);
  });

  it('records-as-string and dates-without-zone', async () => {
    await start('records-as-string', 'dates-without-zone');
    const documents = JSON.parse((await read()).documents as unknown as string) as { Date: string }[];
    expect(documents).toHaveLength(30);
    expect(documents[0]!.Date).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
  });

  it.each([
    ['always-200-error-text', [200], /\S/],
    ['minus-one-no-answer', [-1, 200, 500], /^(|No answer|.*[a-z].*)$/],
    ['normal-404', null, /./],
    ['two-99-failed', null, /^$/],
    ['vendor-4-digits', [1000, 1001, 4001, 4007, 4210], /\S/],
    ['zero-ok-one-failed', [0, 1], /\S/],
  ] as const)('%s changes codes in details and in summaries alike', async (quirk, codes, failedText) => {
    await start(quirk);
    const readAll = async (kind: 'outbound-detail' | 'outbound-summary') => {
      const response = await post(service, toReportAddress(service, kind), { ...WEEK, size: 10_000 });
      return ((await response.json()) as Answer).documents as unknown as Record<string, unknown>[];
    };
    const records = await readAll('outbound-detail');
    const counts = new Map<unknown, number>();
    for (const { ReponseCode } of records) counts.set(ReponseCode, (counts.get(ReponseCode) ?? 0) + 1);
    if (codes !== null) expect(codes).toEqual(expect.arrayContaining([...counts.keys()]));
    expect(counts.size).toBeGreaterThan(quirk === 'always-200-error-text' ? 0 : 1);
    // One identifier serves groups of both directions; those of outbound requests have no origin.
    const groups = (await readAll('outbound-summary')).filter((group) => !('Origin' in group));
    for (const [code, count] of counts) {
      const own = groups.filter(({ ReponseCode }) => ReponseCode === code);
      expect(own.reduce((sum, { Count }) => sum + Number(Count), 0)).toBe(count);
    }
    const keys = groups.map(({ Id, ReponseCode, Channel, Service }) =>
      JSON.stringify([Id, ReponseCode, Channel, Service]),
    );
    expect(new Set(keys).size).toBe(keys.length);
    const failed = records.filter(({ Error: error }) => error !== '' || quirk === 'two-99-failed');
    for (const { Error: error } of failed) expect(error).toMatch(failedText);
    expect(failed.length).toBeGreaterThan(0);
  });

  it('errors-as-json and errors-with-names say the same errors in other words', async () => {
    await start('errors-as-json');
    const isJson = (text: string): boolean => typeof JSON.parse(text) === 'object';
    const errors = (await read({ size: 10_000 })).documents!.map((one) => one['Error'] ?? '').filter(Boolean);
    expect(errors.every(isJson)).toBe(true);
    expect(new Set(errors.map((text) => Object.keys(JSON.parse(text) as object).join())).size).toBe(3);
    await service.stop();
    await start('errors-with-names');
    for (const { Error: error, Client } of (await read({ size: 10_000 })).documents!) {
      if (error !== '') expect(error).toContain(`Customer ${Client ?? ''}: `);
    }
  });

  it('takes a convention by its name on the command line, and refuses others', () => {
    const read = (name: string) => readCommandLine(['--data', 'x', '--convention', name]);
    expect(read('normal-404')).toMatchObject({ quirks: ['normal-404'] });
    expect(read('http-codes')).toMatchObject({ quirks: [] });
    expect(() => read('errors-as-json')).toThrow(
      '--convention: "errors-as-json" is not one of http-codes, always-200',
    );
  });

  it('small-pages, duplicate-records and total-capped', async () => {
    await start('small-pages', 'duplicate-records', 'total-capped');
    const { documents, totalDocument } = await read();
    expect(documents).toHaveLength(11);
    expect(documents![1]).toEqual(documents![0]);
    expect(totalDocument).toBe(1000);
  });

  it('cursor-repeats', async () => {
    await start('cursor-repeats');
    const { lastDocument } = await read();
    expect((await read({ lastDocument })).lastDocument).toBe(lastDocument);
  });

  it('cursor-never-empty gives a cursor with the last page, which leads to no records', async () => {
    await start('cursor-never-empty');
    const last = await read({ size: 10_000 });
    expect(last.documents).toHaveLength(last.totalDocument);
    expect(last.lastDocument).not.toBe('');
    const { isValid, documents, lastDocument } = await read({ lastDocument: last.lastDocument });
    expect([isValid, documents, lastDocument]).toEqual([true, [], last.lastDocument]);
  });

  it('cursor-cycles leads back to the second page', async () => {
    await start('cursor-cycles');
    const { lastDocument: first } = await read();
    const second = await read({ lastDocument: first });
    expect(second.lastDocument).not.toBe(first);
    expect((await read({ lastDocument: second.lastDocument })).lastDocument).toBe(first);
  });

  it('cursor-expires refuses a cursor after five seconds', async () => {
    await start('cursor-expires');
    const { lastDocument } = await read();
    clockMs += 4_999;
    expect((await read({ lastDocument })).isValid).toBe(true);
    clockMs += 1;
    expect(await read({ lastDocument })).toMatchObject({
      isValid: false,
      documents: [],
      errors: [{ field: 'lastDocument' }],
    });
    await read();
    expect((await read({ lastDocument })).isValid).toBe(true);
  });

  it('late-records: traffic arrives for a period that was already read', async () => {
    const fetchedMs = Date.now() - 30_000;
    service = await startTestService({
      records: 300,
      live: true,
      livePerSecond: 20,
      quirks: ['late-records'],
    });
    const past = { ...toPeriod(fetchedMs - 3_600_000, fetchedMs), size: 1 };
    const { totalDocument } = await read(past);
    await expect
      .poll(async () => (await read(past)).totalDocument, { timeout: 30_000, interval: 200 })
      .toBeGreaterThan(totalDocument);
  }, 40_000);

  it('unauthorised-mid-page refuses every next page once', async () => {
    await start('unauthorised-mid-page');
    const { lastDocument } = await read();
    expect([(await call({ lastDocument })).status, (await call({ lastDocument })).status]).toEqual([
      401, 200,
    ]);
  });

  it('rate-limited', async () => {
    await start('rate-limited');
    const statuses = [(await call()).status, (await call()).status];
    const third = await call();
    expect([...statuses, third.status, third.headers.get('retry-after')]).toEqual([200, 200, 429, '1']);
  });

  it('html-page', async () => {
    await start('html-page');
    const response = await call();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
  });

  it('invalid-with-400', async () => {
    await start('invalid-with-400');
    const response = await call({ size: 0 });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ isValid: false, errors: [{ field: 'size' }] });
  });

  it('cut-body', async () => {
    await start('cut-body');
    await expect(call().then((response) => response.text())).rejects.toThrow('terminated');
  });

  it('stalls', async () => {
    await start('stalls');
    const address = service.url + toReportAddress(service, 'inbound-detail');
    const signal = AbortSignal.timeout(300);
    await expect(
      fetch(address, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' }, signal }),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('slow', async () => {
    await start('slow');
    const startedMs = performance.now();
    expect((await read()).isValid).toBe(true);
    expect(performance.now() - startedMs).toBeGreaterThan(1_900);
  });

  it('status-nested and status-text', async () => {
    await start('status-nested');
    const nested = await (await post(service, STATUS)).json();
    expect(nested.TrafficInformation[0]).toHaveProperty('Sessions');
    await service.stop();
    await start('status-text');
    const text = await (await post(service, STATUS)).json();
    expect([text.Status, text.TrafficInformation]).toEqual(['UP', expect.stringMatching(/^\d+ sessions$/)]);
  });

  it('token-30s, require-token and separate-outbound-summary', async () => {
    await start('token-30s', 'require-token', 'separate-outbound-summary');
    expect((await call()).status).toBe(401);
    const { accessToken, accessTokenSecret, tenant } = service;
    const created = await post(service, '/api/ServiceReporting/CreateToken', {
      accessToken,
      accessTokenSecret,
      tenant,
    });
    const authorization = `bearer ${(await created.json()).token}`;
    const address = toReportAddress(service, 'inbound-summary');
    const page = await post(service, address, { ...WEEK, size: 10_000 }, { authorization });
    const { documents = [] } = (await page.json()) as Answer;
    expect(new Set(documents.map((each) => 'Origin' in each))).toEqual(new Set([true]));
    clockMs += 30_000;
    expect((await post(service, address, WEEK, { authorization })).status).toBe(401);
  });

  it('is asked for by name on the command line', async () => {
    await start();
    const args = QUIRK_NAMES.flatMap((name) => ['--quirk', name]);
    expect(readCommandLine(['--data', 'x', ...args])).toMatchObject({ quirks: QUIRK_NAMES });
    expect(() => readCommandLine(['--data', 'x', '--quirk', 'nonsense'])).toThrow('nonsense');
  });
});
