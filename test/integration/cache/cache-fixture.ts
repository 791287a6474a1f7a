import type { InboundDetailDocument } from '../../../src-main/common/reporting/wire-documents.ts';
import { splitPart, type ScopePart } from '../../../src-main/core/analysis/engine/resolved-scope.ts';
import { openEngineSource } from '../../../src-main/core/cache/read/engine-source.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Cache, openCache } from '../../../src-main/core/cache/cache.ts';
import { createEngine, type Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import {
  createRowWriter,
  type RowWriter,
  startRowThread,
} from '../../../src-main/core/exports/thread/create-row-writer.ts';
import { forkProcess, type ChildProcess } from '../../../src-main/node/fork-process.ts';
import type { NewSnapshot } from '../../../src-main/core/cache/write/snapshot-writes.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';
import { makeDocument } from '../../support/samples/make-record.ts';

export const FROM_MS = Date.UTC(2026, 10, 20, 10);

export function openTestCache(file: string): Promise<Cache> {
  return openCache({
    file,
    workerUrl: bundledScript('cache-thread'),
    logger: createSilentLogger(),
    now: () => FROM_MS,
  });
}

/** The engine over a cache that is open, in a process of its own; each one started is added to `processes`. */
export function openTestEngine(
  cacheFile: string,
  processes: ChildProcess[] = [],
  limits = { memoryLimitMb: 128, threads: 1 },
  {
    engineFile = join(dirname(cacheFile), 'analysis.duckdb'),
    ...options
  }: Pick<
    Parameters<typeof createEngine>[0],
    'manyRecords' | 'sqlMemoryMb' | 'listRules' | 'patternLimitMs'
  > & {
    engineFile?: string;
  } = {},
): Engine {
  return createEngine({
    ...options,
    startProcess: (argument) => {
      const child = forkProcess(bundledScript('engine-process'), argument);
      processes.push(child);
      return child;
    },
    start: {
      cacheFile,
      engineFile,
      ...limits,
    },
    logger: createSilentLogger(),
    now: Date.now,
  });
}

/** What writes files row by row over a cache that is open. */
export function openTestRowWriter(cacheFile: string): RowWriter {
  return createRowWriter(() =>
    startRowThread(
      bundledScript('rows-thread'),
      { cacheFile, scratchFolder: join(dirname(cacheFile), 'analysis-files') },
      createSilentLogger(),
    ),
  );
}

export async function createFolder(): Promise<{ file: string; folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'cache-'));
  return { folder, file: join(folder, 'cache.sqlite'), remove: () => rm(folder, { recursive: true }) };
}

/** An inbound document whose every field is there. */
export type TestDocument = InboundDetailDocument;

export function createDocument(index: number, changes: Partial<TestDocument> = {}): TestDocument {
  return makeDocument<TestDocument>('inbound-detail', {
    Id: `00000000-0000-4000-8000-${String(index % 7).padStart(12, '0')}`,
    Date: new Date(FROM_MS + index * 1000).toISOString(),
    Channel: index % 3,
    Service: 10 + (index % 2),
    Client: `client ${index % 5}`,
    ReponseTime: (index * 37) % 100,
    ReponseCode: [200, 200, 404, 500][index % 4] ?? 200,
    Error: index % 4 === 3 ? 'Timed out' : '',
    BotLatency: index % 11,
    Payload: `{"text":"hello ${index}"}`,
    Origin: index % 2 === 0 ? 'web' : 'app',
    ...changes,
  });
}

export function toOutbound(document: TestDocument, actionId: string): Record<string, unknown> {
  const rest: Partial<TestDocument> = { ...document };
  delete rest.BotLatency;
  return { ...rest, ActionId: actionId, Reponse: '{"ok":true}' };
}

export function toBody(
  documents: readonly unknown[],
  lastDocument = '',
  totalDocument = documents.length,
): ArrayBuffer {
  const body = JSON.stringify({
    isValid: true,
    executionTime: 12,
    idReport: '29CDB989-6221-4742-96CA-1A878545B5A3',
    nameVisualization: 'Inbound detail',
    totalDocument,
    pageCount: null,
    lastDocument,
    documents,
  });
  return new Uint8Array(Buffer.from(body)).buffer;
}

export function toNewSnapshot(changes: Partial<NewSnapshot> = {}, seconds = 3600): NewSnapshot {
  const toMs = FROM_MS + (seconds - 1) * 1000;
  const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  return {
    connectionId: 'one',
    tenant: 1,
    report: 'inbound-detail',
    period: { startDate: write(FROM_MS), endDate: write(toMs), fromMs: FROM_MS, toMs, zone: 'UTC' },
    // Long after its period: no late records are expected.
    startedAtMs: (changes.period?.toMs ?? toMs) + 86_400_000,
    stillOpen: false,
    ...changes,
  };
}

export function toPage(snapshotId: number, cursorSent: string, receivedAtMs = FROM_MS + 60) {
  return { snapshotId, cursorSent, requestedAtMs: FROM_MS, receivedAtMs, status: 200, zone: 'UTC' };
}

/** Stores all documents as pages of one snapshot and completes it; returns its id. */
export async function fillSnapshot(
  cache: Cache,
  documents: readonly unknown[],
  changes: Partial<NewSnapshot> = {},
  pageSize = 1000,
): Promise<number> {
  const { id } = await cache.createSnapshot(toNewSnapshot(changes));
  let cursor = '';
  for (let from = 0; from < documents.length || from === 0; from += pageSize) {
    const isLast = from + pageSize >= documents.length;
    const next = isLast ? '' : `after ${from + pageSize}`;
    const body = toBody(documents.slice(from, from + pageSize), next, documents.length);
    await cache.storePage(toPage(id, cursor, (changes.startedAtMs ?? FROM_MS) + 60), body).stored;
    cursor = next;
  }
  await cache.finishSnapshot({ snapshotId: id, state: 'complete', failure: null });
  return id;
}

/** Places of a snapshot's records in the order received: its most recent slice may be stored first. */
export function listReceived(file: string, snapshotId: number): number[] {
  const source = openEngineSource(file);
  try {
    const { recordCount } = source.getSnapshot(snapshotId);
    const part: ScopePart = { snapshotId, recordCount, spans: null, withUndated: true };
    return splitPart(part, source.listRunStarts(snapshotId)).flatMap(
      ({ fromSeq = 0, recordCount: untilSeq }) =>
        Array.from({ length: untilSeq - fromSeq }, (_none, place) => fromSeq + place),
    );
  } finally {
    source.close();
  }
}
