import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { portOf, sendRaw, toRawRequest } from '../../support/network/raw-socket.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { post } from '../../support/service/service-calls.ts';

const STATUS = '/api/ServiceReporting/Status/1001';
const TOKEN = '/api/ServiceReporting/CreateToken';
const HOUR_MS = 3_600_000;

describe('tokens that no client should send', () => {
  let service: RunningService;
  let nowMs = Date.UTC(2026, 10, 20, 12);
  let elapsedMs = 0;
  let token: string;
  beforeAll(async () => {
    service = await startTestService({ records: 200, now: () => nowMs, elapsedMs: () => elapsedMs });
    token = await readToken();
  });
  afterAll(() => service.stop());

  const create = (secret: string): Promise<Response> => {
    const { accessToken, tenant } = service;
    return post(service, TOKEN, { accessToken, accessTokenSecret: secret, tenant });
  };
  const readToken = async (): Promise<string> =>
    ((await (await create(service.accessTokenSecret)).json()) as { token: string }).token;
  const createMany = (count: number, headers: Record<string, string> = {}): Promise<string[]> => {
    const { accessToken, accessTokenSecret, tenant } = service;
    const body = { accessToken, accessTokenSecret, tenant };
    return Promise.all(
      Array.from({ length: count }, async () => {
        const answer = await post(service, TOKEN, body, headers);
        return ((await answer.json()) as { token: string }).token;
      }),
    );
  };
  const call = async (authorization: string): Promise<Response> =>
    post(service, STATUS, undefined, { authorization });
  const countStatuses = (answers: readonly Response[], status: number): number =>
    answers.filter((answer) => answer.status === status).length;

  it('S24: takes the whole token only, from the header only, and says nothing about what is wrong', async () => {
    const other = await readToken();
    const last = token.endsWith('0') ? '1' : '0';
    const wrong = [
      token.slice(0, -1) + last,
      token.slice(0, 40),
      token.slice(0, 13) + other.slice(13),
      `${token}A`,
      token.toUpperCase(),
      '',
      `${token},${token}`,
      `"${token}"`,
    ];
    for (const each of wrong) {
      const answer = await call(`bearer ${each}`);
      expect([answer.status, await answer.text()]).toEqual([401, '']);
    }
    for (const scheme of ['Basic', 'Token', 'bearer:', '']) {
      expect((await call(`${scheme} ${token}`)).status).toBe(401);
    }
    const inTarget = `${STATUS}?access_token=${token}`;
    expect((await post(service, inTarget, undefined, { authorization: 'bearer x' })).status).toBe(401);
    for (const scheme of ['bearer', 'BEARER']) expect((await call(`${scheme} ${token}`)).status).toBe(200);
  });

  it('S24: refuses two Authorization lines, and one of a megabyte', async () => {
    const port = portOf(service);
    const host = `Host: 127.0.0.1:${port}`;
    const line = `Authorization: bearer ${token}`;
    expect((await sendRaw(port, toRawRequest(STATUS, host, line))).status).toBe(200);
    expect((await sendRaw(port, toRawRequest(STATUS, host, line, line))).status).toBe(401);
    const huge = toRawRequest(STATUS, host, `Authorization: bearer ${'a'.repeat(1_000_000)}`);
    expect((await sendRaw(port, huge)).status).toBe(431);
  });

  it('S24: takes as long to refuse an unknown token as one that is nearly right', async () => {
    const near = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    const unknown = 'a'.repeat(near.length);
    const time = async (text: string): Promise<number> => {
      const startedMs = performance.now();
      await call(`bearer ${text}`);
      return performance.now() - startedMs;
    };
    const rounds = 300;
    let nearWasSlower = 0;
    for (let round = 0; round < rounds; round += 1) {
      // Each is first as often as the other.
      const isNearFirst = round % 2 === 0;
      const first = await time(isNearFirst ? near : unknown);
      const second = await time(isNearFirst ? unknown : near);
      if (isNearFirst === first > second) nearWasSlower += 1;
    }
    // By chance it is the slower one in half of the rounds, however busy the machine is.
    expect(nearWasSlower).toBeGreaterThan(rounds / 4);
    expect(nearWasSlower).toBeLessThan((rounds * 3) / 4);
  });

  it('S25: 1,000 wrong credentials are slowed down after ten; a token in use goes on', async () => {
    const answers: Response[] = [];
    for (let batch = 0; batch < 20; batch += 1) {
      answers.push(...(await Promise.all(Array.from({ length: 50 }, () => create('wrong')))));
    }
    expect(countStatuses(answers, 401)).toBe(10);
    expect(countStatuses(answers, 429)).toBe(990);
    expect(answers.at(-1)?.headers.get('retry-after')).toBe('60');
    expect((await call(`bearer ${token}`)).status).toBe(200);
    elapsedMs += 60_000;
    expect((await create(service.accessTokenSecret)).status).toBe(200);
  });

  it('S25: a clock that is set back makes nobody wait longer', async () => {
    nowMs -= 24 * HOUR_MS;
    expect((await create('wrong')).status).toBe(401);
    expect((await create(service.accessTokenSecret)).status).toBe(200);
    nowMs += 24 * HOUR_MS;
    elapsedMs += 60_000;
  });

  it('S26: 50 requests at once get 50 different tokens, as no operation knows an idempotency key', async () => {
    const tokens = await createMany(50, { 'idempotency-key': 'same' });
    expect(new Set(tokens).size).toBe(50);
    const answers = await Promise.all(tokens.map((each) => call(`bearer ${each}`)));
    expect(countStatuses(answers, 200)).toBe(50);
  });

  it('S26: of 50 wrong requests at once ten are refused and the rest slowed down', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create('wrong')));
    expect(countStatuses(answers, 401)).toBe(10);
    expect(countStatuses(answers, 429)).toBe(40);
    elapsedMs += 60_000;
  });

  it('S27: a token that ends (none is revoked) ends for all requests that begin afterwards', async () => {
    const ending = await readToken();
    const callMany = (): Promise<Response[]> =>
      Promise.all(Array.from({ length: 100 }, () => call(`bearer ${ending}`)));
    expect(countStatuses(await callMany(), 200)).toBe(100);
    elapsedMs += HOUR_MS;
    expect(countStatuses(await callMany(), 401)).toBe(100);
  });

  it('S30: a token ends by whichever clock says so first', async () => {
    const early = await readToken();
    nowMs -= 24 * HOUR_MS;
    expect((await call(`bearer ${early}`)).status).toBe(200);
    elapsedMs += HOUR_MS;
    expect((await call(`bearer ${early}`)).status).toBe(401);
    const late = await readToken();
    nowMs += 24 * HOUR_MS;
    expect((await call(`bearer ${late}`)).status).toBe(401);
  });
});
