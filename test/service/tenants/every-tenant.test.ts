import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { REPORT_KINDS, type ReportKind } from '../../../src-main/common/reporting/reports.ts';
import { startHealth } from '../../../src-main/service/http/start-health.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import type { ServingTenants } from '../../../src-main/service/tenants/serve-every-tenant.ts';
import { connectPostgres } from '../../../src-main/service/store-postgres/connect.ts';
import { openPostgresDatabase } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import {
  addSampleTenant,
  administerTenants,
  startEveryTenant,
  type EveryTenantOptions,
  type TenantCredentials,
} from '../../support/service/every-tenant.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import {
  authorise,
  callReport,
  post,
  toPeriod,
  toReportAddress,
} from '../../support/service/service-calls.ts';

const SCHEMA = 'channelscope';
const TOKEN = '/api/ServiceReporting/CreateToken';
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const now = (): number => NOW_MS;
const WEEK = toPeriod(NOW_MS - 8 * 86_400_000, NOW_MS);
/** EVERY_TENANTS=16 for the whole of it. */
const TENANTS = Number(process.env['EVERY_TENANTS'] ?? 6);
const CLIENTS = 3 * TENANTS;
const REQUESTS_EACH = 8;

describe.skipIf(findPostgres() === undefined)('one process for every tenant of a database', () => {
  let server: PostgresServer;
  const running: ServingTenants[] = [];
  beforeAll(async () => {
    server = await startPostgres();
    await server.migrate(SCHEMA);
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop();
  });
  const start = async (options: EveryTenantOptions = {}): Promise<ServingTenants> => {
    const serving = await startEveryTenant(server, SCHEMA, { now, ...options });
    running.push(serving);
    return serving;
  };
  const administer = (...words: string[]): Promise<unknown[]> => administerTenants(server, SCHEMA, ...words);
  const add = async (tenant: number): Promise<TenantCredentials> =>
    ((await administer('add', String(tenant))) as [TenantCredentials])[0];
  const createToken = async ({ url }: ServingTenants, given: TenantCredentials): Promise<number> =>
    (await post({ url, tenant: given.tenant }, TOKEN, given)).status;
  const readStatus = async (
    { url }: ServingTenants,
    tenant: number | string,
    headers: Record<string, string> = {},
  ): Promise<number> =>
    (await fetch(`${url}/api/ServiceReporting/Status/${tenant}`, { method: 'POST', headers })).status;

  it(`S31: answers ${CLIENTS} clients of ${TENANTS} tenants at once, each with its own records and no others`, async () => {
    const tenants: TenantCredentials[] = [];
    for (let tenant = 1; tenant <= TENANTS; tenant += 1)
      tenants.push(await addSampleTenant(server, SCHEMA, { tenant, records: 40 + tenant, now }));
    const processes = [await start(), await start()];
    const random = createRandom(11);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    const read = async (of: TenantCredentials, report: ReportKind, headers: Record<string, string>) => {
      const documents: unknown[] = [];
      let lastDocument = '';
      do {
        const at = { url: pick(processes).url, tenant: of.tenant };
        const body = { ...WEEK, size: pick([7, 30, 1_000]), lastDocument };
        const page = await callReport(at, report, body, headers);
        documents.push(...page.documents);
        ({ lastDocument } = page);
      } while (lastDocument !== '');
      return documents;
    };
    // One after the other, and as each was made: with as many records as only it has.
    const truth = new Map<number, ReadonlyMap<ReportKind, string>>();
    for (const each of tenants) {
      const headers = await authorise({ ...each, url: pick(processes).url });
      const texts = new Map<ReportKind, string>();
      for (const report of REPORT_KINDS) texts.set(report, JSON.stringify(await read(each, report, headers)));
      expect((JSON.parse(texts.get('inbound-detail')!) as unknown[]).length).toBe(40 + each.tenant);
      truth.set(each.tenant, texts);
    }
    expect(new Set([...truth.values()].map((texts) => texts.get('inbound-detail'))).size).toBe(TENANTS);

    const faults: string[] = [];
    const live = async (of: TenantCredentials): Promise<void> => {
      const headers = await authorise({ ...of, url: pick(processes).url });
      for (let request = 0; request < REQUESTS_EACH; request += 1) {
        const report = pick(REPORT_KINDS);
        const documents = JSON.stringify(await read(of, report, headers));
        if (documents !== truth.get(of.tenant)!.get(report)) faults.push(`${of.tenant}: another ${report}`);
        const other = pick(tenants.filter((each) => each !== of));
        if ((await readStatus(pick(processes), other.tenant, headers)) !== 401)
          faults.push(`${of.tenant} reads the status of ${other.tenant}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => live(tenants[index % TENANTS]!)));
    expect(faults).toEqual([]);
  }, 180_000);

  it('takes note of tenants that are added, given new credentials and removed, without a start', async () => {
    let elapsedMs = 0;
    const serving = await start({ elapsedMs: () => elapsedMs });
    const first = await add(501);
    const other = await add(502);
    const at = { url: serving.url, tenant: 501 };
    // At once, where somebody has the credentials.
    expect(await createToken(serving, first)).toBe(200);
    const headers = await authorise({ ...first, ...at });
    const page = await callReport(at, 'inbound-detail', WEEK, headers);
    expect([page.totalDocument, page.documents]).toEqual([0, []]);

    const [second] = (await administer('rotate', '501')) as [TenantCredentials];
    expect(await createToken(serving, first)).toBe(401);
    expect(await createToken(serving, second)).toBe(200);
    expect(await readStatus(serving, 501, headers)).toBe(200);

    await administer('remove', '501', '--forget-records');
    expect(await createToken(serving, second)).toBe(401);
    elapsedMs += 2_000;
    expect(await readStatus(serving, 501, headers)).toBe(401);
    expect(await createToken(serving, other)).toBe(200);

    // The same number again is another tenant.
    const again = await add(501);
    elapsedMs += 2_000;
    expect(await readStatus(serving, 501, headers)).toBe(401);
    expect(await createToken(serving, second)).toBe(401);
    expect(await readStatus(serving, 501, await authorise({ ...again, ...at }))).toBe(200);
  });

  it('refuses a tenant that is removed and added again between two looks, with everything of the one before', async () => {
    let elapsedMs = 0;
    const serving = await start({ elapsedMs: () => elapsedMs });
    const sample = await addSampleTenant(server, SCHEMA, { tenant: 511, records: 60, now });
    const at = { url: serving.url, tenant: 511 };
    const headers = await authorise({ ...sample, ...at });
    const page = await callReport(at, 'inbound-detail', { ...WEEK, size: 10 }, headers);
    await administer('remove', '511', '--forget-records');
    const again = await add(511);
    elapsedMs += 2_000;
    expect(await readStatus(serving, 511, headers)).toBe(401);
    const fresh = await authorise({ ...again, ...at });
    const cursor = { ...WEEK, size: 10, lastDocument: page.lastDocument };
    expect(await callReport(at, 'inbound-detail', cursor, fresh)).toMatchObject({ isValid: false });
    expect((await callReport(at, 'inbound-detail', WEEK, fresh)).totalDocument).toBe(0);
  });

  it('leaves nothing of a tenant that was removed, also where a process still writes for it', async () => {
    const { url } = server;
    const database = await openPostgresDatabase(
      { url, schema: SCHEMA },
      { now, reportError: () => undefined },
    );
    try {
      await add(515);
      const store = await database.openTenant(515);
      await store.writeProperties({ before: '1' });
      await administer('remove', '515', '--forget-records');
      await store.writeProperties({ afterwards: '1' });
      expect(await store.shared?.changeProperty('token_keys', () => 'new')).toBe('new');
      expect(await database.readProperties(515)).toEqual({});
    } finally {
      await database.close();
    }
  });

  it.each(['0501', '+501', '5e2', '9007199254740993', '-1', 'x', '99999999', '1 OR 1=1'])(
    'answers 401 for tenant %s',
    async (tenant) => {
      const serving = await start({ requireToken: false });
      expect(await readStatus(serving, encodeURIComponent(tenant))).toBe(401);
    },
  );

  it('S32: counts refused credentials by tenant, and of one address for all tenants in the end', async () => {
    // Those that other tests left.
    await server.run(`DELETE FROM ${SCHEMA}.refused_address`);
    const mine = await add(521);
    const other = await add(522);
    const [one, two] = [await start(), await start()];
    const wrong = { ...mine, accessTokenSecret: 'wrong' };
    const statuses: number[] = [];
    for (let turn = 0; turn < 12; turn += 1)
      statuses.push(await createToken(turn % 2 === 0 ? one : two, wrong));
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    // Another tenant's callers from the same address are not slowed down, at neither process.
    for (const each of [one, two]) expect(await createToken(each, other)).toBe(200);
    expect(await createToken(one, mine)).toBe(429);
    // One that tries every number there is, though, is slowed down for all of them; unknown ones look the same.
    const guesses: number[] = [];
    for (let tenant = 10_000; tenant < 10_100; tenant += 1)
      guesses.push(await createToken(one, { ...wrong, tenant }));
    expect(guesses.slice(0, 90)).toEqual(Array.from({ length: 90 }, () => 401));
    expect(guesses.slice(90)).toEqual(Array.from({ length: 10 }, () => 429));
    for (const each of [one, two]) expect(await createToken(each, other)).toBe(429);
    expect(Number(await server.read(`SELECT count(*) FROM ${SCHEMA}.refused_address`))).toBeLessThan(120);
    await server.run(`DELETE FROM ${SCHEMA}.refused_address`);
  });

  it('S31: keeps no tenant in a connection that goes back to the pool, whatever became of its transaction', async () => {
    const pool = connectPostgres({ url: server.servingUrl, schema: SCHEMA }, () => undefined);
    const random = createRandom(7);
    const endings = [
      'SELECT 1',
      'SELECT 1 / 0',
      'SELECT pg_terminate_backend(pg_backend_pid())',
      'INSERT INTO property VALUES (1, $$a$$, $$b$$)',
    ];
    const faults: string[] = [];
    const use = async (): Promise<void> => {
      for (let turn = 0; turn < 40; turn += 1) {
        const tenant = 1 + Math.floor(random() * TENANTS);
        const ending = endings[Math.floor(random() * endings.length)]!;
        const own = pool.forTenant(tenant);
        await (random() < 0.5 ? own.read : own.transact)(async (connection) => {
          const [row] = await connection.query<[string, number]>(
            "SELECT current_setting('channelscope.tenant'), (SELECT count(DISTINCT tenant) FROM property)",
          );
          if (row?.[0] !== String(tenant) || row[1] > 1) faults.push(`${tenant} sees ${String(row)}`);
          await connection.query(ending);
        }).catch(() => undefined);
        const [left] = await pool.read((connection) =>
          connection.query<[string | null]>(
            "SELECT nullif(current_setting('channelscope.tenant', true), '')",
          ),
        );
        if (left?.[0] !== null) faults.push(`a connection kept ${String(left?.[0])}`);
      }
    };
    try {
      await Promise.all(Array.from({ length: 16 }, use));
      expect(faults).toEqual([]);
    } finally {
      await pool.close();
    }
  });

  it('has as many figures for hundreds of tenants as for one', async () => {
    const addresses = { metricsHost: '127.0.0.1', metricsPort: 0, publicHosts: [] };
    const health = await startHealth(addresses, { now, reportError: () => undefined });
    const serving = await start({ health, requireToken: false });
    const readNames = async (): Promise<string[]> => {
      const text = await (await fetch(`${health.url}/metrics`)).text();
      const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      return samples
        .map((line) => line.replace(/ \S+$/, ''))
        .filter((name) => !/^(nodejs|process)_/.test(name));
    };
    try {
      await addSampleTenant(server, SCHEMA, { tenant: 541, records: 60, now });
      expect(await readStatus(serving, 541)).toBe(200);
      expect(await readStatus(serving, 20_000)).toBe(401);
      const before = await readNames();
      expect(before).toContain('channelscope_records_lag_seconds');
      expect((await fetch(`${health.url}/healthz/ready`)).status).toBe(200);
      for (let tenant = 20_001; tenant < 20_300; tenant += 1) await readStatus(serving, tenant);
      for (let tenant = 551; tenant < 560; tenant += 1) await server.addTenant(SCHEMA, tenant);
      expect(await readNames()).toEqual(before);
    } finally {
      await health.close();
    }
  });

  it('S32: lets no tenant take all of a process: others are answered while one waits for its records', async () => {
    await add(531);
    const other = await add(532);
    const serving = await start({ requireToken: false, waitSeconds: 4 });
    const address = toReportAddress({ ...serving, tenant: 531 }, 'inbound-detail');
    expect((await post({ ...serving, tenant: 531 }, address, WEEK)).status).toBe(200);
    const release = await server.hold(`LOCK TABLE ${SCHEMA}.inbound_record_t531`);
    try {
      const waiting = Array.from({ length: 150 }, () => post({ ...serving, tenant: 531 }, address, WEEK));
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => callReport({ ...serving, tenant: 532 }, 'inbound-summary', WEEK)),
      );
      expect(answers.map(({ totalDocument }) => totalDocument)).toEqual(Array.from({ length: 20 }, () => 0));
      const statuses = (await Promise.all(waiting)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([503]));
      expect(await createToken(serving, other)).toBe(200);
    } finally {
      await release();
    }
    await expect.poll(async () => (await post({ ...serving, tenant: 531 }, address, WEEK)).status).toBe(200);
    running.splice(0);
    // The waits were reported, which is what a stop of this service fails for.
    await expect(serving.stop()).rejects.toThrow('The service met errors');
  });
});
