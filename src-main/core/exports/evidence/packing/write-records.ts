import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonTexts } from '../../../../common/json.ts';
import { RFC_4180 } from '../../../../common/model/exports/export-options.ts';
import type { Session, SessionRequest } from '../../../../common/model/records/conversation.ts';
import { type RecordDetail, toRecordId } from '../../../../common/model/records/record.ts';
import {
  type DetailKind,
  type Direction,
  DIRECTIONS,
  REPORTS,
} from '../../../../common/reporting/reports.ts';
import { PRIVATE_FILE_MODE, tryToRemove } from '../../../../node/files.ts';
import type { CallContext } from '../../../calls/calls.ts';
import {
  arrangeDetailColumns,
  type ColumnChoice,
  type ExportColumn,
  type ExportValue,
  watchDirectionMarks,
} from '../../export-columns.ts';
import { createNdjsonWriter, type ExportAbout, type ExportPiece } from '../../formats/export-writer.ts';
import { WRITERS } from '../../formats/writers.ts';
import { createEntryPacker, createZipWriter } from '../../formats/xlsx/zip-writer.ts';
import { guardWriting } from '../../partial-file.ts';
import type { ReadRecords, Rows } from '../../rows/open-rows.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { splitRows } from '../../rows/row-file.ts';
import { joinFields, maskColumns } from '../masking/create-masks.ts';
import type { Masks } from '../masking/masks.ts';

const PIECE_BYTES = 1024 * 1024;

/** A file of a pack. */
export interface PackFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A file of a pack that is being written. */
interface PackEntry {
  write(piece: ExportPiece): Promise<void>;
  end(): Promise<PackFile>;
}

/** Writes the files of a pack one after the other. */
export interface PackWriter {
  /** The files that are whole, in their order. */
  readonly files: readonly PackFile[];
  /** Begins a file; the one before has ended. */
  begin(path: string): Promise<PackEntry>;
  /** Begins a file that is written while another one is. It lies in the scratch folder until it ends, after that one. */
  beginAside(path: string): Promise<PackEntry>;
  /** Writes a file that is one piece. */
  add(path: string, piece: ExportPiece): Promise<PackFile>;
  /** Ends the ZIP; a comment of so many bytes follows. */
  end(commentBytes: number): Promise<void>;
  /** Removes what lies in the scratch folder. Never rejects. */
  close(): Promise<void>;
}

/** Makes a writer of a ZIP whose pieces go to `put` as they come. */
export function createPackWriter(
  put: (piece: ExportPiece) => Promise<void>,
  modified: Date,
  scratchFolder: string,
): PackWriter {
  const zip = createZipWriter(modified);
  const files: PackFile[] = [];
  const leave: (() => Promise<void>)[] = [];

  /** An entry whose content goes to `take`, with what stands in a pack about it. */
  const sumUp = (
    path: string,
    take: (piece: Uint8Array) => Promise<void>,
    finish: () => Promise<void>,
  ): PackEntry => {
    const hash = createHash('sha256');
    let bytes = 0;
    return {
      async write(piece) {
        const buffer = typeof piece === 'string' ? Buffer.from(piece) : piece;
        if (buffer.length === 0) return;
        hash.update(buffer);
        bytes += buffer.length;
        await take(buffer);
      },
      async end() {
        await finish();
        const file = { path, bytes, sha256: hash.digest('hex') };
        files.push(file);
        return file;
      },
    };
  };

  const begin = async (path: string): Promise<PackEntry> => {
    await put(await zip.begin(path, { isLarge: true }));
    return sumUp(
      path,
      async (piece) => put(await zip.write(piece)),
      () => Promise.resolve(),
    );
  };
  return {
    files,
    begin,
    async beginAside(path) {
      await guardWriting(() => mkdir(scratchFolder, { recursive: true, mode: 0o700 }));
      const scratch = join(scratchFolder, `${randomUUID()}.part`);
      const handle = await guardWriting(() => open(scratch, 'wx+', PRIVATE_FILE_MODE));
      const remove = async (): Promise<void> => {
        await handle.close().catch(() => undefined);
        await tryToRemove(scratch, () => undefined);
      };
      leave.push(remove);
      const sum = { crc: 0, size: 0, packedSize: 0 };
      const packer = createEntryPacker(sum);
      const keep = (bytes: Uint8Array): Promise<void> => guardWriting(() => handle.writeFile(bytes));
      return sumUp(
        path,
        async (piece) => keep(await packer.write(piece)),
        async () => {
          await keep(await packer.end());
          const { before, behind } = await zip.add(path, sum, { isLarge: true });
          await put(before);
          const piece = Buffer.alloc(Math.min(PIECE_BYTES, sum.packedSize));
          for (let at = 0; at < sum.packedSize;) {
            const { bytesRead } = await guardWriting(() => handle.read(piece, 0, piece.length, at));
            if (bytesRead === 0) throw new Error('The scratch file is shorter than what was written to it.');
            await put(piece.subarray(0, bytesRead));
            at += bytesRead;
          }
          await put(behind);
          await remove();
        },
      );
    },
    async add(path, piece) {
      const entry = await begin(path);
      await entry.write(piece);
      return entry.end();
    },
    end: async (commentBytes) => put(await zip.end(commentBytes)),
    async close() {
      for (const remove of leave.splice(0)) await remove();
    },
  };
}

/** What is worth knowing about the records as they were written. */
export interface WrittenRecords {
  readonly columns: readonly string[];
  /** Characters that CSV can't hold; NDJSON has them. */
  readonly replacedCharacters: number;
  readonly directionMarks: readonly string[];
}

/** The records of a pack while they are written, in every form at once. */
export interface PackedRecords {
  /** Writes the records of a batch; its progress is the number of those written so far. */
  write(batch: RowBatch, context: Pick<CallContext<number>, 'pause' | 'progress'>): Promise<void>;
  end(): Promise<{ readonly recordCount: number; readonly written: WrittenRecords }>;
}

/** Begins the records of a pack, masked; `other` where they are those of the other direction. */
export async function beginRecords(
  pack: PackWriter,
  { columns: all, measure, read }: Rows<RecordDetail>,
  masks: Masks,
  { about, other }: { readonly about: ExportAbout; readonly other?: DetailKind | undefined },
): Promise<PackedRecords> {
  const masked = createMaskedRows(all, masks);
  const { columns, list } = watchDirectionMarks(masked.columns);
  const files = await Promise.all(
    RECORD_FORMATS.map(async (format, place) => {
      const path = toRecordPath(format, other);
      return {
        // The columns of the first file see every text.
        writer: WRITERS[format](place === 0 ? columns : masked.columns, about, { csv: RFC_4180 }),
        entry: place === 0 ? await pack.begin(path) : await pack.beginAside(path),
      };
    }),
  );
  for (const { writer, entry } of files) await entry.write(await writer.begin());
  let recordCount = 0;
  return {
    async write(batch, { pause, progress }) {
      for await (const records of read(batch)) {
        for (const some of splitRows(records, measure)) {
          await pause();
          const rows = some.map(masked.toRow);
          for (const { writer, entry } of files) await entry.write(await writer.write(rows));
          recordCount += some.length;
          progress(recordCount);
        }
      }
    },
    async end() {
      let replacedCharacters = 0;
      for (const { writer, entry } of files) {
        await entry.write(await writer.end());
        await entry.end();
        replacedCharacters += writer.countReplaced();
      }
      const names = columns.map(({ name }) => name);
      return { recordCount, written: { columns: names, replacedCharacters, directionMarks: list() } };
    },
  };
}

/** A record as it leaves: the values of its columns, and the fields of those that hold several. */
interface MaskedRow {
  readonly values: readonly ExportValue[];
  readonly fields: readonly (JsonTexts | null)[];
}

/** Records as they leave. */
interface MaskedRows {
  readonly columns: readonly ExportColumn<MaskedRow>[];
  toRow(record: RecordDetail): MaskedRow;
}

/** Masks records once, however many files are written of them. */
function createMaskedRows(all: readonly ExportColumn<RecordDetail>[], masks: Masks): MaskedRows {
  const masked = maskColumns(all, masks);
  return {
    columns: masked.map(({ name, type, readFields }, place): ExportColumn<MaskedRow> => {
      const column = { name, type, read: ({ values }: MaskedRow): ExportValue => values[place] ?? null };
      return readFields === undefined
        ? column
        : { ...column, readFields: ({ fields }) => fields[place] ?? {} };
    }),
    toRow(record) {
      const fields = masked.map(({ readFields }) => readFields?.(record) ?? null);
      const values = masked.map(({ read }, place) => {
        const own = fields[place] ?? null;
        return own === null ? read(record) : joinFields(own);
      });
      return { values, fields };
    },
  };
}

/** The forms that the records of a pack have. */
export const RECORD_FORMATS = ['csv', 'ndjson'] as const;

/** Names a file of records: those that a pack is of, or (`other`) those of the other direction. */
export function toRecordPath(format: (typeof RECORD_FORMATS)[number], other?: DetailKind): string {
  return `records${other === undefined ? '' : `-${REPORTS[other].direction}`}.${format}`;
}

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
