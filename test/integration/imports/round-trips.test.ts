import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  IMPORTED_FORMATS,
  RFC_4180,
  toPresetLayout,
  type CsvDialect,
  type ExportLayout,
} from '../../../src-main/common/model/exports/export-options.ts';
import { HOSTILE_TEXTS } from '../../support/samples/hostile-texts.ts';
import { shareImportRig, type ImportRig } from './import-rig.ts';

const TEXTS = [...HOSTILE_TEXTS, "'=1+1", "''=1", "'plain", 'x'.repeat(1_200_000)];

/** Records as a service may send them, with everything that files of other programs break on. */
function writeHostileRecords(): string {
  const lines = TEXTS.map((text, seq) => {
    const record: Record<string, unknown> = {
      Id: `session-${seq}`,
      Date: `2026-11-20T10:00:${String(seq % 60).padStart(2, '0')}.${String(seq).padStart(3, '0')}Z`,
      Channel: seq % 3 === 0 ? null : seq,
      Service: seq,
      Client: text.slice(0, 200),
      ReponseTime: seq % 4 === 0 ? null : seq / 8,
      ReponseCode: seq % 2 === 0 ? 200 : 500,
      Error: text.slice(0, 200),
      ActionId: seq % 5 === 0 ? '-1' : String(seq),
      Payload: text,
      Reponse: text.slice(0, 100),
      Origin: seq % 2 === 0 ? '' : 'web',
    };
    if (seq % 3 === 1) record['Region'] = text.slice(0, 50).toWellFormed().replaceAll('\0', '');
    const line = JSON.stringify(record);
    // Digits that JavaScript would change, and a number that is none.
    if (seq % 6 === 1) return line.replace(/\}$/, ',"Big":12345678901234567890,"Exact":1.50}');
    return seq % 6 === 2 ? line.replace(`"Service":${seq},`, '"Service":"seven",') : line;
  });
  return `${lines.join('\n')}\n`;
}

const openRig = shareImportRig();
/** All exports are of the same records. */
let rig: ImportRig;
let snapshotId: number;
let original: string;
beforeAll(async () => {
  rig = openRig();
  const path = join(rig.folder, 'hostile.ndjson');
  await writeFile(path, writeHostileRecords());
  const { snapshotIds, recordCount } = await rig.importWell(path);
  expect(recordCount).toBe(TEXTS.length);
  snapshotId = snapshotIds[0]!;
  const exported = join(rig.folder, 'original.ndjson');
  await rig.export(snapshotId, exported, { format: 'ndjson' });
  original = await readFile(exported, 'utf8');
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(rig.folder, 'test-'));
});

describe('records that were exported, imported and exported again', () => {
  it.each(IMPORTED_FORMATS)('are all there again as %s', async (format) => {
    const path = join(folder, `whole.${format}`);
    await rig.export(snapshotId, path, { format, layout: { manifest: true } });
    const { snapshotIds, recordCount, leftOut } = await rig.importWell(path);
    expect([recordCount, leftOut]).toEqual([TEXTS.length, []]);
    const { imported } = await rig.call('snapshots/get', { snapshotId: snapshotIds[0]! });
    expect(imported).toMatchObject({ format, fileName: `whole.${format}` });
  });

  it.each(['ndjson', 'json'] as const)('are the same bytes as %s', async (format) => {
    const [first, second] = [join(folder, `first.${format}`), join(folder, `second.${format}`)];
    await rig.export(snapshotId, first, { format });
    const { snapshotIds } = await rig.importWell(first);
    await rig.export(snapshotIds[0]!, second, { format });
    expect((await readFile(second)).equals(await readFile(first))).toBe(true);
  });

  const dialects: readonly (readonly [string, ExportLayout])[] = [
    ['RFC 4180', { csv: RFC_4180, manifest: true }],
    ['RFC 4180 without a manifest', { csv: RFC_4180 }],
    ['another Channelscope', toPresetLayout('channelscope', '.')],
    ['Excel of a comma region, as received', { ...toPresetLayout('excel', ','), dates: 'received' }],
    ['tabs, quotes where needed', csvLayout({ separator: '\t', quoting: 'needed' })],
    ['a decimal comma between commas, all quoted', csvLayout({ decimalSign: ',', quoting: 'all' })],
    ['bars, without guard', csvLayout({ separator: '|', guard: false })],
    [
      'corrected names, dates both ways',
      { csv: RFC_4180, fieldNames: 'corrected', dates: 'both', manifest: true },
    ],
  ];
  it.each(dialects)('have the same values through CSV: %s', async (_name, layout) => {
    const [csv, after] = [join(folder, 'a.csv'), join(folder, 'after.ndjson')];
    await rig.export(snapshotId, csv, { format: 'csv', layout, zone: 'Europe/Madrid' });
    const { snapshotIds, leftOut } = await rig.importWell(csv);
    await rig.export(snapshotIds[0]!, after, { format: 'ndjson' });
    expect(leftOut).toEqual([]);
    const clean = (text: string): string =>
      // CSV can't hold NUL and halves of pairs, which the export counts.
      text.replaceAll(/\\u0000|\\ud[89a-f][0-9a-f]{2}/g, '\ufffd');
    expect(shorten(await readFile(after, 'utf8'))).toEqual(shorten(clean(original)));
  });

  it.each([
    ['as they are', {}],
    ['under corrected names', { fieldNames: 'corrected' as const, manifest: true }],
    ['with dates as received', { dates: 'received' as const }],
  ])('have the same values through Parquet: %s', async (_name, layout) => {
    const [parquet, after] = [join(folder, 'a.parquet'), join(folder, 'after.ndjson')];
    await rig.export(snapshotId, parquet, { format: 'parquet', layout });
    const { snapshotIds, leftOut } = await rig.importWell(parquet);
    await rig.export(snapshotIds[0]!, after, { format: 'ndjson' });
    expect(leftOut).toEqual([]);
    // Parquet's texts are UTF-8, which halves of pairs have no place in.
    const clean = (text: string): string => text.replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, '\ufffd');
    expect(shorten(await readFile(after, 'utf8'))).toEqual(shorten(clean(original)));
    expect((await rig.call('snapshots/get', { snapshotId: snapshotIds[0]! })).imported).toMatchObject({
      format: 'parquet',
      fileName: 'a.parquet',
    });
  });

  it('keep the instant of dates that are written as the clock of a zone shows them', async () => {
    const csv = join(folder, 'readable.csv');
    await rig.export(snapshotId, csv, {
      format: 'csv',
      layout: { csv: RFC_4180, dates: 'readable' },
      zone: 'Europe/Madrid',
    });
    const { snapshotIds } = await rig.importWell(csv);
    const record = await rig.call('records/read-record', { snapshotId: snapshotIds[0]!, seq: 3 });
    expect(record.dateMs).toBe(Date.UTC(2026, 10, 20, 10, 0, 3, 3));
  });
});

function csvLayout(change: Partial<CsvDialect>): ExportLayout {
  return { csv: { ...RFC_4180, ...change } };
}

/** Lines that a person can read where they differ. */
function shorten(text: string): string[] {
  return text.split('\n').map((line) => line.replaceAll(/x{300,}/g, (run) => `${run.length} times x`));
}
