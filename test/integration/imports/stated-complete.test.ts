import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Input } from '../../../src-main/common/contract/index.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import { createRandom } from '../../../src-main/service/sample/random.ts';
import { shareImportRig } from './import-rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FROM_MS = Date.UTC(2026, 10, 9);
const DAYS = 8;
const TO_MS = FROM_MS + DAYS * DAY_MS;
const FAULT_MS = TO_MS - 12 * HOUR_MS;
const LAST_DAY = { fromMs: TO_MS - DAY_MS, toMs: TO_MS };

const openRig = shareImportRig();
let path = '';

/** A CSV of eight days, a record a minute, that says nothing of itself; an hour of the last day fails. */
function toCsv(): string {
  const random = createRandom(3);
  const rows = ['Id,Date,Channel,Service,Client,ReponseTime,ReponseCode,Error,BotLatency'];
  for (let atMs = FROM_MS + 7000; atMs < TO_MS; atMs += MINUTE_MS) {
    const isFailing = atMs >= FAULT_MS && atMs < FAULT_MS + HOUR_MS && random() < 0.8;
    const date = new Date(atMs).toISOString();
    rows.push(
      `s-${rows.length},${date},${1 + Math.floor(random() * 2)},7,Ana,${80 + Math.floor(random() * 40)},${isFailing ? 503 : 200},${isFailing ? 'Refused' : ''},5`,
    );
  }
  return `${rows.join('\r\n')}\r\n`;
}

async function importFile(more: Partial<Input<'imports/start'>> = {}): Promise<Snapshot> {
  const rig = openRig();
  const { snapshotIds } = await rig.importWell(path, more);
  return rig.call('snapshots/get', { snapshotId: snapshotIds[0] ?? 0 });
}

const readCoverage = ({ connectionId }: Snapshot, span = LAST_DAY) =>
  openRig().call('coverage/read', { connectionId, report: 'inbound-detail', ...span, buckets: 1 });

async function listKinds({ connectionId }: Snapshot): Promise<string[]> {
  const { findings, resolved } = await openRig().call('findings/list', { connectionId, period: LAST_DAY });
  return [...findings, ...resolved].map(({ kind }) => kind);
}

const isStated = ({ remarks }: Snapshot): boolean => remarks.some(({ code }) => code === 'stated-complete');

describe('a file that does not say whether it is complete', () => {
  beforeAll(async () => {
    path = join(openRig().folder, 'week.csv');
    await writeFile(path, toCsv());
  });

  it('is incomplete, and nothing in it is judged, until a person states that it holds all records', async () => {
    const { call } = openRig();
    const snapshot = await importFile();
    expect(snapshot.state).toBe('incomplete');
    expect(await listKinds(snapshot)).toEqual([]);

    const span = { fromMs: FROM_MS, toMs: TO_MS };
    const stated = await call('snapshots/state-complete', { snapshotId: snapshot.id, span });
    expect(stated).toMatchObject({
      state: 'complete',
      period: { startDate: '2026-11-09 00:00:00', endDate: '2026-11-16 23:59:59' },
    });
    expect(isStated(stated)).toBe(true);
    expect((await readCoverage(stated)).buckets).toMatchObject([{ settled: 1, stated: 1 }]);
    expect(await listKinds(stated)).toEqual(['errors-up']);

    const takenBack = await call('snapshots/state-complete', { snapshotId: snapshot.id, span: null });
    expect(takenBack).toMatchObject({ state: 'incomplete', period: snapshot.period });
    expect(isStated(takenBack)).toBe(false);
    expect(await listKinds(takenBack)).toEqual([]);
    expect((await readCoverage(takenBack)).buckets[0]?.stated).toBeUndefined();
  });

  it('is stated to be complete while it is imported, from its first record to its last one or longer', async () => {
    const own = await importFile({ complete: { fromMs: null, toMs: null } });
    expect(own).toMatchObject({
      state: 'complete',
      period: { startDate: '2026-11-09 00:00:07', endDate: '2026-11-16 23:59:07' },
    });
    const longer = await importFile({ complete: { fromMs: FROM_MS - HOUR_MS, toMs: TO_MS } });
    expect(longer.period).toMatchObject({
      startDate: '2026-11-08 23:00:00',
      endDate: '2026-11-16 23:59:59',
    });
    expect(await listKinds(longer)).toEqual(['errors-up']);
  });

  it('can not be stated to hold all of a period that leaves its records out', async () => {
    const rig = openRig();
    const complete = { fromMs: FROM_MS + DAY_MS, toMs: null };
    expect((await rig.import(path, { complete })).error).toMatchObject({ code: 'imports.narrow-period' });
    const snapshot = await importFile();
    const answer = await rig.core.call('snapshots/state-complete', {
      snapshotId: snapshot.id,
      span: { fromMs: FROM_MS, toMs: TO_MS - DAY_MS },
    });
    expect(answer).toMatchObject({ ok: false, error: { code: 'imports.narrow-period' } });
  });

  it('stays one that a person stated in its certificate, in what is exported of it, and once that is imported', async () => {
    const rig = openRig();
    const { id } = await importFile({ complete: { fromMs: null, toMs: null } });
    expect(await rig.call('downloads/read-certificate', { snapshotId: id })).toMatchObject({
      isComplete: false,
      reasons: ['stated-complete'],
    });
    const file = join(rig.folder, 'again.ndjson');
    await rig.export(id, file, { layout: { manifest: true } });
    expect(JSON.parse(await readFile(`${file}.manifest.json`, 'utf8'))).toMatchObject({
      state: 'complete',
      stateBy: 'statement',
    });
    const { snapshotIds } = await rig.importWell(file);
    const again = await rig.call('snapshots/get', { snapshotId: snapshotIds[0] ?? 0 });
    expect(again.state).toBe('complete');
    expect(isStated(again)).toBe(true);

    const shared = join(rig.folder, 'week.channelscope');
    await rig.share([id], shared);
    const opened = await rig.importWell(shared);
    const carried = await rig.call('snapshots/get', { snapshotId: opened.snapshotIds[0] ?? 0 });
    expect(carried.state).toBe('complete');
    expect(isStated(carried)).toBe(true);
  });

  it('is not stated against what the file says itself', async () => {
    const rig = openRig();
    const snapshot = await importFile({ complete: { fromMs: null, toMs: null } });
    const file = join(rig.folder, 'channel-1.json');
    await rig.export(snapshot.id, file, {
      format: 'json',
      filter: { conditions: [{ field: 'channel', values: [1] }] },
    });
    const complete = { fromMs: null, toMs: null };
    expect((await rig.import(file, { complete })).error).toMatchObject({ code: 'imports.not-all' });
    const { snapshotIds } = await rig.importWell(file);
    const answer = await rig.core.call('snapshots/state-complete', {
      snapshotId: snapshotIds[0] ?? 0,
      span: { fromMs: FROM_MS, toMs: TO_MS },
    });
    expect(answer).toMatchObject({ ok: false, error: { code: 'imports.not-all' } });
  });
});
