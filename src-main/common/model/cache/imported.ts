import { Type, type Static } from 'typebox';
import { Nullable } from '../nullable.ts';

const ImportFormat = Type.Enum(['csv', 'json', 'ndjson', 'parquet', 'portable']);

/** Where the records of a snapshot came from that was imported, and not received from the service. */
export const ImportedFrom = Type.Object({
  /** The file's name as the person knew it. */
  fileName: Type.String(),
  format: ImportFormat,
  /** SHA-256 of the whole file, in hex. */
  fileSha256: Type.String(),
  importedAtMs: Type.Integer(),
  /** What the file says of where it was made; null where it says nothing. */
  connectionName: Nullable(Type.String()),
  serviceAddress: Nullable(Type.String()),
  exportedAtMs: Nullable(Type.Integer()),
});
export type ImportedFrom = Static<typeof ImportedFrom>;

/** What is kept as the tenant of imported records whose file names none. */
export const TENANT_NOT_STATED = 0;

/** Stands for the address of a service that a file doesn't name. */
export const ADDRESS_NOT_STATED = 'imported';

/** The tenant of records; null where they were imported and no file says it. */
export function toKnownTenant(tenant: number, isImported: boolean): number | null {
  return isImported && tenant === TENANT_NOT_STATED ? null : tenant;
}
