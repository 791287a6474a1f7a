import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyInOrder } from '../../../src-main/core/analysis/engine/files/file-operations.ts';
import { createFolder } from '../cache/cache-fixture.ts';

/** Several of the groups that threads take rows from. */
const ROWS = 600_000;

let place: Awaited<ReturnType<typeof createFolder>>;
beforeEach(async () => {
  place = await createFolder();
});
afterEach(() => place.remove());

it.each([
  ['as they are stored', '', (row: number) => row],
  ['as they are sorted', ' ORDER BY row DESC', (row: number) => ROWS - 1 - row],
])('rows of several threads are copied %s', async (_title, order, toValue) => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '4' });
  const connection = await instance.connect();
  try {
    await connection.run(`CREATE TABLE half AS SELECT range AS row FROM range(${ROWS / 2})`);
    const from = `FROM (SELECT row FROM half UNION ALL SELECT row + ${ROWS / 2} AS row FROM half)`;
    const { select, copyOptions } = copyInOrder('row', { from, order });
    const file = join(place.folder, 'rows.csv');
    await connection.run(`COPY (${select}) TO '${file}' (FORMAT csv, HEADER false${copyOptions})`);
    const rows = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(rows).toHaveLength(ROWS);
    expect(rows.findIndex((row, at) => Number(row) !== toValue(at))).toBe(-1);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});
