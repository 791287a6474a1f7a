import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Input } from '../../../src-main/common/contract/index.ts';
import { HOSTILE_TEXTS } from '../../support/samples/hostile-texts.ts';
import { createDocument, fillSnapshot, FROM_MS, toOutbound } from '../cache/cache-fixture.ts';
import { RECORDS_INPUT } from './export-rig.ts';
import { createRealRig, type RealRig } from './real-rig.ts';

const LONG = 'ab"c,\n'.repeat(900_000);
const texts = [...HOSTILE_TEXTS, LONG];
/** Halves of surrogate pairs have no UTF-8. */
const toUtf8 = (text: string): string => text.toWellFormed();
const documents = texts.map((text, place) => ({
  ...createDocument(place, {
    Payload: text,
    Client: text.slice(0, 200),
    Error: text.slice(0, 200),
    Origin: place % 2 === 0 ? '' : text.slice(0, 99),
    ReponseTime: place / 8,
    ...(place === 2 ? { Date: '20/11/2026 at noon' } : {}),
    ...(place === 3 ? { Date: '2026-11-20T10:00:03+01:00' } : {}),
  }),
  ...(place % 5 === 0 ? { Region: text.slice(0, 50), Big: 1 } : {}),
}));

let rig: RealRig;
beforeEach(async () => {
  rig = await createRealRig('records.parquet');
});
afterEach(() => rig.close());

function ask(change: Partial<Input<'exports/start'>> = {}): Input<'exports/start'> {
  return { ...RECORDS_INPUT, format: 'parquet', ...change };
}

async function readBack(): Promise<{ rows: Record<string, unknown>[]; file: ArrayBuffer }> {
  const bytes = await readFile(rig.target);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return { rows: await parquetReadObjects({ file, compressors, utf8: false }), file };
}

describe('Parquet', () => {
  it('read by another library equals the cache, value by value', async () => {
    await fillSnapshot(rig.cache, documents, {}, 4);
    const task = await rig.write({ format: 'parquet', layout: { manifest: true } });
    expect(task).toMatchObject({ state: 'done', done: documents.length, total: documents.length });
    const { rows, file } = await readBack();
    const cached = await rig.readCached(documents.length);
    expect(rows).toHaveLength(cached.length);
    for (const [seq, record] of cached.entries()) {
      const { extra } = record;
      const others = Object.entries(extra).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
      expect(rows[seq]).toEqual({
        Id: record.sessionId,
        Date: toUtf8(record.dateText),
        'Date (UTC)': record.dateMs === null ? null : new Date(record.dateMs),
        Channel: BigInt(record.channel ?? 0),
        Service: BigInt(record.service ?? 0),
        Client: toUtf8(record.client),
        ReponseTime: record.responseTimeMs,
        ReponseCode: BigInt(record.responseCode ?? 0),
        Error: toUtf8(record.error),
        BotLatency: record.botLatencyMs,
        Payload: toUtf8(record.payload),
        Origin: toUtf8(record.origin),
        'Other fields': others.length === 0 ? null : toUtf8(`{${others.join(',')}}`),
      });
    }
    expect(rows[2]).toMatchObject({ Date: '20/11/2026 at noon', 'Date (UTC)': null });
    expect(rows[3]).toMatchObject({ 'Date (UTC)': new Date('2026-11-20T09:00:03Z') });
    const metadata = await parquetMetadataAsync(file);
    const about = metadata.key_value_metadata?.find(({ key }) => key === 'channelscope')?.value ?? '{}';
    expect(JSON.parse(about)).toMatchObject({ report: 'inbound-detail', tenant: 1, state: 'complete' });
    expect(metadata.row_groups[0]?.columns[0]?.meta_data?.codec).toBe('ZSTD');
    const types = new Map(parquetSchema(metadata).children.map(({ element }) => [element.name, element]));
    expect(types.get('Date (UTC)')?.logical_type).toMatchObject({ type: 'TIMESTAMP', isAdjustedToUTC: true });
    expect(types.get('ReponseTime')?.type).toBe('DOUBLE');
    const manifest = JSON.parse(await readFile(`${rig.target}.manifest.json`, 'utf8')) as object;
    expect(manifest).toMatchObject({
      sha256: task.fileSha256,
      bytes: file.byteLength,
      recordCount: documents.length,
      content: { format: 'parquet' },
    });
    expect((await readdir(dirname(rig.target))).sort()).toEqual([
      'records.parquet',
      'records.parquet.manifest.json',
    ]);
    expect(await readdir(join(rig.folder, 'analysis-files'))).toEqual([]);
  });

  it('has the filter, the order, the columns, the names and the marks that were chosen', async () => {
    const plain = Array.from({ length: 50 }, (_none, index) => createDocument(index));
    await fillSnapshot(rig.cache, plain, { connectionId: 'one' });
    await rig.cache.changeMarks({
      records: [{ snapshotId: 1, seq: 4 }],
      change: { mark: 'flag', note: 'look "here"' },
      nowMs: FROM_MS,
    });
    const task = await rig.write({
      format: 'parquet',
      filter: { conditions: [{ field: 'channel', values: [1] }] },
      order: [{ column: 'responseTimeMs', descending: true }],
      includeNames: true,
      includeMarks: true,
      layout: {
        columns: ['Channel', 'ReponseTime', 'Mark', 'Note'],
        fieldNames: 'corrected',
      },
    });
    expect(task.state).toBe('done');
    const { rows } = await readBack();
    const expected = plain
      .filter(({ Channel }) => Channel === 1)
      .sort((a, b) => b.ReponseTime - a.ReponseTime)
      .map((document) => ({
        Channel: 1n,
        'Channel name': 'Bob\'s "phone"',
        ResponseTime: document.ReponseTime,
        Mark: document === plain[4] ? 'flag' : null,
        Note: document === plain[4] ? 'look "here"' : null,
      }));
    expect(rows).toEqual(expected);
  });

  it('keeps the order received over the snapshots of a period, and outbound answers', async () => {
    const outbound = Array.from({ length: 40 }, (_none, index) =>
      toOutbound(createDocument(index), index === 3 ? '-1' : String(index)),
    );
    await fillSnapshot(rig.cache, outbound, { report: 'outbound-detail' });
    const scope = {
      connectionId: 'one',
      report: 'outbound-detail' as const,
      fromMs: FROM_MS,
      toMs: FROM_MS + 3_600_000,
    };
    expect(
      (await rig.write({ format: 'parquet', scope, order: [{ column: 'received', descending: true }] }))
        .state,
    ).toBe('done');
    const { rows } = await readBack();
    expect(rows.map((row) => [row['ActionId'], row['Reponse']])).toEqual(
      outbound.map((document) => [document['ActionId'], '{"ok":true}']).reverse(),
    );
  });

  it('of a summary and of a result of SQL has their types', async () => {
    await fillSnapshot(rig.cache, documents.slice(0, 8), {}, 4);
    expect((await rig.write({ format: 'parquet', isSummary: true })).state).toBe('done');
    const summary = await readBack();
    expect(typeof summary.rows[0]?.['Count']).toBe('bigint');
    expect(typeof summary.rows[0]?.['AvegareReponseTime']).toBe('number');
    const question = { connectionId: 'one', fromMs: FROM_MS, toMs: FROM_MS + 3_600_000, zone: 'Asia/Tokyo' };
    const text = `SELECT 1 AS n, 1.50::DECIMAL(5,2) AS "N", TIMESTAMP '2026-11-20 10:00:00' AS t, true AS b,
      170141183460469231731687303715884105727::HUGEINT AS huge, '2026'::VARCHAR AS s, sum(1) AS whole`;
    const result = await rig.engine.runSql({ ...question, text, timeLimitMs: 10_000 });
    if (result.kind !== 'rows') throw new Error(result.message);
    const about = { ...question, ...result, statement: text, format: 'parquet' as const };
    expect((await rig.writeResult(about)).state).toBe('done');
    const { rows } = await readBack();
    expect(rows).toEqual([
      {
        n: 1,
        'N (2)': 1.5,
        t: new Date('2026-11-20T10:00:00Z'),
        b: true,
        huge: '170141183460469231731687303715884105727',
        s: '2026',
        whole: 1,
      },
    ]);
  });

  it('shows its cells in a preview', async () => {
    await fillSnapshot(rig.cache, documents.slice(0, 8), {}, 4);
    const preview = await rig.exporter.preview(ask());
    expect(preview).toMatchObject({ text: null, rowCount: 8, estimatedBytes: null });
    expect(preview.cells[0]).toContain('Date (UTC)');
  });
});
