import type { Input } from '../../../common/contract/index.ts';
import type { RecordDetail } from '../../../common/model/records/record.ts';
import type { Session, SessionRequest } from '../../../common/model/records/session.ts';
import { RECORD_ID_SPAN } from '../../analysis/engine/record-scope.ts';
import { DIRECTIONS, type Direction } from '../../../common/reporting/reports.ts';
import { arrangeDetailColumns } from '../arrange-columns.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import { createNdjsonWriter } from '../formats/json.ts';
import type { EvidenceParts } from './evidence-parts.ts';
import type { Masks } from './masking/masks.ts';
import { maskColumns } from './masking/mask-columns.ts';
import type { PackWriter } from './pack-writer.ts';

/** Requests of one session that are written; the oldest ones. */
const MAX_REQUESTS = 2_000;
const BATCH_REQUESTS = 200;

/** A session as the manifest lists it. */
export interface WrittenSession {
  readonly sessionId: string;
  readonly file: string;
  /** Requests that are cached, and those of them that the file holds. */
  readonly requests: number;
  readonly written: number;
}

type SessionInput = Pick<Input<'exports/start'>, 'includeMarks' | 'zone' | 'layout'>;
type RowText = (direction: Direction, record: RecordDetail) => string;

/** Writes sessions, each in a file of its own: its requests in both directions, masked as the records are. */
export async function writeSessions(
  pack: PackWriter,
  parts: Pick<EvidenceParts, 'cache' | 'engine'>,
  {
    connectionId,
    sessionIds,
    input,
    about,
  }: {
    readonly connectionId: string;
    readonly sessionIds: readonly string[];
    readonly input: SessionInput;
    readonly about: ExportAbout;
  },
  masks: Masks,
  signal: AbortSignal,
): Promise<WrittenSession[]> {
  const toRowText = createRowText(input, about, masks);
  const written: WrittenSession[] = [];
  for (const [place, sessionId] of sessionIds.entries()) {
    signal.throwIfAborted();
    const session = await parts.engine.readSession(
      { connectionId, sessionId, limit: MAX_REQUESTS },
      { signal },
    );
    const file = `sessions/${String(place + 1).padStart(3, '0')}.json`;
    const shownId = masks.sessionId(sessionId);
    await pack.add(file, async (write) => {
      await write(`${JSON.stringify(describeSession(shownId, session)).slice(0, -1)},"requests":[`);
      let separator = '\n';
      for (let start = 0; start < session.requests.length; start += BATCH_REQUESTS) {
        signal.throwIfAborted();
        const batch = session.requests.slice(start, start + BATCH_REQUESTS);
        for (const text of await readRowTexts(parts.cache, batch, input, toRowText)) {
          await write(separator + text);
          separator = ',\n';
        }
      }
      await write('\n]}\n');
    });
    const requests = session.inbound.requests + session.outbound.requests;
    written.push({ sessionId: shownId, file, requests, written: session.requests.length });
  }
  return written;
}

function describeSession(sessionId: string, session: Session): Readonly<Record<string, unknown>> {
  const { inbound, outbound, undatedCount, firstMs, lastMs, requests } = session;
  const toIso = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());
  return {
    sessionId,
    inbound,
    outbound,
    // They have no place among the others.
    requestsWithoutDate: undatedCount,
    requestsNotListed: inbound.requests + outbound.requests - undatedCount - requests.length,
    first: toIso(firstMs),
    last: toIso(lastMs),
  };
}

function createRowText(input: SessionInput, about: ExportAbout, masks: Masks): RowText {
  const writers = new Map(
    DIRECTIONS.map((direction) => {
      const { columns } = arrangeDetailColumns(`${direction}-detail`, { ...input, includePayload: true }, []);
      return [direction, createNdjsonWriter(maskColumns(columns, masks), about)] as const;
    }),
  );
  return (direction, record) =>
    `{"direction":"${direction}","record":${writers.get(direction)?.write([record]).trimEnd() ?? 'null'}}`;
}

/** The requests of a batch, in its order. */
async function readRowTexts(
  cache: EvidenceParts['cache'],
  batch: readonly SessionRequest[],
  { includeMarks = false }: SessionInput,
  toRowText: RowText,
): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  for (const direction of DIRECTIONS) {
    const ids = batch
      .filter((request) => request.direction === direction)
      .map(({ snapshotId, seq }) => snapshotId * RECORD_ID_SPAN + seq);
    for (let place = 0; place < ids.length;) {
      const rows = await cache.readExportBatch({
        report: `${direction}-detail`,
        ids: ids.slice(place),
        includePayload: true,
        includeMarks,
      });
      for (const row of rows)
        texts.set(`${direction} ${row.snapshotId} ${row.seq}`, toRowText(direction, row));
      place += rows.length;
      if (rows.length === 0) break;
    }
  }
  return batch.flatMap(
    ({ direction, snapshotId, seq }) => texts.get(`${direction} ${snapshotId} ${seq}`) ?? [],
  );
}
