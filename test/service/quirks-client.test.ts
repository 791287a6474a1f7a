import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { QUIRK_NAMES, type QuirkName } from '../../src-main/common/model/connections/local-service.ts';
import {
  createOutcomeDecider,
  DEFAULT_RULES,
  type OutcomeRules,
} from '../../src-main/common/reporting/outcome.ts';
import { judgeEnd } from '../../src-main/common/reporting/reading/read-envelope.ts';
import { readPage, type ReadPage } from '../../src-main/common/reporting/reading/read-page.ts';
import type { DetailRecord } from '../../src-main/common/reporting/reading/read-record.ts';
import { SPECIFIED_REPORT_IDENTIFIERS, type ReportKind } from '../../src-main/common/reporting/reports.ts';
import { createReportingClient } from '../../src-main/core/client/create-reporting-client.ts';
import type { ReportingClient } from '../../src-main/core/client/reporting-client.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { startTestService, type TestServiceOptions } from '../support/service/running-service.ts';
import { toPeriod } from '../support/service/service-calls.ts';
import { createSilentLogger } from '../support/fakes/silent-logger.ts';
import { createSkipClock } from '../support/fakes/skip-clock.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 15, 30, 12);
const WEEK = toPeriod(NOW_MS - 8 * 86_400_000, NOW_MS);
const RECORDS = 1_200;

/** What a walk met: its pages, why it ended, and what was refused on the way. */
interface Walk {
  readonly records: readonly DetailRecord[];
  readonly pages: readonly ReadPage[];
  readonly remarks: ReadonlySet<string>;
  readonly end: string | null;
  readonly error: { readonly code: string } | null;
  readonly waitedMs: readonly number[];
  readonly statuses: readonly number[];
}

const isFailed = (code: number): boolean => code >= 400;

interface WalkOptions {
  readonly report?: ReportKind;
  readonly size?: number;
  readonly period?: { readonly startDate: string; readonly endDate: string };
  readonly zone?: string;
  readonly afterPage?: () => void;
}

describe('the client meets a service that misbehaves on purpose', () => {
  const tested = new Set<QuirkName>();
  let clockMs = NOW_MS;
  let service: RunningService | undefined;
  let exact: readonly DetailRecord[];

  const start = async (quirks: QuirkName[], change: TestServiceOptions = {}): Promise<RunningService> => {
    for (const quirk of quirks) tested.add(quirk);
    service = await startTestService({ now: () => clockMs, records: RECORDS, quirks, ...change });
    return service;
  };
  const connect = (of: RunningService, headersMs = 4_000) => {
    const clock = createSkipClock();
    const statuses: number[] = [];
    const client = createReportingClient({
      target: {
        connectionId: 'test',
        baseAddress: of.url,
        tenant: of.tenant,
        reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
      },
      secrets: () => Promise.resolve(of),
      fetch: async (...request: Parameters<typeof fetch>) => {
        const response = await fetch(...request);
        statuses.push(response.status);
        return response;
      },
      clock,
      logger: createSilentLogger(),
      timeouts: { headersMs },
    });
    return { client, waitedMs: clock.waitedMs, statuses };
  };
  const walk = async (of: RunningService, options: WalkOptions = {}): Promise<Walk> => {
    const { report = 'inbound-detail', size = 350, period = WEEK, zone = 'UTC', afterPage } = options;
    const { client, waitedMs, statuses } = connect(of);
    const pages: ReadPage[] = [];
    const seen = new Set<string>();
    const finish = (end: string | null, error: Walk['error'] = null): Walk => ({
      pages,
      end,
      error,
      waitedMs,
      statuses,
      records: pages.flatMap(({ records }) => records),
      remarks: new Set(pages.flatMap(({ remarks }) => remarks.map(({ code }) => code))),
    });
    let receivedBefore = 0;
    for (let cursorSent = ''; ;) {
      try {
        const answer = await client.fetchPage({ report, ...period, size, lastDocument: cursorSent });
        const page = readPage(new Uint8Array(answer.bytes), { report, zone });
        pages.push(page);
        const verdict = judgeEnd({
          ...page,
          cursorSent,
          isAfterEmpty: false,
          hasAll: () => receivedBefore + page.recordCount === page.totalDocument,
          seenCursors: (text) => seen.has(text),
        });
        if (verdict.nextCursor === null) return finish(verdict.end);
        receivedBefore += page.recordCount;
        seen.add(verdict.nextCursor);
        cursorSent = verdict.nextCursor;
      } catch (error) {
        return finish(null, error as { code: string });
      }
      afterPage?.();
    }
  };
  const readStatusOf = (of: RunningService): ReturnType<ReportingClient['fetchStatus']> =>
    connect(of).client.fetchStatus();

  beforeAll(async () => {
    const plain = await startTestService({ now: () => NOW_MS, records: RECORDS });
    exact = (await walk(plain)).records;
    await plain.stop();
    expect(exact).toHaveLength(RECORDS);
  });
  afterEach(async () => {
    clockMs = NOW_MS;
    await service?.stop();
    service = undefined;
  });
  it.each<[QuirkName, string]>([
    ['corrected-spelling', 'corrected-spelling'],
    ['numbers-as-strings', 'numbers-as-strings'],
    ['records-as-string', 'records-as-string'],
    ['records-key-data', 'records-under-other-name'],
  ])('%s: the same records, with a remark', async (quirk, remark) => {
    const { records, remarks, error } = await walk(await start([quirk]));
    expect(error).toBeNull();
    expect(records).toEqual(exact);
    expect(remarks).toEqual(new Set([remark]));
  });

  it.each<QuirkName>(['dates-dotnet', 'dates-without-zone'])('%s: the same instants', async (quirk) => {
    const { records } = await walk(await start([quirk]));
    expect(records[0]!.dateText).not.toBe(exact[0]!.dateText);
    expect(records.map(({ dateMs }) => dateMs)).toEqual(exact.map(({ dateMs }) => dateMs));
  });

  it('dates-without-zone: dates are in the zone that the connection names', async () => {
    const { records } = await walk(await start(['dates-without-zone']), { zone: 'Asia/Tokyo' });
    expect(records.map(({ dateMs }) => dateMs! + 9 * 3_600_000)).toEqual(exact.map(({ dateMs }) => dateMs));
  });

  it('dates-without-zone: dates are those of the clock that the service keeps', async () => {
    const zone = 'Asia/Kathmandu';
    const { records } = await walk(await start(['dates-without-zone'], { timeZone: zone }), { zone });
    // A week more or less: the clock is hours ahead, also of the period.
    const known = new Set(exact.map(({ dateMs }) => dateMs));
    expect(records.length).toBeGreaterThan(RECORDS / 2);
    expect(records.filter(({ dateMs }) => !known.has(dateMs))).toEqual([]);
  });

  it('small-pages: a short page does not end the walk', async () => {
    const { records, pages, end } = await walk(await start(['small-pages']));
    expect(records).toEqual(exact);
    expect(pages.length).toBeGreaterThan(9);
    expect(end).toBe('no-cursor');
  });

  it('duplicate-records: the first record of each page is there twice, and nothing is thrown away', async () => {
    const { pages } = await walk(await start(['duplicate-records']));
    expect(pages.length).toBeGreaterThan(1);
    for (const { records } of pages) expect(records[1]).toEqual(records[0]);
    expect(pages[0]!.records).toHaveLength(351);
  });

  it('duplicate-records: in many pages more come than announced, and all of them are fetched', async () => {
    const { records, end } = await walk(await start(['duplicate-records']), { size: 10 });
    expect(end).toBe('no-cursor');
    expect(records.length).toBeGreaterThan(RECORDS);
    expect(records.at(-1)).toEqual(exact.at(-1));
  });

  it('total-capped: the walk goes on beyond the announced total', async () => {
    const { records, pages, end } = await walk(await start(['total-capped']));
    expect(pages[0]!.totalDocument).toBe(1_000);
    expect(end).toBe('no-cursor');
    expect(records).toEqual(exact);
  });

  it('cursor-never-empty: one more page is asked for after the total, and is the end', async () => {
    const { records, end } = await walk(await start(['cursor-never-empty']));
    expect(records).toEqual(exact);
    expect(end).toBe('empty-page');
  });

  it.each<[QuirkName, number]>([
    ['cursor-repeats', 2],
    ['cursor-cycles', 3],
  ])('%s: the walk is known to be incomplete after page %i', async (quirk, pages) => {
    const walked = await walk(await start([quirk]), { size: 200 });
    expect([walked.end, walked.pages.length, walked.error]).toEqual(['cursor-repeated', pages, null]);
  });

  it('cursor-expires: a pause after a page is refused, and the page before it was read', async () => {
    const pause = (): void => void (clockMs += 5_000);
    const { records, error } = await walk(await start(['cursor-expires']), { afterPage: pause });
    expect(error).toMatchObject({ code: 'client.invalid-request', details: { field: 'lastDocument' } });
    expect(records).toEqual(exact.slice(0, 350));
  });

  it('cursor-expires: a walk without a pause is whole', async () => {
    expect((await walk(await start(['cursor-expires']))).records).toEqual(exact);
  });

  it.each<[QuirkName, string]>([
    ['cut-body', 'client.truncated'],
    ['html-page', 'client.html'],
  ])('%s: the walk fails with %s', async (quirk, code) => {
    const { records, error } = await walk(await start([quirk]));
    expect(error).toMatchObject({ code });
    expect(records).toEqual([]);
  });

  it('stalls: the walk is tried again and fails as timed out', async () => {
    const running = await start(['stalls']);
    const { client } = connect(running, 600);
    const controller = new AbortController();
    const retries: number[] = [];
    const page = client.fetchPage(
      { report: 'inbound-detail', ...WEEK, size: 10, lastDocument: '' },
      { signal: controller.signal, onRetry: (atMs) => retries.push(atMs) },
    );
    await expect(page).rejects.toMatchObject({ code: 'client.timeout' });
    expect(retries.length).toBeGreaterThan(0);
  }, 60_000);

  it('slow: every page takes two seconds and comes', async () => {
    const startedMs = performance.now();
    const { records } = await walk(await start(['slow']), { size: 1_000 });
    expect(records).toEqual(exact);
    expect(performance.now() - startedMs).toBeGreaterThan(3_900);
  }, 20_000);

  it('rate-limited: the client waits as long as Retry-After says, and reads everything', async () => {
    const { records, waitedMs, statuses } = await walk(await start(['rate-limited']));
    expect(records).toEqual(exact);
    expect(statuses).toContain(429);
    expect(Math.min(...waitedMs)).toBeGreaterThanOrEqual(1_000);
    expect(waitedMs.length).toBeGreaterThan(0);
  });

  it('unauthorised-mid-page: the token is renewed and the page asked for again', async () => {
    const { records, statuses } = await walk(await start(['unauthorised-mid-page']));
    expect(records).toEqual(exact);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThan(0);
  });

  it('token-30s: the token is renewed when it has expired', async () => {
    const pause = (): void => void (clockMs += 31_000);
    const { records, statuses } = await walk(await start(['token-30s']), { afterPage: pause });
    expect(records).toEqual(exact);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThan(0);
  });

  it('require-token: no difference', async () => {
    const { records, statuses } = await walk(await start(['require-token']));
    expect(records).toEqual(exact);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('invalid-with-400: the service’s reason is read, as with status 200', async () => {
    const { error, statuses } = await walk(await start(['invalid-with-400']), {
      period: { ...WEEK, startDate: '2026-06-31 00:00:00' },
    });
    expect(statuses).toContain(400);
    expect(error).toMatchObject({ code: 'client.invalid-request', details: { field: 'startDate' } });
  });

  it('late-records: a past period that is read again has gained records', async () => {
    clockMs = Date.now();
    const running = await start(['late-records'], {
      now: Date.now,
      live: true,
      livePerSecond: 100,
      records: 300,
    });
    const period = toPeriod(clockMs - 3_600_000, clockMs - 30_000);
    const before = await walk(running, { period });
    await expect
      .poll(async () => (await walk(running, { period })).records.length, { timeout: 20_000 })
      .toBeGreaterThan(before.records.length);
  }, 30_000);

  it('separate-outbound-summary: the shared identifier returns no outbound groups', async () => {
    const running = await start(['separate-outbound-summary']);
    const inbound = await walk(running, { report: 'inbound-summary' });
    const outbound = await walk(running, { report: 'outbound-summary' });
    expect(inbound.pages.flatMap(({ groups }) => groups).length).toBeGreaterThan(10);
    expect(outbound.pages.flatMap(({ groups }) => groups)).toEqual([]);
  });

  it('status-nested: the same status', async () => {
    const plain = await startTestService({ now: () => clockMs, records: RECORDS });
    const { reading: expected } = await readStatusOf(plain);
    await plain.stop();
    const { reading } = await readStatusOf(await start(['status-nested']));
    expect(reading).toMatchObject({ platform: 'up', connector: 'up', traffic: expected.traffic });
    expect(reading.traffic.length).toBeGreaterThan(0);
  });

  it('status-text: capitals are understood, and the busiest group stands beside the plain text', async () => {
    const { reading } = await readStatusOf(await start(['status-text']));
    expect(reading.platform).toBe('up');
    expect(reading.traffic).toHaveLength(1);
    expect(reading.trafficText).toMatch(/^\d+ sessions$/);
  });

  it.each<[QuirkName, OutcomeRules, (code: number) => boolean]>([
    ['always-200-error-text', DEFAULT_RULES, isFailed],
    ['errors-as-json', DEFAULT_RULES, isFailed],
    ['errors-with-names', DEFAULT_RULES, isFailed],
    ['minus-one-no-answer', [{ codes: [-1], outcome: 'failed' }, ...DEFAULT_RULES], isFailed],
    ['normal-404', [{ codes: [404], outcome: 'expected' }, ...DEFAULT_RULES], (code) => code >= 500],
    ['two-99-failed', [{ codes: [299], outcome: 'failed' }, ...DEFAULT_RULES], isFailed],
    ['vendor-4-digits', [{ codes: [[4000, 4999]], outcome: 'failed' }], isFailed],
    ['zero-ok-one-failed', [{ codes: [1], outcome: 'failed' }], isFailed],
  ])('%s: rules that describe it find the same failures', async (quirk, rules, hasFailed) => {
    const { records, error } = await walk(await start([quirk]));
    expect(error).toBeNull();
    const decide = createOutcomeDecider(rules);
    const toNames = (list: readonly DetailRecord[], isWanted: (record: DetailRecord) => boolean) =>
      list.filter(isWanted).map(({ sessionId, dateMs }) => [sessionId, dateMs]);
    const judge = (record: DetailRecord): boolean => decide({ ...record, actionId: null }) === 'failed';
    const expected = toNames(exact, ({ responseCode }) => hasFailed(responseCode ?? 0));
    expect(expected.length).toBeGreaterThan(0);
    expect(toNames(records, judge)).toEqual(expected);
  });

  it('has met every quirk there is', () => {
    expect([...tested].sort()).toEqual([...QUIRK_NAMES]);
  });
});
