import type { Database } from '../../../node/open-database.ts';
import type { CallContext } from '../../calls/call-messages.ts';

export type CheckOperations = ReturnType<typeof createCheckOperations>;

/** SQLite's own check of the whole file, table by table, so that it can be cancelled between two of them. */
export function createCheckOperations(database: Database) {
  return {
    /** The first lines of what is wrong; empty for a sound file. */
    checkFile: async (_input: null, { pause }: CallContext): Promise<string[]> => {
      const tables = database
        .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .pluck()
        .all();
      for (const table of tables) {
        const lines = database.prepare<[], string>(`PRAGMA integrity_check("${table}")`).pluck().all();
        if (lines[0] !== 'ok') return lines.slice(0, 5);
        await pause();
      }
      const orphans = database.pragma('foreign_key_check') as { table: string }[];
      return orphans.slice(0, 5).map(({ table }) => `foreign key of ${table}`);
    },
  };
}
