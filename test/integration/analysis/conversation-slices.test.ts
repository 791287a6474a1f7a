import { expect, it } from 'vitest';
import type { TimeSpan } from '../../../src-main/common/time/time-span.ts';
import {
  listGatherSql,
  listTimeSlices,
  readSetValues,
} from '../../../src-main/core/analysis/engine/conversations/gather-conversations.ts';
import { ALWAYS } from '../../../src-main/core/analysis/engine/conversations/member-records.ts';
import { readRows } from '../../../src-main/core/analysis/engine/engine-database.ts';
import { createRandom } from '../../support/samples/schema-values.ts';
import { type FedSnapshot, type UnfedRecord, useFedEngine } from './use-fed-engine.ts';

const engine = useFedEngine();
const random = createRandom(5);
const below = (limit: number): number => Math.floor(random() * limit);
const MINUTE_MS = 60_000;

it('conversations that are gathered slice by slice are those that are gathered at once', async () => {
  const records = Array.from({ length: 600 }, (_, place): UnfedRecord => {
    const isFailed = below(6) === 0;
    return {
      dateMs: below(20) === 0 ? null : place * MINUTE_MS + below(1000),
      // Most go on for a few records, some from one end of the period to the other.
      sessionId: below(10) === 0 ? `long ${below(5)}` : `session ${Math.floor(place / 7)}`,
      client: below(3) === 0 ? '' : `client ${below(40)}`,
      channel: 1 + below(3),
      service: below(5),
      origin: 'web',
      responseTimeMs: below(9) === 0 ? null : below(90_000),
      responseCode: isFailed ? 500 : 200,
      error: isFailed && below(4) > 0 ? `Failed at ${place}` : '',
      botLatencyMs: below(50),
      payload: '',
    };
  });
  const [{ scope }] = (await engine.feed([records])) as [FedSnapshot];
  const { connection } = engine;
  const scopes = [scope];
  const values = await readSetValues(connection, scopes);
  expect([values.channel.length, values.service.length]).toEqual([3, 5]);
  const gather = async (slices: readonly TimeSpan[]): Promise<unknown[][]> => {
    for (const sql of listGatherSql(scopes, 'own', { values, slices })) await connection.run(sql);
    const rows = await readRows<unknown[]>(
      connection,
      'SELECT COLUMNS(*)::VARCHAR FROM own ORDER BY conversation',
    );
    const { length } = await readRows(
      connection,
      "FROM duckdb_tables() WHERE table_name <> 'own' AND temporary",
    );
    expect(length).toBe(0);
    await connection.run('DROP TABLE own');
    return rows;
  };
  const whole = await gather([ALWAYS]);
  expect(whole.length).toBeGreaterThan(40);
  for (const records of [300, 70, 9]) {
    const slices = await listTimeSlices(connection, scopes, records);
    expect(slices.length).toBe(Math.ceil(600 / records));
    expect(await gather(slices)).toEqual(whole);
  }
  expect(await listTimeSlices(connection, scopes)).toEqual([ALWAYS]);
});
