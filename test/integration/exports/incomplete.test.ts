import { EXPORT_FORMATS, toFormatRow } from '../../../src-main/common/model/exports/export-options.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Input } from '../../../src-main/common/contract/index.ts';
import { createRecord } from '../../support/fakes/fake-export-parts.ts';
import { createExportRig } from './export-rig.ts';

const FROM_MS = Date.UTC(2026, 10, 19);
const DAY_MS = 86_400_000;
/** The first of these days is cached. */
const TWO_DAYS = {
  scope: { connectionId: 'c', report: 'inbound-detail', fromMs: FROM_MS, toMs: FROM_MS + 2 * DAY_MS },
  filter: { conditions: [] },
  order: [{ column: 'received', descending: false }],
  includePayload: false,
  format: 'csv',
} satisfies Input<'exports/start'>;
const ONE_DAY = { ...TWO_DAYS, scope: { ...TWO_DAYS.scope, toMs: FROM_MS + DAY_MS } };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incomplete-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const write = (input: Input<'exports/start'>) =>
  createExportRig({ folder, records: [createRecord(0)] }).write(input);
const readManifest = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(`${file}.manifest.json`, 'utf8').catch(() => 'null'));

it.each(EXPORT_FORMATS.filter((format) => toFormatRow(format).isSilent))(
  'a %s from which something is missing says so in its name, beside it and in its result',
  async (format) => {
    const { file, task, suggested } = await write({ ...TWO_DAYS, format });
    expect(suggested).toBe(`inbound-detail_1001_2026-11-19_to_2026-11-20_incomplete.${format}`);
    const missing = { fromMs: FROM_MS + DAY_MS, toMs: FROM_MS + 2 * DAY_MS };
    expect(task).toMatchObject({ state: 'done', missing: [missing], missingMs: DAY_MS });
    expect(await readManifest(file)).toMatchObject({
      state: 'incomplete',
      gaps: [{ from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z', state: 'missing' }],
    });
  },
);

it('a file from which nothing is missing is called as ever, and has nothing beside it that nobody asked for', async () => {
  const { file, task, suggested } = await write(ONE_DAY);
  expect(suggested).toBe('inbound-detail_1001_2026-11-19.csv');
  expect(task.missing).toBeUndefined();
  expect(await readManifest(file)).toBeNull();
});

it('a manifest that is not wanted is not written, and one is not needed where the file says it itself', async () => {
  const refused = await write({ ...TWO_DAYS, layout: { manifest: false } });
  expect(await readManifest(refused.file)).toBeNull();
  const { file, suggested } = await write({ ...TWO_DAYS, format: 'json' });
  expect(suggested).toMatch(/_incomplete\.json$/u);
  expect(await readManifest(file)).toBeNull();
});

it('what following has yet to fetch of a period that ends now is still open, of one that is over it is missing', async () => {
  const toMs = FROM_MS + DAY_MS + 30_000;
  const untilNow = { ...TWO_DAYS, scope: { ...TWO_DAYS.scope, toMs } };
  const tail = { fromMs: FROM_MS + DAY_MS, toMs };
  const exportAt = (nowMs: number, followed = tail) =>
    createExportRig({ folder, records: [createRecord(0)], nowMs, followed }).write({
      ...untilNow,
      layout: { manifest: true },
    });
  const { file, task, suggested } = await exportAt(toMs);
  expect(suggested).not.toContain('incomplete');
  expect(task.missing).toBeUndefined();
  expect(await readManifest(file)).toMatchObject({
    state: 'open',
    gaps: [{ from: '2026-11-20T00:00:00.000Z', to: '2026-11-20T00:00:30.000Z', state: 'open' }],
  });
  for (const incomplete of [
    await exportAt(toMs + 8 * 3_600_000),
    await exportAt(toMs, { fromMs: 0, toMs: 1 }),
  ]) {
    expect(incomplete.suggested).toContain('incomplete');
    expect(incomplete.task).toMatchObject({ missing: [tail], missingMs: 30_000 });
  }
});

it('a name that a long filter would fill keeps its ending', async () => {
  const values = ['a'.repeat(300)];
  const { suggested } = await write({
    ...TWO_DAYS,
    filter: { conditions: [{ field: 'client', values }] as never },
  });
  expect(suggested).toMatch(/_incomplete\.csv$/u);
  expect(suggested.length).toBeLessThanOrEqual(120);
});
