import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { REPORT_KINDS, type ReportKind } from '../../../src-main/common/reporting/reports.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { authorise, post, toPeriod, toReportAddress } from '../../support/service/service-calls.ts';

const REQUESTS = 2_000;
const AT_ONCE = 8;
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const WEEK = toPeriod(NOW_MS - 7 * 86_400_000, NOW_MS);
const TOKEN = '/api/ServiceReporting/CreateToken';

interface Served {
  readonly service: RunningService;
  readonly headers: Record<string, string>;
  /** A cursor of each report that has a second page. */
  readonly cursors: ReadonlyMap<ReportKind, string>;
}

/**
 * The attack: a client with everything that one tenant was given asks for the records of another. Nothing of it counts
 * there: tokens and cursors are signed for their tenant, and the database shows a transaction the rows of one.
 */
describe.skipIf(findPostgres() === undefined)('two tenants on one PostgreSQL database', () => {
  let server: PostgresServer;
  let one: Served;
  let two: Served;
  beforeAll(async () => {
    server = await startPostgres();
    await server.migrate('shared');
    one = await serve(501);
    two = await serve(502);
  });
  afterAll(async () => {
    await one.service.stop();
    await two.service.stop();
    await server.stop();
  });

  const serve = async (tenant: number): Promise<Served> => {
    await server.addTenant('shared', tenant);
    const now = (): number => NOW_MS;
    const openStore = () =>
      openPostgresStore(
        { url: server.servingUrl, schema: 'shared', tenant },
        { now, reportError: () => undefined },
      );
    const service = await startTestService({ tenant, seed: tenant, now, openStore, requireToken: true });
    const headers = await authorise(service);
    const cursors = new Map<ReportKind, string>();
    for (const report of REPORT_KINDS) {
      const response = await post(service, toReportAddress(service, report), { ...WEEK, size: 3 }, headers);
      const { lastDocument } = (await response.json()) as { lastDocument: string };
      if (lastDocument !== '') cursors.set(report, lastDocument);
    }
    return { service, headers, cursors };
  };

  it(`refuse each other’s tokens, cursors and identifiers: ${REQUESTS} generated requests`, async () => {
    expect([one.cursors.size, two.cursors.size]).toEqual([4, 4]);
    const random = createRandom(20261123);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    const seen = new Map<string, number>();
    const faults: string[] = [];
    const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);

    /** What belongs to `from`, sent where `to` is served. */
    const attack = async (from: Served, to: Served): Promise<void> => {
      const kind = pick(['token', 'path', 'cursor', 'credentials'] as const);
      const report = pick(REPORT_KINDS);
      const body = { ...WEEK, size: pick([1, 50, 10_000]) };
      if (kind === 'token') {
        const path = pick([
          toReportAddress(to.service, report),
          `/api/ServiceReporting/Status/${to.service.tenant}`,
        ]);
        const { status } = await post(to.service, path, body, from.headers);
        if (status !== 401) faults.push(`${kind} ${path}: ${status}`);
      } else if (kind === 'path') {
        // The other tenant's number at the process of one's own, with a token that counts there.
        const path = toReportAddress({ ...from.service, tenant: to.service.tenant }, report);
        const { status } = await post(from.service, path, body, from.headers);
        if (status !== 401) faults.push(`${kind} ${path}: ${status}`);
      } else if (kind === 'cursor') {
        const lastDocument = from.cursors.get(report) ?? '';
        const path = toReportAddress(to.service, report);
        const response = await post(to.service, path, { ...body, lastDocument }, to.headers);
        const page = (await response.json()) as { isValid: boolean; documents?: unknown[] };
        if (page.isValid || (page.documents ?? []).length > 0) faults.push(`${kind} ${report}`);
      } else {
        const { accessToken, accessTokenSecret, tenant } = from.service;
        const given = { accessToken, accessTokenSecret, tenant: pick([tenant, to.service.tenant]) };
        const { status } = await post(to.service, TOKEN, given);
        if (status !== 401 && status !== 429) faults.push(`${kind}: ${status}`);
      }
      count(kind);
    };
    let left = REQUESTS;
    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await (random() < 0.5 ? attack(one, two) : attack(two, one));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(faults).toEqual([]);
    for (const kind of ['token', 'path', 'cursor', 'credentials'])
      expect(seen.get(kind)).toBeGreaterThan(300);
  }, 120_000);

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
