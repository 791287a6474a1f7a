import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { openPostgresStore } from '../../../src-main/service/store-postgres/open-postgres-store.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/service/postgres-server.ts';
import { startTestService, type TestServiceOptions } from '../../support/service/running-service.ts';
import { callReport, post, toPeriod, toReportAddress } from '../../support/service/service-calls.ts';

const TOKEN_PATH = '/api/ServiceReporting/CreateToken';
const STATUS_PATH = '/api/ServiceReporting/Status/1001';
const DAY_MS = 86_400_000;

describe.skipIf(findPostgres() === undefined)('processes that serve one database', () => {
  let server: PostgresServer;
  let folder: string;
  let schemas = 0;
  let schema = '';
  let nowMs = Date.UTC(2026, 10, 20, 12);
  const services: RunningService[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'processes-'));
    schemas += 1;
    schema = `processes_${schemas}`;
    await server.migrate(schema);
    nowMs = Date.UTC(2026, 10, 20, 12);
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const now = (): number => nowMs;
  /** They share the folder of the credentials, as copies of one would. */
  const start = async (options: TestServiceOptions = {}): Promise<RunningService> => {
    const openStore = () =>
      openPostgresStore({ url: server.url, schema, tenant: 1001 }, { now, reportError: () => undefined });
    const given = { now, openStore, dataFolder: folder, requireToken: true, records: 300, days: 2 };
    const service = await startTestService({ ...given, ...options });
    services.push(service);
    return service;
  };
  const create = (at: RunningService, secret = at.accessTokenSecret): Promise<Response> => {
    const { accessToken, tenant } = at;
    return post(at, TOKEN_PATH, { accessToken, accessTokenSecret: secret, tenant });
  };
  const readToken = async (at: RunningService): Promise<string> =>
    ((await (await create(at)).json()) as { token: string }).token;
  const readStatus = async (at: RunningService, token: string): Promise<number> =>
    (await post(at, STATUS_PATH, undefined, { authorization: `bearer ${token}` })).status;

  it('take each other’s tokens, also after the one that issued them has ended', async () => {
    const [one, two] = [await start(), await start()];
    const token = await readToken(one);
    expect(await readStatus(two, token)).toBe(200);
    await one.stop();
    expect(await readStatus(two, token)).toBe(200);
    const three = await start();
    expect(await readStatus(three, token)).toBe(200);
    expect(await readStatus(three, await readToken(two))).toBe(200);
  });

  it('let a token end everywhere when its time is over, and take no altered one', async () => {
    const [one, two] = [await start({ tokenMinutes: 5 }), await start({ tokenMinutes: 5 })];
    const [token, other] = [await readToken(one), await readToken(one)];
    const halves = token.slice(0, 40) + other.slice(40);
    for (const wrong of [halves, token.slice(0, -1), `${token}0`, token.replace('cst3', 'cst2')]) {
      expect(await readStatus(two, wrong)).toBe(401);
    }
    nowMs += 299_999;
    expect(await readStatus(two, token)).toBe(200);
    nowMs += 1;
    for (const each of [one, two]) expect(await readStatus(each, token)).toBe(401);
  });

  it('replace the key of tokens without refusing one that it signed, and forget it in the end', async () => {
    let elapsedMs = 0;
    const elapse = (): number => elapsedMs;
    const [one, two] = [await start({ elapsedMs: elapse }), await start({ elapsedMs: elapse })];
    const readKeys = async () => {
      const text = await server.read(`SELECT value FROM ${schema}.property WHERE name = 'token_keys'`);
      return (JSON.parse(text) as { id: string; sinceMs: number }[]).map(({ id }) => id);
    };
    const before = await readKeys();
    expect(before).toHaveLength(1);
    nowMs += 7 * DAY_MS - 300_000;
    const old = await readToken(one);
    const three = await start();
    expect(await readKeys()).toHaveLength(2);
    // Not yet known everywhere: the old key goes on signing for five minutes.
    nowMs += 300_000;
    elapsedMs += 2_000;
    const fresh = await readToken(three);
    expect(fresh.slice(16, 20)).not.toBe(old.slice(16, 20));
    for (const each of [one, two, three]) {
      expect(await readStatus(each, old)).toBe(200);
      expect(await readStatus(each, fresh)).toBe(200);
    }
    nowMs += 3_600_000 + 300_000;
    await start();
    expect(await readKeys()).toHaveLength(1);
    expect(await readKeys()).not.toEqual(before);
  });

  it('take no token of keys that were removed, and make new ones', async () => {
    let elapsedMs = 0;
    const one = await start({ elapsedMs: () => elapsedMs });
    const token = await readToken(one);
    await server.run(`DELETE FROM ${schema}.property WHERE name = 'token_keys'`);
    const two = await start();
    expect(await readStatus(two, token)).toBe(401);
    elapsedMs += 2_000;
    expect(await readStatus(one, await readToken(two))).toBe(200);
    expect(await readStatus(one, token)).toBe(401);
  });

  it('continue a walk that another began', async () => {
    const [one, two] = [await start(), await start()];
    const authorization = `bearer ${await readToken(one)}`;
    const period = { ...toPeriod(nowMs - 3 * DAY_MS, nowMs), size: 50 };
    const seen: unknown[] = [];
    let lastDocument = '';
    for (let turn = 0; turn === 0 || lastDocument !== ''; turn += 1) {
      const at = turn % 2 === 0 ? one : two;
      const page = await callReport(at, 'inbound-detail', { ...period, lastDocument }, { authorization });
      seen.push(...page.documents);
      lastDocument = page.lastDocument;
    }
    const whole = await callReport(one, 'inbound-detail', { ...period, size: 10_000 }, { authorization });
    expect(seen).toEqual(whole.documents);
    expect(seen).toHaveLength(300);
  });

  it('count refused credentials together: of 60 at once ten are refused and the rest slowed down', async () => {
    const all = [await start(), await start(), await start()];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => create(all[index % 3]!, 'wrong')),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
    for (const each of all) {
      const slowed = await create(each);
      expect(slowed.status).toBe(429);
      expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await server.run(`DELETE FROM ${schema}.refused_address`);
    const another = await start();
    expect((await create(another)).status).toBe(200);
  });

  it('answer 503 with Retry-After within their limit while the database does not respond', async () => {
    const one = await start({ waitSeconds: 4 });
    const authorization = `bearer ${await readToken(one)}`;
    const release = await server.hold(`LOCK TABLE ${schema}.inbound_record, ${schema}.property`);
    try {
      const period = toPeriod(nowMs - DAY_MS, nowMs);
      const address = toReportAddress(one, 'inbound-detail');
      const answers = await Promise.all([
        post(one, address, period, { authorization }),
        post(one, STATUS_PATH, undefined, { authorization }),
      ]);
      for (const answer of answers) {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      }
    } finally {
      await release();
    }
    services.splice(0);
    expect((await post(one, STATUS_PATH, undefined, { authorization })).status).toBe(200);
    // The waits were reported, which is what a stop of these services fails for.
    await expect(one.stop()).rejects.toThrow('The service met errors');
  });
});
