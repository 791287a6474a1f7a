import { hash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordDetail } from '../../../src-main/common/model/records/record.ts';
import type { Snapshot } from '../../../src-main/common/model/cache/snapshot.ts';
import type { SummaryGroup } from '../../../src-main/common/model/records/histogram.ts';
import type { ReportKind } from '../../../src-main/common/reporting/reports.ts';
import type { ManifestParts } from '../../../src-main/core/exports/write-manifest.ts';
import type { ResultParts } from '../../../src-main/core/exports/prepare-records.ts';
import type { SqlCell } from '../../../src-main/common/model/records/sql.ts';
import type { FileEngine } from '../../../src-main/core/exports/formats/writers.ts';
import type { ExportCache, ExportEngine } from '../../../src-main/core/exports/export-source.ts';
import type { PortableParts } from '../../../src-main/core/exports/portable/prepare-portable.ts';
import type { EvidenceParts } from '../../../src-main/core/exports/evidence/evidence-question.ts';
import type { ReportParts } from '../../../src-main/core/exports/report/read-report.ts';
import { createRowWriter, type RowWriter } from '../../../src-main/core/exports/thread/create-row-writer.ts';
import type { Cache } from '../../../src-main/core/cache/cache.ts';
import type { Ledger } from '../../../src-main/core/coverage/ledger.ts';
import type { PackSigner } from '../../../src-main/core/exports/evidence/signing/pack-signature.ts';
import { openPackSigner } from './open-pack-signer.ts';
import { createFakeMeasures } from './fake-measures.ts';
import { holdSnapshots, openLedger } from './open-ledger.ts';
import { startRowsHere } from './start-rows-here.ts';
import { makeRecord } from '../samples/make-record.ts';
import { makeSnapshot } from '../samples/make-snapshot.ts';

/** A whole record with plain values, changed as given. */
export function createRecord(seq: number, change: Partial<RecordDetail> = {}): RecordDetail {
  return makeRecord({
    seq,
    dateText: '2026-11-19T10:15:30.123Z',
    dateMs: Date.UTC(2026, 10, 19, 10, 15, 30, 123),
    sessionId: '0f8fad5b-d9cb-469f-a165-70867728950e',
    client: 'Ana',
    responseTimeMs: 12.5,
    botLatencyMs: 40,
    payloadPreview: 'hello',
    payload: 'hello',
    payloadLength: 5,
    ...change,
  });
}

export function createSnapshotOf(report: ReportKind, recordCount: number): Snapshot {
  const day = { fromMs: Date.UTC(2026, 10, 19), toMs: Date.UTC(2026, 10, 19, 23, 59, 59) };
  const unlike = { connectionId: 'c', sizeBytes: 1, fetchedAtMs: 0 };
  return makeSnapshot(day, { ...unlike, report, recordCount, totalDocument: recordCount });
}

/** Stands in for the cache and the engine: hands out the given records in batches, and counts open views. */
export function createFakeExportParts(options: {
  report: ReportKind;
  records?: RecordDetail[];
  groups?: SummaryGroup[];
  batchSize?: number;
  /** Rows of a result of SQL. */
  result?: SqlCell[][];
  onBatch?: (index: number) => Promise<void> | void;
}): {
  cache: ExportCache &
    ManifestParts['cache'] &
    ReportParts['cache'] &
    PortableParts['cache'] &
    Pick<Cache, 'annotateSnapshot'>;
  engine: ExportEngine & FileEngine & ResultParts['engine'] & EvidenceParts['engine'];
  ledger: Ledger;
  rowWriter: RowWriter;
  packSigner: PackSigner;
  openViews: number;
} {
  const { report, records = [], groups = [], result = [], batchSize = 100, onBatch } = options;
  let batches = 0;
  /** What a report asks for counts as a batch too. */
  const note = async (): Promise<void> => {
    await onBatch?.(batches);
    batches += 1;
  };
  const measures = createFakeMeasures(records, note);
  const parts = {
    openViews: 0,
    cache: {
      annotateSnapshot: () => Promise.reject(new Error('not here')),
      readPortable: () => Promise.reject(new Error('not here')),
      readPageBytes: () => Promise.reject(new Error('not here')),
      ...measures.cache,
      getSnapshot: () => Promise.resolve(createSnapshotOf(report, records.length)),
      listSnapshots: () => Promise.resolve([createSnapshotOf(report, records.length)]),
      async readExportBatch({ ids }: { ids: readonly number[] }) {
        await note();
        return ids.slice(0, batchSize).flatMap((id) => records[id] ?? []);
      },
      // Nothing is known of how they were downloaded.
      async getDownload() {
        await note();
        throw new Error('not here');
      },
      readJournalFigures: () => Promise.reject(new Error('not here')),
      measureLevels: () => Promise.reject(new Error('not here')),
      readSummary: () =>
        Promise.resolve({ source: 'reported' as const, snapshotId: 1, groups, requestCount: groups.length }),
    },
    engine: {
      ...measures.engine,
      openView() {
        parts.openViews += 1;
        const totalCount = records.length;
        return Promise.resolve({ viewId: 'v', rowCount: totalCount, isCounted: true, totalCount });
      },
      summarise: () => Promise.resolve(groups),
      listFamilyNames: () => Promise.resolve([]),
      listClients: ({ after }: { after: string | null }) =>
        Promise.resolve(after === null ? [...new Set(records.map(({ client }) => client))] : []),
      readSession: () =>
        Promise.resolve({
          requests: [],
          inbound: { requests: 0, failures: 0 },
          outbound: { requests: 0, failures: 0 },
          undatedCount: 0,
          firstMs: null,
          lastMs: null,
          endMs: null,
          untimedCount: 0,
        }),
      countView: () => Promise.resolve({ rowCount: records.length }),
      readIds: ({ offset, limit }: { offset: number; limit: number }) =>
        Promise.resolve({
          report: 'inbound-detail' as const,
          ids: records.slice(offset, offset + limit).map((_, place) => offset + place),
        }),
      readValues: () => Promise.reject(new Error('The fake knows no paths.')),
      packSqlRows: ({ offset, limit }: { offset: number; limit: number }) =>
        Promise.resolve(Buffer.from(JSON.stringify(result.slice(offset, offset + limit)))),
      /** The Parquet that the engine would write, of the same batches; texts are written row by row. */
      async writeRecords(
        { format }: { format: { kind: string } },
        { signal }: { signal?: AbortSignal | undefined } = {},
      ) {
        if (format.kind !== 'parquet') return null;
        for (let batch = 0; batch * batchSize < records.length; batch += 1) {
          signal?.throwIfAborted();
          await onBatch?.(batch);
        }
        const path = join(tmpdir(), `engine-${randomUUID()}.part`);
        await writeFile(path, 'PAR1');
        return { path, rowCount: records.length, bytes: 4, sha256: hash('sha256', 'PAR1') };
      },
      writeRows: () => Promise.reject(new Error('not here')),
      writeResult: () => Promise.reject(new Error('not here')),
      writeLines: () => Promise.reject(new Error('not here')),
      closeView() {
        parts.openViews -= 1;
        return Promise.resolve();
      },
    },
  };
  const rowWriter = createRowWriter(() => startRowsHere(parts.cache.readExportBatch));
  const ledger = openLedger(holdSnapshots([createSnapshotOf(report, records.length)]));
  return Object.assign(parts, { rowWriter, ledger, packSigner: openPackSigner() });
}
