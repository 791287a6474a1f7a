import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { isPlainObject } from '../../common/json/is-plain-object.ts';
import { DatasetReport } from '../../common/model/exports/dataset.ts';
import { Nullable } from '../../common/model/nullable.ts';
import { findErrorCode } from '../../node/error-text.ts';
import { retryWhileHeld } from '../../node/retry-while-held.ts';
import { writeFileAtomically } from '../../node/write-file-atomically.ts';

/** Readers of data leave files alone whose names begin with an underscore. */
const FILE_NAME = '_channelscope.json';

/** A day of a report, in UTC; `date` is null for records without a date that could be read. */
const DatasetDay = Type.Object({
  report: DatasetReport,
  date: Nullable(Type.String()),
  /** Path of the file within the folder, with slashes; null for a day without records. */
  file: Nullable(Type.String()),
  records: Type.Integer(),
  bytes: Type.Integer(),
  sha256: Nullable(Type.String()),
  /** Of an incomplete day something is not cached, or not settled yet. */
  state: Type.Enum(['complete', 'incomplete']),
  /** Changes with what the cache holds of the day. */
  source: Type.String(),
  writtenAt: Type.String(),
});
export type DatasetDay = Static<typeof DatasetDay>;

/** What a folder of a connection holds. */
const FORMAT = 'channelscope-dataset';
const DatasetManifest = Type.Object({
  format: Type.Literal(FORMAT),
  version: Type.Literal(1),
  applicationVersion: Type.String(),
  connection: Type.Object({
    id: Type.String(),
    name: Type.String({ minLength: 1, maxLength: 80 }),
    address: Type.String({ minLength: 1, maxLength: 2048 }),
    tenant: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  }),
  updatedAt: Type.String(),
  days: Type.Array(DatasetDay),
});
export type DatasetManifest = Static<typeof DatasetManifest>;

/**
 * Reads the manifest of a folder; null where there is none that can be read. `onUnfit` is called for one that is ours and
 * says what can't be. Throws the system's errors.
 */
export async function readManifest(
  folder: string,
  onUnfit: () => void = () => undefined,
): Promise<DatasetManifest | null> {
  const path = join(folder, FILE_NAME);
  try {
    const text = await retryWhileHeld({ path, action: 'open' }, () => readFile(path, 'utf8'));
    const value: unknown = JSON.parse(text);
    if (Check(DatasetManifest, value)) return value;
    if (isPlainObject(value) && value['format'] === FORMAT) onUnfit();
    return null;
  } catch (error) {
    if (error instanceof SyntaxError || findErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Replaces the manifest in one step. */
export async function writeDatasetManifest(folder: string, manifest: DatasetManifest): Promise<void> {
  await writeFileAtomically(join(folder, FILE_NAME), `${JSON.stringify(manifest, null, 2)}\n`);
}
