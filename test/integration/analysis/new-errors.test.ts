import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Finding } from '../../../src-main/common/model/analysis/finding.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import { readFindings } from '../../../src-main/core/findings/read-findings.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  openTestEngine,
  type TestDocument,
} from '../cache/cache-fixture.ts';

const MINUTE_MS = 60_000;
const DAYS = 8;
const FROM_MS = Date.UTC(2026, 9, 1);
const TO_MS = FROM_MS + DAYS * 1440 * MINUTE_MS;
const ONSET_MS = TO_MS - 120 * MINUTE_MS;

let cache: Cache;
let engine: Engine;
let close: () => Promise<void>;
beforeAll(async () => {
  const place = await createFolder();
  cache = await openTestCache(place.file);
  engine = openTestEngine(place.file, [], { memoryLimitMb: 256, threads: 2 });
  close = async () => {
    await engine.close();
    await cache.close();
    await place.remove();
  };
});
afterAll(() => close());

type Failure = Pick<TestDocument, 'ReponseCode' | 'Error'>;

/** A request a minute, of which some failed: `toFailure` says how, of a moment and a number drawn below 100. */
async function fill(
  connectionId: string,
  toFailure: (dateMs: number, drawn: number) => Failure | null,
): Promise<void> {
  const random = createRandom(5);
  const documents = Array.from({ length: DAYS * 1440 }, (_none, minute) => {
    const dateMs = FROM_MS + minute * MINUTE_MS;
    return createDocument(minute, {
      Id: `00000000-0000-4000-8000-${String(minute).padStart(12, '0')}`,
      Date: new Date(dateMs).toISOString(),
      ...{ Channel: 3, Service: 7, Client: `client ${minute % 40}`, ReponseTime: 100 },
      ...(toFailure(dateMs, random() * 100) ?? { ReponseCode: 200, Error: '' }),
    });
  });
  const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const lastMs = TO_MS - 1000;
  const period = {
    startDate: write(FROM_MS),
    endDate: write(lastMs),
    fromMs: FROM_MS,
    toMs: lastMs,
    zone: 'UTC',
  };
  await fillSnapshot(cache, documents, { connectionId, period, startedAtMs: TO_MS + 86_400_000 }, 5_000);
}

const find = async (connectionId: string): Promise<readonly Finding[]> => {
  const parts = { cache, engine, ledger: openLedger(cache) };
  const report = await readFindings(parts, connectionId, TO_MS, { untilMs: TO_MS });
  return report.findings;
};
const toScope = (connectionId: string) => ({
  connectionId,
  report: 'inbound-detail' as const,
  fromMs: FROM_MS,
  toMs: TO_MS,
});
const toJson = (code: string, drawn: number): string =>
  JSON.stringify({
    error: { code, message: `Refused for ${Math.floor(drawn * 1e6)}`, trace: `a${Math.floor(drawn * 1e9)}` },
  });

it('a new error in JSON is a family of its own, a finding, and new for an alert', async () => {
  await fill('json', (dateMs, drawn) => {
    if (dateMs >= ONSET_MS && drawn < 60)
      return { ReponseCode: 200, Error: toJson('template_paused', drawn) };
    return drawn < 3 ? { ReponseCode: 200, Error: toJson('rate_limited', drawn) } : null;
  });
  const scope = toScope('json');
  const filter = { conditions: [] };
  const { families } = await engine.findErrorFamilies({ scope, filter, period: scope });
  expect(families.map(({ pattern }) => /rate_limited|template_paused/.exec(pattern)?.[0]).toSorted()).toEqual(
    ['rate_limited', 'template_paused'],
  );
  const found = await find('json');
  expect(found.map(({ errorFamily }) => errorFamily ?? '').join()).toContain('template_paused');
  // One list of all that is watched, since no value is watched by itself.
  const [alerted = []] = await engine.findNewFamilies({ scope, filter, fromMs: ONSET_MS, toMs: TO_MS });
  expect(alerted).toHaveLength(1);
  expect(alerted[0]).toBeGreaterThanOrEqual(ONSET_MS);
  expect(
    await engine.findNewFamilies({ scope, filter, fromMs: ONSET_MS - 86_400_000, toMs: ONSET_MS }),
  ).toEqual([[]]);
}, 120_000);

it.each([0, 200, -1, 422, 503])(
  'an error with code %i that was known is found where it grows from one in a hundred to 43',
  async (code) => {
    const connectionId = `code ${code}`;
    await fill(connectionId, (dateMs, drawn) =>
      drawn < (dateMs >= ONSET_MS ? 43 : 1)
        ? { ReponseCode: code, Error: `No answer in ${Math.floor(drawn * 90)} ms` }
        : null,
    );
    const found = await find(connectionId);
    const grown = found.find(({ errorFamily }) => errorFamily === 'No answer in <number>');
    expect(grown).toMatchObject({ kind: 'errors-up' });
    expect(Math.abs((grown?.sinceMs ?? 0) - ONSET_MS)).toBeLessThanOrEqual(20 * MINUTE_MS);
  },
  120_000,
);
