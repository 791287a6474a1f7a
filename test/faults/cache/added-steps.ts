import { type Migration, MIGRATIONS } from '../../../src-main/core/cache/file/schema.ts';

/** Steps as later versions may need them: a column, a table that is filled by code, a table that is made anew. */
const STEPS: readonly Omit<Migration, 'version'>[] = [
  { sql: "ALTER TABLE snapshots ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'" },
  {
    sql: 'CREATE TABLE page_lengths (page_number INTEGER PRIMARY KEY, length INTEGER NOT NULL) STRICT',
    run: (database) => {
      const insert = database.prepare('INSERT INTO page_lengths VALUES (?, ?)');
      const pages = database.prepare<[], [number, number]>('SELECT page_number, size_bytes FROM pages').raw();
      for (const page of pages.all()) insert.run(...page);
    },
    after: 'CREATE INDEX page_lengths_by_length ON page_lengths (length)',
  },
  {
    sql: `CREATE TABLE page_sizes (page_number INTEGER PRIMARY KEY, size INTEGER NOT NULL) STRICT;
      INSERT INTO page_sizes SELECT page_number, length FROM page_lengths;
      DROP TABLE page_lengths`,
  },
];

/** How many steps `withSteps` knows. */
export const STEP_COUNT = STEPS.length;

/** The cache's schema with some more steps behind it. */
export function withSteps(count: number): Migration[] {
  const added = STEPS.slice(0, count).map((step, index) => ({
    version: MIGRATIONS.length + index + 1,
    ...step,
  }));
  return [...MIGRATIONS, ...added];
}
