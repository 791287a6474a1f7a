import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RecordFilter } from '../../../src-main/common/model/records/record-filter.ts';
import { checkRegex } from '../../../src-main/common/query/text-tests.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { ChildProcess } from '../../../src-main/node/fork-process.ts';
import { createRandom } from '../../support/samples/random-input.ts';
import {
  createDocument,
  createFolder,
  fillSnapshot,
  openTestCache,
  openTestEngine,
} from '../cache/cache-fixture.ts';

let cache: Cache;
let engine: Engine;
let processes: ChildProcess[];
let place: Awaited<ReturnType<typeof createFolder>>;
const order = [{ column: 'received' as const, descending: false }];
/** Of any texts it has to remember where each of forty characters was: minutes for these records. */
const SLOW: RecordFilter = { conditions: [{ field: 'payload', regex: '(a|aa|b)*a.{40}q' }] };

beforeEach(async () => {
  place = await createFolder();
  cache = await openTestCache(place.file);
  processes = [];
  engine = openTestEngine(place.file, processes, undefined, { patternLimitMs: 4000 });
});
afterEach(async () => {
  await engine.close();
  await cache.close();
  await place.remove();
});

it('stops a regular expression that would run for minutes, and goes on with everything else', async () => {
  expect(checkRegex('(a|aa|b)*a.{40}q')).toBeNull();
  const random = createRandom(1);
  const draw = (length: number): string =>
    Array.from({ length }, () => 'abc'[Math.floor(random() * 3)]).join('');
  const text = draw(12_000);
  const snapshotId = await fillSnapshot(
    cache,
    Array.from({ length: 2000 }, (_, index) => createDocument(index, { Payload: `${text}${index}` })),
  );
  const scope = { snapshotId };
  const { rowCount } = await engine.openView({ scope, filter: { conditions: [] }, order });
  await expect(engine.openView({ scope, filter: SLOW, order }).then(() => 'opened')).rejects.toMatchObject({
    code: 'analysis.too-slow',
  });
  // What is known to be slow isn't begun again.
  const before = processes.length;
  await expect(engine.openView({ scope, filter: SLOW, order })).rejects.toMatchObject({
    code: 'analysis.too-slow',
  });
  await expect(engine.readFields({ scope, filter: SLOW, viewId: 'x' })).rejects.toMatchObject({
    code: 'analysis.too-slow',
  });
  expect(processes.length).toBe(before);
  // The process that didn't hear of it has gone; another one answers.
  await vi.waitFor(() => expect(processes.length).toBeGreaterThan(1), { timeout: 60_000 });
  expect((await engine.openView({ scope, filter: { conditions: [] }, order })).rowCount).toBe(rowCount);
  const quick: RecordFilter = { conditions: [{ field: 'payload', regex: '^[abc]+7$' }] };
  const few = await fillSnapshot(cache, [createDocument(1, { Payload: `${text}7` })]);
  const found = await engine.openView({ scope: { snapshotId: few }, filter: quick, order });
  expect((await engine.countView(found.viewId)).rowCount).toBe(1);
}, 240_000);

it('says what is wrong with a pattern that can not be run, whoever asks', async () => {
  const snapshotId = await fillSnapshot(cache, [createDocument(1)]);
  for (const regex of ['a(', '(?=a)', '(a)\\1', '(a{100}){100}', 'a\0']) {
    const filter: RecordFilter = { conditions: [{ field: 'error', regex }] };
    await expect(engine.openView({ scope: { snapshotId }, filter, order })).rejects.toMatchObject({
      code: 'app.invalid-input',
    });
  }
  const many: RecordFilter = { conditions: [{ field: 'channel', values: [1] }] };
  const alternatives: RecordFilter = { conditions: [{ any: Array.from({ length: 51 }, () => many) }] };
  await expect(engine.openView({ scope: { snapshotId }, filter: alternatives, order })).rejects.toMatchObject(
    { code: 'app.invalid-input' },
  );
});
