import { REPORTS, type SummaryKind } from '../../common/reporting/reports.ts';
import type { GroupTotals } from '../store/record-store.ts';
import { writeText } from '../../node/text-bytes.ts';
import { createPageBuffer, getLength } from './page-buffer.ts';
import type { ReportQuery } from './read-report-request.ts';
import type { PositionedPage, ReportSource } from './report-page.ts';
import { createGroupDocumentWriter } from './write-documents.ts';

const EXPECTED_GROUP_BYTES = 200;

/**
 * Reads a page of groups: inbound first, then by channel, service, origin and response code, no code first. A group keeps
 * its place whatever arrives meanwhile, so a position is the group itself.
 */
export async function readSummaryPage(
  { store, seed }: ReportSource,
  kinds: readonly SummaryKind[],
  { fromMs, toMs, size }: ReportQuery,
  [lastGroupId]: readonly number[],
): Promise<PositionedPage> {
  const byKind = await Promise.all(
    kinds.map(async (kind) => {
      const groups = await store.readSummary(REPORTS[kind].direction, { fromMs, toMs });
      const write = createGroupDocumentWriter(kind, seed);
      return groups.toSorted(compareGroups).map((group) => ({ group, write }));
    }),
  );
  const all = byKind.flat();
  const start =
    lastGroupId === undefined ? 0 : 1 + all.findIndex(({ group }) => group.groupId === lastGroupId);
  const shown = all.slice(start, start + size);
  const documents = createPageBuffer(shown.length * EXPECTED_GROUP_BYTES);
  for (const { group, write } of shown) {
    if (getLength(documents) > 0) writeText(documents, ',');
    write(documents, group);
  }
  const last = start + shown.length < all.length ? shown.at(-1) : undefined;
  return { documents, totalDocument: all.length, next: last === undefined ? null : [last.group.groupId] };
}

function compareGroups(a: GroupTotals, b: GroupTotals): number {
  if (a.channel !== b.channel) return a.channel - b.channel;
  if (a.service !== b.service) return a.service - b.service;
  if (a.origin !== b.origin) return a.origin < b.origin ? -1 : 1;
  if (a.responseCode === b.responseCode) return 0;
  return (a.responseCode ?? -Infinity) - (b.responseCode ?? -Infinity);
}
