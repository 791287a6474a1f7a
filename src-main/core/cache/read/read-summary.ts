import type { Snapshot } from '../../../common/model/snapshot.ts';
import type { Summary, SummaryGroup } from '../../../common/model/summary.ts';
import type { Database } from '../../../node/open-database.ts';
import { GROUP_COLUMNS } from './record-tables.ts';

/** Prepares the reading of the groups that the service reported. */
export function createSummaryReader(database: Database): (snapshot: Snapshot) => Summary {
  const read = database.prepare<[number], SummaryGroup>(
    `SELECT ${GROUP_COLUMNS.map(({ column, name }) => `${column} AS ${name}`).join(', ')}
     FROM summary_groups WHERE snapshot_id = ? ORDER BY seq`,
  );
  return ({ id }) => {
    const groups = read.all(id);
    const requestCount = groups.reduce((sum, { count }) => sum + count, 0);
    return { source: 'reported', snapshotId: id, groups, requestCount };
  };
}
