import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeEnd } from '../../src-main/common/reporting/reading/read-envelope.ts';
import { readPage, type ReadPage } from '../../src-main/common/reporting/reading/read-page.ts';
import { SPECIFIED_REPORT_IDENTIFIERS, type ReportKind } from '../../src-main/common/reporting/reports.ts';
import { toWireDate } from '../../src-main/common/reporting/wire-documents.ts';
import { createReportingClient } from '../../src-main/core/client/create-reporting-client.ts';
import type { ReportingClient } from '../../src-main/core/client/reporting-client.ts';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { startTestService } from '../support/service/running-service.ts';
import { createSilentLogger } from '../support/fakes/silent-logger.ts';

const dayMs = 86_400_000;
let service: RunningService;
let client: ReportingClient;

function connect(
  change: Partial<Pick<RunningService, 'tenant' | 'accessTokenSecret'>> = {},
): ReportingClient {
  const { url, tenant, accessToken, accessTokenSecret } = { ...service, ...change };
  return createReportingClient({
    target: {
      connectionId: 'test',
      baseAddress: url,
      tenant,
      reportIdentifiers: SPECIFIED_REPORT_IDENTIFIERS,
    },
    secrets: () => Promise.resolve({ accessToken, accessTokenSecret }),
    fetch: globalThis.fetch,
    logger: createSilentLogger(),
  });
}

const endMs = Math.floor(Date.now() / 1000) * 1000;
const week = { startDate: toWireDate(endMs - 8 * dayMs, 'UTC'), endDate: toWireDate(endMs, 'UTC') };

async function askPage(report: ReportKind, size = 100, lastDocument = ''): Promise<ReadPage> {
  const answer = await client.fetchPage({ report, ...week, size, lastDocument });
  return readPage(new Uint8Array(answer.bytes), { report, zone: 'UTC' });
}

async function walk(report: ReportKind, size: number): Promise<{ pages: ReadPage[]; end: string | null }> {
  const pages: ReadPage[] = [];
  const seen = new Set<string>();
  let received = 0;
  for (let cursor = ''; ;) {
    const page = await askPage(report, size, cursor);
    pages.push(page);
    const verdict = judgeEnd({
      ...page,
      cursorSent: cursor,
      seenCursors: (text) => seen.has(text),
      isAfterEmpty: false,
      hasAll: () => received + page.recordCount === page.totalDocument,
    });
    received += page.recordCount;
    if (verdict.nextCursor === null) return { pages, end: verdict.end };
    seen.add(verdict.nextCursor);
    cursor = verdict.nextCursor;
  }
}

describe('the client with the bundled service', () => {
  beforeAll(async () => {
    service = await startTestService({ requireToken: true });
    client = connect();
  });
  afterAll(() => service.stop());

  it('obtains a token', async () => {
    await expect(client.createToken()).resolves.toBeUndefined();
  });
  it('reads the status', async () => {
    const { reading } = await client.fetchStatus();
    expect(reading.platform).toMatch(/^(up|down)$/);
    expect(reading.connector).toMatch(/^(up|down)$/);
    expect(reading.trafficText).toBe('');
    expect(reading.traffic.reduce((sum, { Sessions }) => sum + Sessions, 0)).toBe(reading.sessions);
  });
  it.each<ReportKind>(['inbound-detail', 'outbound-detail'])(
    'reads %s with nothing to tolerate',
    async (report) => {
      const page = await askPage(report);
      expect(page).toMatchObject({ remarks: [], setAside: [], recordCount: 100 });
      expect(page.records.every(({ dateMs }) => dateMs !== null && dateMs <= endMs + 999)).toBe(true);
    },
  );
  it('gets one record a page in the order of large pages', async () => {
    const { records } = await askPage('inbound-detail', 20);
    expect(records).toHaveLength(20);
    let cursor = '';
    for (const record of records) {
      const page = await askPage('inbound-detail', 1, cursor);
      expect(page.records).toEqual([record]);
      cursor = page.lastDocument!;
    }
  });
  it.each([150, 1000])('walks to the end with the same records at %i a page', async (size) => {
    const whole = await askPage('inbound-detail', 10_000);
    const { pages, end } = await walk('inbound-detail', size);
    expect(end).toBe('no-cursor');
    expect(pages.flatMap(({ records }) => records)).toEqual(whole.records);
    expect(whole.records).toHaveLength(whole.totalDocument!);
  });
  it.each<[ReportKind, ReportKind]>([
    ['inbound-summary', 'inbound-detail'],
    ['outbound-summary', 'outbound-detail'],
  ])('%s counts the records of %s', async (summary, detail) => {
    const { pages } = await walk(summary, 10_000);
    const { totalDocument } = await askPage(detail, 1);
    const count = pages.flatMap(({ groups }) => groups).reduce((sum, group) => sum + group.count, 0);
    expect(count).toBe(totalDocument);
    expect(pages.flatMap(({ remarks }) => remarks)).toEqual([]);
  });
  it('reports a refused request in the words of the service', async () => {
    const answer = await client.fetchPage({
      report: 'inbound-detail',
      startDate: '2026-06-31 00:00:00',
      endDate: week.endDate,
      size: 1,
      lastDocument: '',
    });
    const read = (): ReadPage =>
      readPage(new Uint8Array(answer.bytes), { report: 'inbound-detail', zone: 'UTC' });
    expect(read).toThrow(
      expect.objectContaining({
        code: 'client.invalid-request',
        details: expect.objectContaining({ field: 'startDate' }),
      }),
    );
  });
  it('reports refused credentials', async () => {
    await expect(connect({ accessTokenSecret: 'wrong' }).fetchStatus()).rejects.toMatchObject({
      code: 'client.credentials-refused',
    });
  });
});
