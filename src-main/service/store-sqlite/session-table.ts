import type { Database } from '../../node/open-database.ts';

/** Imported sessions. Records refer to them by negated numbers, which is how a record is known to be imported. */
export interface SessionTable {
  /** Number of an imported session, below 0; an unknown one is added, inside the caller's transaction. */
  resolve(id: string): number;
  /** Identifier of a session whose number is below 0. */
  getId(session: number): string;
}

/** Prepares the look-up and adding of imported sessions. */
export function createSessionTable(db: Database): SessionTable {
  const find = db.prepare<[string], number>('SELECT session FROM import_session WHERE id = ?').pluck();
  const add = db.prepare<[string]>('INSERT INTO import_session (id) VALUES (?)');
  const read = db.prepare<[number], string>('SELECT id FROM import_session WHERE session = ?').pluck();
  return {
    resolve: (id) => -(find.get(id) ?? Number(add.run(id).lastInsertRowid)),
    getId: (session) => read.get(-session) ?? '',
  };
}
