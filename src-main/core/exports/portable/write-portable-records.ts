import { createReadStream } from 'node:fs';
import { AppError } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import { tryToRemove } from '../../../node/move-and-remove.ts';
import type { FileProgress } from '../../analysis/engine/files/write-file.ts';
import type { TaskHandle } from '../../tasks/task-registry.ts';
import { prepareRecords, type RecordParts } from '../prepare-records.ts';
import { toNotPortable } from './not-portable.ts';
import type { PortableRecords } from './portable-manifest.ts';
import type { ZipFile } from './zip-file.ts';

const PIECE_BYTES = 1024 * 1024;
/** An entry of a ZIP without its longer forms holds less. */
const MAX_ENTRY_BYTES = 0xffff_fffe;

/**
 * Writes the records of a snapshot into a portable file as Parquet: every field as received, and nothing of a person's
 * own. Throws `exports.not-portable` where they are others than the snapshot says, `cache.*` and `analysis.*`.
 */
export async function writePortableRecords(
  parts: RecordParts & { now(): number },
  { id: snapshotId, recordCount }: Snapshot,
  { path, file }: { readonly path: string; readonly file: ZipFile },
  { signal, onProgress }: { readonly signal: TaskHandle['signal']; onProgress(records: number): void },
): Promise<PortableRecords> {
  const { inEngine, describe } = await prepareRecords(
    parts,
    {
      scope: { snapshotId },
      format: 'parquet',
      filter: { conditions: [] },
      order: [{ column: 'received', descending: false }],
      includePayload: true,
    },
    'parquet',
  );
  const about = { ...describe(recordCount, parts.now()), recordCount: undefined };
  const written = await inEngine?.write(JSON.stringify(about), {
    signal,
    onProgress: (progress) => onProgress((progress as FileProgress).done),
  });
  if (written === null || written === undefined) {
    throw new AppError('app.invalid-input', 'Parquet is written by the engine.', {});
  }
  try {
    const { bytes, sha256, rowCount } = written;
    if (rowCount !== recordCount) throw toNotPortable('changed');
    if (bytes > MAX_ENTRY_BYTES) throw toNotPortable('too-large');
    await file.begin(path);
    const pieces = createReadStream(written.path, { highWaterMark: PIECE_BYTES, signal });
    for await (const piece of pieces as AsyncIterable<Buffer>) await file.write(piece);
    return { path, bytes, sha256, recordCount };
  } finally {
    await tryToRemove(written.path, () => undefined);
  }
}
