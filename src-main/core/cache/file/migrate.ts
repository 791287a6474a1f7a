import { AppError } from '../../../common/contract/errors.ts';
import { backUp } from './back-up.ts';
import type { Database } from '../../../node/open-database.ts';
import { APPLICATION_ID } from './open-database.ts';
import { readPragma } from './storage-size.ts';

/** One step of the schema; numbered from 1 without gaps. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
  /** What SQL alone can't do, between `sql` and `after`. */
  readonly run?: (database: Database) => void;
  readonly after?: string;
}

/** The version of the schema in the file; 0 for a new one. */
function readVersion(database: Database): number {
  return readPragma(database, 'user_version');
}

/** Throws AppError `cache.newer` for a schema that a later application wrote. */
export function assertNotNewer(database: Database, migrations: readonly Migration[]): void {
  const known = migrations.at(-1)?.version ?? 0;
  const version = readVersion(database);
  if (version <= known) return;
  throw new AppError('cache.newer', 'A later version of the application wrote the cache.', {
    version,
    known,
  });
}

/** Does one step of the schema, without its version. */
export function applyMigration(database: Database, { sql, run, after = '' }: Migration): void {
  database.exec(sql);
  run?.(database);
  database.exec(after);
}

/**
 * Brings the schema up to date: each pending migration in one immediate transaction together with its
 * version. A checked copy of an existing file is put beside it (`.v1.backup`) before the first one.
 */
export function migrate(database: Database, file: string, migrations: readonly Migration[]): void {
  const version = readVersion(database);
  const pending = migrations.filter((migration) => migration.version > version);
  if (pending.length === 0) return;
  if (version > 0) backUp(database, file, version);
  for (const migration of pending) {
    const step = database.transaction(() => {
      applyMigration(database, migration);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${migration.version}`);
    });
    step.immediate();
  }
}
