import type { RecordDetail } from '../../../../common/model/records/record.ts';
import type { Session, SessionRequest } from '../../../../common/model/records/session.ts';
import { DIRECTIONS, type Direction } from '../../../../common/reporting/reports.ts';
import { toRecordId } from '../../../../common/model/records/record-ids.ts';
import { arrangeDetailColumns, type ColumnChoice } from '../../arrange-columns.ts';
import type { ExportAbout } from '../../formats/export-writer.ts';
import { createNdjsonWriter } from '../../formats/json.ts';
import type { ReadRecords } from '../../rows/open-rows.ts';
import type { Masks } from '../masking/masks.ts';
import { maskColumns } from '../masking/mask-columns.ts';
import type { PackWriter } from './pack-writer.ts';

const BATCH_REQUESTS = 200;

/** A session as the manifest lists it. */
export interface WrittenSession {
  readonly sessionId: string;
  readonly file: string;
  /** Requests that are cached, and those of them that the file holds. */
  readonly requests: number;
  readonly written: number;
}

/** A session to write. */
export interface PackedSession {
  readonly file: string;
  readonly sessionId: string;
  readonly session: Session;
  /** Columns of its records. */
  readonly choice: ColumnChoice;
  readonly about: ExportAbout;
}

/** What the records of a session are read and masked with. */
interface SessionSource {
  readonly readRecords: ReadRecords;
  readonly masks: Masks;
  /** Lets others have their turn. */
  pause(): Promise<void>;
}

type RowText = (direction: Direction, record: RecordDetail) => string;

/** Writes a session into a file of its own: its requests in both directions, masked as the records are. */
export async function writeSession(
  pack: PackWriter,
  { file, sessionId, session, choice, about }: PackedSession,
  { readRecords, masks, pause }: SessionSource,
): Promise<WrittenSession> {
  const toRowText = createRowText(choice, about, masks);
  const shownId = masks.sessionId(sessionId);
  const entry = await pack.begin(file);
  await entry.write(`${JSON.stringify(describeSession(shownId, session)).slice(0, -1)},"requests":[`);
  let separator = '\n';
  for (let start = 0; start < session.requests.length; start += BATCH_REQUESTS) {
    await pause();
    const batch = session.requests.slice(start, start + BATCH_REQUESTS);
    for (const text of await readRowTexts(readRecords, batch, choice, toRowText)) {
      await entry.write(separator + text);
      separator = ',\n';
    }
  }
  await entry.write('\n]}\n');
  await entry.end();
  const requests = session.inbound.requests + session.outbound.requests;
  return { sessionId: shownId, file, requests, written: session.requests.length };
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

function createRowText(choice: ColumnChoice, about: ExportAbout, masks: Masks): RowText {
  const writers = new Map(
    DIRECTIONS.map((direction) => {
      const { columns } = arrangeDetailColumns(`${direction}-detail`, choice, []);
      return [direction, createNdjsonWriter(maskColumns(columns, masks), about)] as const;
    }),
  );
  return (direction, record) =>
    `{"direction":"${direction}","record":${writers.get(direction)?.write([record]).trimEnd() ?? 'null'}}`;
}

/** The requests of a batch, in its order. */
async function readRowTexts(
  readRecords: ReadRecords,
  batch: readonly SessionRequest[],
  { includeMarks = false }: ColumnChoice,
  toRowText: RowText,
): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  for (const direction of DIRECTIONS) {
    const ids = batch
      .filter((request) => request.direction === direction)
      .map(({ snapshotId, seq }) => toRecordId(snapshotId, seq));
    for (let place = 0; place < ids.length;) {
      const rows = await readRecords({
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
