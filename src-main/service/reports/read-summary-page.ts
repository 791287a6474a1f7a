import type { Direction } from '../../common/reporting/reports.ts';
import type { GroupTotals } from '../store/group-sums.ts';
import type { TrafficGroup } from '../store/traffic-groups.ts';
import { createPageBuffer } from './page-buffer.ts';
import type { PositionedPage, ReportSource } from './positioned-page.ts';
import type { ReportQuery } from './read-report-request.ts';
import type { ReportDefinition } from './report-catalog.ts';
import { writeSummaryDocument } from './write-documents.ts';
import { createSessionWriter } from './write-imported.ts';

interface SummaryGroup {
  readonly group: TrafficGroup;
  readonly totals: GroupTotals;
  readonly rank: number;
}

/**
 * A page of groups: inbound first, then by channel, service, origin and response code. A group keeps its
 * place whatever arrives meanwhile, so the position is the group itself.
 */
export function readSummaryPage(
  source: ReportSource,
  report: ReportDefinition,
  query: ReportQuery,
  after: readonly number[],
): PositionedPage {
  const { store, seed } = source;
  const all = report.directions.flatMap((direction) => readSorted(source, direction, query));
  const [afterId] = after;
  const afterRank = afterId === undefined ? -1 : store.groups.getRank(afterId);
  const rest = all.filter(({ rank }) => rank > afterRank);
  const shown = rest.slice(0, query.size);
  const last = shown.at(-1);
  const documents = createPageBuffer(shown.length);
  const writeSessionId = createSessionWriter(store, seed);
  for (const entry of shown) {
    if (documents.length > 0) documents.write(',');
    writeSummaryDocument(documents, entry.totals, entry.group, writeSessionId);
  }
  return {
    documents,
    totalDocument: all.length,
    next: rest.length > shown.length && last !== undefined ? [last.group.groupId] : null,
  };
}

function readSorted({ store }: ReportSource, direction: Direction, query: ReportQuery): SummaryGroup[] {
  return store.summaries
    .read(direction, query.fromMs, query.toMs)
    .map((totals) => ({
      totals,
      group: store.groups.getGroup(totals.groupId),
      rank: store.groups.getRank(totals.groupId),
    }))
    .sort((a, b) => a.rank - b.rank);
}
