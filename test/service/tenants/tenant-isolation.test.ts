import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { REPORT_KINDS, type ReportKind } from '../../../src-main/common/reporting/reports.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import {
  addSampleTenant,
  startEveryTenant,
  type TenantCredentials,
} from '../../support/service/every-tenant.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { startTestService } from '../../support/service/running-service.ts';
import {
  authorise,
  callReport,
  post,
  toPeriod,
  toReportAddress,
} from '../../support/service/service-calls.ts';

/** ISOLATION_REQUESTS=2000 for the whole of it. */
const REQUESTS = Number(process.env['ISOLATION_REQUESTS'] ?? 300);
const AT_ONCE = 8;
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const WEEK = toPeriod(NOW_MS - 7 * 86_400_000, NOW_MS);
const TOKEN = '/api/ServiceReporting/CreateToken';

interface Served {
  readonly url: string;
  readonly credentials: TenantCredentials;
  readonly tenant: number;
  readonly headers: Record<string, string>;
  /** A cursor of each report that has a second page. */
  readonly cursors: ReadonlyMap<ReportKind, string>;
  /** The documents of each report's first page, as text. */
  readonly pages: ReadonlyMap<ReportKind, string>;
}

const KINDS = ['token', 'path', 'cursor', 'credentials', 'own'] as const;

/**
 * The attack: a client with everything that one tenant was given asks for the records of another, at the process of
 * either or at one that serves both. Nothing of it counts there: tokens and cursors are signed for their tenant, and the
 * database shows a transaction the rows of one.
 */
describe.skipIf(findPostgres() === undefined)('two tenants on one PostgreSQL database', () => {
  let server: PostgresServer;
  let credentials: readonly TenantCredentials[];
  const now = (): number => NOW_MS;
  beforeAll(async () => {
    server = await startPostgres();
    await server.migrate('shared');
    const add = (tenant: number) => addSampleTenant(server, 'shared', { tenant, records: 2_000, now });
    credentials = [await add(501), await add(502)];
  });
  afterAll(() => server.stop());

  const readFirstPages = async (url: string, given: TenantCredentials): Promise<Served> => {
    const { tenant } = given;
    const headers = await authorise({ ...given, url });
    const cursors = new Map<ReportKind, string>();
    const pages = new Map<ReportKind, string>();
    for (const report of REPORT_KINDS) {
      const page = await callReport({ url, tenant }, report, { ...WEEK, size: 3 }, headers);
      if (page.lastDocument !== '') cursors.set(report, page.lastDocument);
      pages.set(report, JSON.stringify(page.documents));
    }
    return { url, tenant, credentials: given, headers, cursors, pages };
  };

  const startOneEach = async (): Promise<Arrangement> => {
    const services = await Promise.all(
      credentials.map(({ tenant }) => {
        const place = { url: server.servingUrl, schema: 'shared', tenant };
        const openStore = () => openPostgresStore(place, { now, reportError: () => undefined });
        return startTestService({ tenant, now, openStore, requireToken: true });
      }),
    );
    // A start without the folder of the first one makes new credentials.
    credentials = services.map(({ tenant, accessToken, accessTokenSecret }) => ({
      tenant,
      accessToken,
      accessTokenSecret,
    }));
    return { urls: services.map(({ url }) => url), stop: () => stopAll(services) };
  };
  const startOneForBoth = async (): Promise<Arrangement> => {
    const serving = await startEveryTenant(server, 'shared', { now });
    return { urls: [serving.url, serving.url], stop: serving.stop };
  };
  const startTwoForBoth = async (): Promise<Arrangement> => {
    const processes = await Promise.all([1, 2].map(() => startEveryTenant(server, 'shared', { now })));
    return { urls: processes.map(({ url }) => url), stop: () => stopAll(processes) };
  };

  it.each([
    ['a process for each', startOneEach],
    ['one process for both', startOneForBoth],
    ['two processes for both', startTwoForBoth],
  ])(
    `S31: refuse each other’s tokens, cursors and identifiers: ${REQUESTS} generated requests, %s`,
    async (_name, start) => {
      // Those of the arrangement before.
      await server.run('DELETE FROM shared.refused_address');
      const { urls, stop } = await start();
      const [one, two] = await Promise.all(
        credentials.map((each, place) => readFirstPages(urls[place]!, each)),
      );
      if (one === undefined || two === undefined) throw new Error('Two tenants are served.');
      expect([one.cursors.size, two.cursors.size]).toEqual([4, 4]);
      const random = createRandom(20261123);
      const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
      const seen = new Map<string, number>();
      const faults: string[] = [];

      /** What belongs to `from`, sent where `to` is served. */
      const attack = async (from: Served, to: Served): Promise<void> => {
        const kind = pick(KINDS);
        const report = pick(REPORT_KINDS);
        const body = { ...WEEK, size: pick([1, 50, 10_000]) };
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        if (kind === 'token') {
          const path = pick([toReportAddress(to, report), `/api/ServiceReporting/Status/${to.tenant}`]);
          const { status } = await post(to, path, body, from.headers);
          if (status !== 401) faults.push(`${kind} ${path}: ${status}`);
        } else if (kind === 'path') {
          // The other tenant's number at the process of one's own, with a token that counts there.
          const path = toReportAddress(to, report);
          const { status } = await post(from, path, body, from.headers);
          if (status !== 401) faults.push(`${kind} ${path}: ${status}`);
        } else if (kind === 'cursor') {
          const lastDocument = from.cursors.get(report) ?? '';
          const page = await callReport(to, report, { ...body, lastDocument }, to.headers);
          if (page.isValid || page.documents.length > 0) faults.push(`${kind} ${report}`);
        } else if (kind === 'credentials') {
          const { status } = await post(to, TOKEN, { ...from.credentials, tenant: to.tenant });
          if (status !== 401 && status !== 429) faults.push(`${kind}: ${status}`);
        } else {
          const page = await callReport(to, report, { ...WEEK, size: 3 }, to.headers);
          if (JSON.stringify(page.documents) !== to.pages.get(report)) faults.push(`${kind} ${report}`);
        }
      };
      let left = REQUESTS;
      const work = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await (random() < 0.5 ? attack(one, two) : attack(two, one));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      await stop();
      expect(faults).toEqual([]);
      for (const kind of KINDS) expect(seen.get(kind)).toBeGreaterThan(REQUESTS / 7);
    },
    120_000,
  );

  it('are behind a wall in the database too: a role that serves sees, adds and changes the rows of one tenant', async () => {
    const client = new pg.Client({ connectionString: server.servingUrl });
    await client.connect();
    try {
      await client.query('SET search_path = shared');
      const count = async (table: string): Promise<number> =>
        Number(((await client.query(`SELECT count(*) FROM ${table}`)).rows[0] as { count: string }).count);
      const tables = ['inbound_record', 'outbound_record', 'property', 'rollup', 'record_count', 'counter'];
      // Without a tenant there is nothing.
      for (const table of tables) expect(await count(table)).toBe(0);
      await client.query("SET channelscope.tenant = '501'");
      for (const table of tables) {
        expect(await count(table)).toBeGreaterThan(0);
        expect(await count(`${table} WHERE tenant <> 501`)).toBe(0);
      }
      const refused = [
        'INSERT INTO property VALUES (502, $$a$$, $$b$$)',
        'DELETE FROM inbound_record',
        'UPDATE inbound_record SET session = 1',
        'SELECT count(*) FROM inbound_record_t501_rest',
        'DROP TABLE property',
        "SELECT add_day_partition('inbound', 502, 1)",
        'CREATE TABLE mine (a integer)',
      ];
      for (const statement of refused)
        await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
      const { rowCount } = await client.query("UPDATE property SET value = 'x' WHERE tenant = 502");
      expect(rowCount).toBe(0);
    } finally {
      await client.end();
    }
  });
});

interface Arrangement {
  /** Where each tenant is served. */
  readonly urls: readonly string[];
  stop(): Promise<void>;
}

async function stopAll(services: readonly { stop(): Promise<void> }[]): Promise<void> {
  for (const service of services) await service.stop();
}
