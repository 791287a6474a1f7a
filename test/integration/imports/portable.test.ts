import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { openPromise } from 'yauzl';
import {
  PORTABLE_VERSION,
  type PortableManifest,
  type PortableSnapshot,
} from '../../../src-main/core/exports/portable/portable-manifest.ts';
import { createZipWriter } from '../../../src-main/core/exports/formats/xlsx/zip-writer.ts';
import { HOSTILE_TEXTS } from '../../support/samples/hostile-texts.ts';
import { openImportRig, shareImportRig, type ImportRig } from './import-rig.ts';

type Entries = [path: string, content: string | Uint8Array][];

const RECORDS = 2_500;

const openRig = shareImportRig();
/** Records that were imported, and what they were shared as. */
let snapshotId: number;
let file: string;
beforeAll(async () => {
  const rig = openRig();
  const path = join(rig.folder, 'records.ndjson');
  const lines = Array.from({ length: RECORDS }, (_none, seq) =>
    JSON.stringify({
      Id: `s${seq}`,
      Date: `2026-11-20T10:00:${String(seq % 60).padStart(2, '0')}Z`,
      ActionId: '7',
      Payload: HOSTILE_TEXTS[seq % HOSTILE_TEXTS.length],
    }),
  );
  await writeFile(path, `${lines.join('\n')}\n`);
  [snapshotId = 0] = (await rig.importWell(path)).snapshotIds;
  await rig.call('snapshots/annotate', { snapshotId, name: 'For the ticket', note: 'Look at 10:00' });
  file = join(rig.folder, 'shared.channelscope');
  await rig.share([snapshotId], file);
});

async function writeZip(path: string, entries: Entries): Promise<void> {
  const zip = createZipWriter(new Date(0));
  const pieces: Uint8Array[] = [];
  for (const [name, content] of entries) pieces.push(await zip.begin(name), await zip.write(content));
  await writeFile(path, Buffer.concat([...pieces, await zip.end()]));
}

async function readZip(path: string): Promise<Entries> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  const entries: Entries = [];
  for await (const entry of zip.eachEntry()) {
    const pieces: Buffer[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
    entries.push([entry.fileName, Buffer.concat(pieces)]);
  }
  zip.close();
  return entries;
}

/** The same entries with another manifest, whose seal is right. */
function reseal(entries: Entries, change: (manifest: PortableManifest) => object): Entries {
  const [, text] = entries.find(([name]) => name === 'manifest.json')!;
  const next = JSON.stringify(change(JSON.parse(text.toString()) as PortableManifest));
  const seal = createHash('sha256').update(next).digest('hex');
  return entries.map(([name, content]) => {
    if (name === 'manifest.json') return [name, next];
    return name === 'manifest.sha256' ? [name, seal] : [name, content];
  });
}

const PERIOD = {
  startDate: '2026-11-20 00:00:00',
  endDate: '2026-11-20 23:59:59',
  fromMs: Date.UTC(2026, 10, 20),
  toMs: Date.UTC(2026, 10, 20, 23, 59, 59),
  zone: 'UTC',
};

/** The families of a snapshot's errors, the largest first. */
async function readFamilies(rig: ImportRig, id: number): Promise<string[]> {
  const question = { scope: { snapshotId: id }, filter: { conditions: [] }, fromMs: 0, toMs: 1 };
  const { families } = await rig.call('records/find-error-families', question);
  return families.map(({ pattern }) => pattern);
}

/** A manifest of any text, with a seal that is right. */
function sealed(text: string): Entries {
  return [
    ['manifest.json', text],
    ['manifest.sha256', createHash('sha256').update(text).digest('hex')],
  ];
}

function dropRecords(snapshot: PortableSnapshot): Omit<PortableSnapshot, 'records'> {
  const { records, ...rest } = snapshot;
  expect(records).toBeDefined();
  return rest;
}

describe('a portable snapshot', () => {
  it('brings the pages as they were, and all that proves them, to a computer without a connection', async () => {
    const there = openRig();
    const here = await openImportRig();
    const { snapshotIds, recordCount } = await here.importWell(file);
    expect(recordCount).toBe(RECORDS);
    const [arrived] = snapshotIds;
    const found = await here.call('snapshots/get', { snapshotId: arrived! });
    const sent = await there.call('snapshots/get', { snapshotId });
    const { id, connectionId, imported, fetchedOrder } = found;
    expect(found).toEqual({ ...sent, id, connectionId, imported, fetchedOrder });
    expect(imported).toMatchObject({ format: 'portable', fileName: 'shared.channelscope' });
    const certificate = async (rig: ImportRig, id: number) => ({
      ...(await rig.call('downloads/read-certificate', { snapshotId: id })),
      snapshotId: 0,
    });
    expect(await certificate(here, arrived!)).toEqual(await certificate(there, snapshotId));
    const [a, b] = [join(there.folder, 'a.ndjson'), join(here.folder, 'b.ndjson')];
    await there.export(snapshotId, a, {});
    await here.export(arrived!, b, {});
    expect((await readFile(b)).equals(await readFile(a))).toBe(true);
    const { taskId } = await here.call('snapshots/verify', { snapshotIds: [arrived!] });
    await here.call('tasks/wait', { taskId });
    expect((await here.call('snapshots/get', { snapshotId: arrived! })).verification).toMatchObject({
      damagedPages: 0,
    });
  });

  it('brings what was decided, planned, marked and agreed; a place that has its own keeps them', async () => {
    const there = await openImportRig();
    const path = join(there.folder, 'failed.ndjson');
    const lines = ['Queue 7 is full', 'Queue 9 is full', 'Gone'].map((text, seq) =>
      JSON.stringify({ Id: `s${seq}`, Date: `2026-11-20T10:00:0${seq}Z`, ReponseCode: 200, Error: text }),
    );
    await writeFile(path, `${lines.join('\n')}\n`);
    const { connectionId, snapshotIds } = await there.importWell(path, { report: 'inbound-detail' });
    const inbound = [{ error: { contains: 'gone' }, outcome: 'expected' as const }];
    await there.call('outcome/save', { connectionId, outcomes: { inbound }, wait: true });
    const [family = ''] = await readFamilies(there, snapshotIds[0]!);
    const act = { kind: 'rename', family, name: 'Full' } as const;
    await there.call('families/change', { connectionId, direction: 'inbound', act, wait: true });
    const mark = { kind: 'release', atMs: Date.UTC(2026, 10, 20, 10), text: 'Bad release' } as const;
    await there.call('planned/save-mark', { connectionId, markId: null, draft: mark });
    const level = { name: 'Platform', part: 'platform', target: 99.5, zone: 'UTC', hours: [] } as const;
    const draft = { ...level, hours: [], leavesOutPlanned: true };
    await there.call('service-levels/save', { connectionId, levelId: null, draft });
    const shared = join(there.folder, 'failed.channelscope');
    await there.share(snapshotIds, shared);
    const here = await openImportRig();
    const arrived = await here.importWell(shared);
    expect(await readFamilies(here, arrived.snapshotIds[0]!)).toEqual(['Full', 'Gone']);
    const place = (await here.call('connections/list', null)).find(({ id }) => id === arrived.connectionId);
    expect(place?.plans?.marks).toMatchObject([mark]);
    expect(place?.serviceLevels).toMatchObject([level]);
    const question = { connectionId: arrived.connectionId, direction: 'inbound' as const };
    const { countsNow } = await here.call('outcome/preview', { ...question, rules: [] });
    expect(countsNow).toEqual([0, 0, 1, 2]);
    await here.call('outcome/save', { connectionId: arrived.connectionId, outcomes: {}, wait: true });
    const again = await here.importWell(shared);
    expect(again.connectionId).toBe(arrived.connectionId);
    const places = await here.call('connections/list', null);
    expect(places.find(({ id }) => id === again.connectionId)?.outcomes).toBeUndefined();
  });

  it('holds the records as Parquet, which any reader of Parquet finds equal to those of the pages', async () => {
    const rig = openRig();
    const [, parquet] = (await readZip(file)).find(([name]) => name === 'snapshots/0/records.parquet')!;
    const rows = await parquetReadObjects({
      file: Uint8Array.from(Buffer.from(parquet)).buffer,
      compressors,
    });
    const ndjson = join(rig.folder, 'exported.ndjson');
    await rig.export(snapshotId, ndjson, {});
    const lines = (await readFile(ndjson, 'utf8')).trimEnd().split('\n');
    expect(rows).toHaveLength(RECORDS);
    for (const [place, line] of lines.entries()) {
      const { Payload, Id, Date: date, ActionId } = JSON.parse(line) as Record<string, string>;
      expect(rows[place]).toMatchObject({ Payload: Payload?.toWellFormed(), Id, Date: date, ActionId });
    }
  });

  it('made by a clock that was ahead has no time after its import, and hides nothing that is imported later', async () => {
    const there = openRig();
    const here = await openImportRig();
    const ahead = join(there.folder, 'ahead.channelscope');
    const aheadMs = Date.UTC(2100, 0);
    const entries = reseal(await readZip(file), (manifest) => ({
      ...manifest,
      snapshots: manifest.snapshots.map((snapshot) => ({
        ...snapshot,
        startedAtMs: aheadMs,
        fetchedAtMs: aheadMs,
        pages: snapshot.pages.map((page) => ({ ...page, requestedAtMs: aheadMs, receivedAtMs: aheadMs })),
      })),
    }));
    await writeZip(ahead, entries);
    const [early] = (await here.importWell(ahead)).snapshotIds;
    const first = await here.call('snapshots/get', { snapshotId: early! });
    expect(first.fetchedAtMs).toBeLessThanOrEqual(first.imported!.importedAtMs);
    expect(first.startedAtMs).toBeLessThanOrEqual(first.imported!.importedAtMs);
    const { pages } = await here.call('snapshots/read-journal', {
      snapshotId: early!,
      offset: 0,
      limit: 500,
    });
    for (const { receivedAtMs } of pages)
      expect(receivedAtMs).toBeLessThanOrEqual(first.imported!.importedAtMs);
    const [late] = (await here.importWell(file)).snapshotIds;
    const second = await here.call('snapshots/get', { snapshotId: late! });
    expect(second.fetchedOrder).toBeGreaterThan(first.fetchedOrder);
  });

  it('that was damaged, changed or made to do harm is refused with its reason, and nothing of it stays', async () => {
    const rig = openRig();
    const whole = await readFile(file);
    const entries = await readZip(file);
    const before = await rig.call('snapshots/list', { connectionId: null });
    const [page] = entries[0]!;
    const swap = (name: string, content: string | Uint8Array): Entries =>
      entries.map((entry) => (entry[0] === name ? [name, content] : entry));
    const text = entries[0]![1].toString();
    const changed = reseal(entries, (manifest) => ({ ...manifest, version: PORTABLE_VERSION + 1 }));
    const records = entries.find(([name]) => name.endsWith('.parquet'))!;
    const respelled = Buffer.from(records[1]);
    respelled.writeUInt8(respelled.readUInt8(100) ^ 1, 100);
    const fewer = reseal(entries, (manifest) => ({
      ...manifest,
      snapshots: manifest.snapshots.map((each) => ({
        ...each,
        records: { ...each.records, recordCount: each.recordCount - 1 },
      })),
    }));
    const without = reseal(
      entries.filter((entry) => entry !== records),
      (manifest) => ({ ...manifest, snapshots: manifest.snapshots.map(dropRecords) }),
    );
    const counted = reseal(entries, (manifest) => ({
      ...manifest,
      snapshots: manifest.snapshots.map((each) => ({ ...each, recordCount: each.recordCount + 1 })),
    }));
    const bomb: Entries = [...entries, ['snapshots/0/pages/000099.json', new Uint8Array(600 * 1024 * 1024)]];
    const cases: [string, Entries | Buffer, RegExp][] = [
      ['cut off', whole.subarray(0, whole.length - 100), /damaged/],
      ['half of it', whole.subarray(0, whole.length / 2), /damaged/],
      [
        'a byte of a page',
        Buffer.concat([whole.subarray(0, 5_000), Buffer.from('x'), whole.subarray(5_001)]),
        /damaged/,
      ],
      ['a page of the same size', swap(page, text.replace('"s7"', '"s8"')), /not the one that was shared/],
      ['a page of another size', swap(page, `${text} `), /another size/],
      ['a page that is missing', entries.slice(1), /lacks/],
      [
        'the manifest',
        swap(
          'manifest.json',
          entries
            .find(([name]) => name === 'manifest.json')![1]
            .toString()
            .replace('"incomplete"', '"complete"'),
        ),
        /manifest/,
      ],
      ['the count, sealed', counted, /certificate/],
      ['the records beside the pages', swap(records[0], respelled), /records that were shared/],
      ['records that are missing', entries.filter((entry) => entry !== records), /lacks/],
      ['fewer records than the pages hold, sealed', fewer, /not as many/],
      ['no records, sealed', without, /manifest can't be read/],
      ['a newer version', changed, /newer version/],
      ['an entry that nobody named', [...entries, ['notes.txt', 'x']], /notes\.txt/],
      ['an entry twice', [...entries, entries[0]!], /twice/],
      ['a path that leads out', [...entries, ['../../evil.json', 'x']], /damaged/],
      ['an absolute path', [...entries, ['/etc/evil', 'x']], /damaged/],
      ...(
        [
          ['an address too long', { connection: { name: 'a', address: `https://${'x'.repeat(2048)}` } }, {}],
          ['a tenant beyond 2^53', {}, { tenant: 1e300 }],
          ['a state that never ends', {}, { state: 'downloading' }],
          ['a period without end', {}, { period: { ...PERIOD, fromMs: -(2 ** 53), toMs: 2 ** 53 } }],
          ['a zone that is none', {}, { period: { ...PERIOD, zone: '' } }],
          [
            'a beginning other than its date',
            {},
            { period: { ...PERIOD, startDate: '2026-11-19 00:00:00' } },
          ],
          ['an end other than its date', {}, { period: { ...PERIOD, endDate: '2026-11-20 23:59:58' } }],
        ] as const
      ).map(([name, change, each]): [string, Entries, RegExp] => [
        `${name}, sealed`,
        reseal(entries, (manifest) => ({
          ...manifest,
          ...change,
          snapshots: manifest.snapshots.map((one) => ({ ...one, ...each })),
        })),
        /manifest can't be read|time zone is none|other dates than instants/,
      ]),
      [
        'an entry left out twice, sealed',
        reseal(entries, (manifest) => ({
          ...manifest,
          snapshots: manifest.snapshots.map((one) => ({
            ...one,
            pages: one.pages.map((each) => ({
              ...each,
              leftOut: [1, 1].map((index) => ({ index, reason: 'seen-at-cut', text: '' })),
            })),
          })),
        })),
        /leaves an entry out twice/,
      ],
      [
        'a manifest of brackets',
        [...entries.filter(([name]) => !name.startsWith('manifest')), ...sealed('['.repeat(20_000_000))],
        /manifest can't be read/,
      ],
      ['a bomb', bomb, /unpack to far more/],
      ['another ZIP', [['readme.txt', 'hello']], /no portable snapshot/],
    ];
    for (const [name, content, reason] of cases) {
      const path = join(rig.folder, 'bad.channelscope');
      if (Buffer.isBuffer(content)) await writeFile(path, content);
      else await writeZip(path, content);
      const task = await rig.import(path);
      expect(task.error?.code, name).toBe('imports.unreadable');
      expect(String(task.error?.details['reason']), name).toMatch(reason);
      expect(await rig.call('snapshots/list', { connectionId: null }), name).toEqual(before);
    }
  });
});
