import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningService } from '../../src-main/service/start-service.ts';
import { REPORT_KINDS, type ReportKind } from '../../src-main/common/reporting/reports.ts';
import { openPostgresStore } from '../../src-main/service/store-postgres/open-postgres-store.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/service/postgres-server.ts';
import { startTestService } from '../support/service/running-service.ts';
import { post, toPeriod, toReportAddress } from '../support/service/service-calls.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 15, 30, 12, 345);
const HOUR_MS = 3_600_000;
const PERIODS = [
  [NOW_MS - 7 * 24 * HOUR_MS, NOW_MS],
  [NOW_MS - 30 * HOUR_MS - 1_234_567, NOW_MS - 3 * HOUR_MS],
  [NOW_MS - 26 * HOUR_MS, NOW_MS - 26 * HOUR_MS + 90_000],
  [NOW_MS - 90 * 24 * HOUR_MS, NOW_MS - 80 * 24 * HOUR_MS],
] as const;

describe.skipIf(findPostgres() === undefined)('the service on SQLite and on PostgreSQL', () => {
  let server: PostgresServer;
  let services: readonly [RunningService, RunningService];
  beforeAll(async () => {
    server = await startPostgres();
    await server.migrate('both');
    const now = (): number => NOW_MS;
    const openStore = () =>
      openPostgresStore(
        { url: server.url, schema: 'both', tenant: 1001 },
        { now, reportError: () => undefined },
      );
    services = await Promise.all([startTestService({ now }), startTestService({ now, openStore })]);
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
    await server.stop();
  });

  /** Every page of a report as text, without what is each engine's own: its cursor and how long it took. */
  const walk = async (service: RunningService, report: ReportKind, period: object): Promise<string[]> => {
    const pages: string[] = [];
    let lastDocument = '';
    do {
      const response = await post(service, toReportAddress(service, report), {
        ...period,
        size: 700,
        lastDocument,
      });
      const text = await response.text();
      lastDocument = (JSON.parse(text) as { lastDocument: string }).lastDocument;
      pages.push(
        text
          .replaceAll(/"executionTime":[\d.]+/gi, '"executionTime":0')
          .replaceAll(/"lastDocument":"[^"]+"/g, '"lastDocument":"…"'),
      );
    } while (lastDocument !== '');
    return pages;
  };

  it.each(REPORT_KINDS)('gives the same bytes for %s, page by page', async (report) => {
    const [sqlite, postgres] = services;
    for (const [fromMs, toMs] of PERIODS) {
      const period = toPeriod(fromMs, toMs);
      expect(await walk(postgres, report, period)).toEqual(await walk(sqlite, report, period));
    }
  });

  it('gives the same status', async () => {
    const read = async (service: RunningService): Promise<string> =>
      (await post(service, `/api/ServiceReporting/Status/${service.tenant}`)).text();
    expect(await read(services[1])).toBe(await read(services[0]));
  });
});
