import { AppError } from '../../../common/contract/errors.ts';
import type { Snapshot } from '../../../common/model/cache/snapshot.ts';
import type { Summary, SummaryGroup } from '../../../common/model/records/summary.ts';
import { readPage } from '../../../common/reporting/reading/read-page.ts';
import type { Database } from '../../../node/open-database.ts';
import { isDamagedPage } from '../file/to-cache-error.ts';
import { GROUP_COLUMNS } from './record-tables.ts';
import { createStoredPages, type PageRange } from './stored-pages.ts';

type SummaryPage = PageRange & { readonly executionTimeMs: number | null };

/**
 * Prepares the reading of the groups that the service reported. What is no field of the report is read from the pages as
 * received.
 */
export function createSummaryReader(database: Database): (snapshot: Snapshot) => Summary {
  const read = database.prepare<[number], SummaryGroup>(
    `SELECT ${GROUP_COLUMNS.map(({ column, name }) => `${column} AS ${name}`).join(', ')}
     FROM summary_groups WHERE snapshot_id = ? ORDER BY seq`,
  );
  const pagesOf = database.prepare<[number], SummaryPage>(
    `SELECT page_number AS pageNumber, first_seq AS firstSeq, record_count AS recordCount,
       execution_time_ms AS executionTimeMs
     FROM pages WHERE snapshot_id = ? ORDER BY page_number`,
  );
  const bodies = createStoredPages(database);

  /** The groups of a page as read today; none where its bytes are damaged, since the groups are there without it. */
  const readFresh = ({ id, report }: Snapshot, pageNumber: number): readonly SummaryGroup[] => {
    try {
      const bytes = bodies.readBody(id, pageNumber);
      return readPage(bytes, { report, zone: 'UTC', hasExactExtras: true }).groups;
    } catch (error) {
      const isRefused = error instanceof AppError && error.code.startsWith('client.');
      if (isRefused || isDamagedPage(error)) return [];
      throw error;
    }
  };

  return (snapshot) => {
    const groups = read.all(snapshot.id);
    const pages = pagesOf.all(snapshot.id);
    for (const { pageNumber, firstSeq } of pages) {
      for (const [at, { extra, count, sessionId }] of readFresh(snapshot, pageNumber).entries()) {
        const group = groups[firstSeq + at];
        const isSame = group?.count === count && group.sessionId === sessionId.toWellFormed();
        if (extra !== undefined && isSame) group.extra = extra;
      }
    }
    const times = pages.flatMap(({ executionTimeMs }) => executionTimeMs ?? []);
    return {
      source: 'reported',
      snapshotId: snapshot.id,
      groups,
      requestCount: groups.reduce((sum, { count }) => sum + count, 0),
      executionTimeMs: times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0),
    };
  };
}
