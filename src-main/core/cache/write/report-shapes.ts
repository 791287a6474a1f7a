import type { Remark } from '../../../common/model/cache/snapshot.ts';
import type { ReportKind } from '../../../common/reporting/reports.ts';
import type { PageShape } from '../../analysis/pages/describe-shape.ts';
import { watchShape, type LearnedShape } from '../../analysis/pages/watch-shape.ts';
import type { Database } from '../../../node/open-database.ts';

/**
 * Keeps what the reports of each connection look like. Each page is compared with it, and adds to it; returns
 * what differs. To be called in the transaction that stores the page.
 */
export function prepareShapeWatch(
  database: Database,
): (connectionId: string, report: ReportKind, page: PageShape) => readonly Remark[] {
  const read = database
    .prepare<[string, ReportKind], string>(
      'SELECT shape FROM report_shapes WHERE connection_id = ? AND report = ?',
    )
    .pluck();
  const write = database.prepare(
    `INSERT INTO report_shapes (connection_id, report, shape) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET shape = excluded.shape`,
  );
  return (connectionId, report, page) => {
    const text = read.get(connectionId, report);
    const known = text === undefined ? null : (JSON.parse(text) as LearnedShape);
    const { learned, departures } = watchShape(known, page);
    write.run(connectionId, report, JSON.stringify(learned));
    return departures;
  };
}
