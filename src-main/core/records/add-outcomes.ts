import type { RecordRow } from '../../common/model/records/record.ts';
import { toRecordId } from '../../common/model/records/record-ids.ts';
import { createOutcomeDecider, toRules } from '../../common/reporting/outcome.ts';
import type { Direction } from '../../common/reporting/reports.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Cache } from '../cache/cache.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';

/** What outcomes are found with. */
export interface OutcomeSource {
  readonly cache: Pick<Cache, 'getSnapshot'>;
  readonly engine: Pick<Engine, 'readOutcomes'>;
  readonly connections: Pick<ConnectionStore, 'listSaved'>;
}

/**
 * Adds to rows of one connection and direction what became of their requests. Rules that look at nothing but a row are
 * applied here; only for others the engine is asked.
 */
export async function addOutcomes<Row extends RecordRow>(
  { cache, engine, connections }: OutcomeSource,
  direction: Direction,
  rows: readonly Row[],
): Promise<Row[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { connectionId } = await cache.getSnapshot(first.snapshotId);
  const saved = connections.listSaved().find(({ id }) => id === connectionId);
  const decide = createOutcomeDecider(toRules(saved?.outcomes, direction));
  const decided = rows.map((row) => decide(row));
  const open = rows.filter((_row, place) => decided[place] === null);
  const ids = open.map(({ snapshotId, seq }) => toRecordId(snapshotId, seq));
  const asked = open.length === 0 ? [] : await engine.readOutcomes({ direction, ids });
  const answers = new Map(open.map((row, place) => [row, asked[place] ?? 'unknown']));
  return rows.map((row, place) => ({ ...row, outcome: decided[place] ?? answers.get(row) ?? 'unknown' }));
}
