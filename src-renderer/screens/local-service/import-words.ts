import type { RecordImport } from '../../../src-main/common/model/local-service.ts';

/** The report as text for the clipboard: one line of counts, then each rejected line with its reason. */
export function toReportText({ fileName, report }: RecordImport): string {
  const { lines, added, known, rejected, problems } = report;
  return [
    `${fileName}: ${lines} lines, ${added} added, ${known} known already, ${rejected} rejected`,
    ...problems.map(({ line, reason }) => `Line ${line}: ${reason}`),
    ...(rejected > problems.length
      ? [`${rejected - problems.length} more rejected lines are not listed`]
      : []),
    '',
  ].join('\n');
}
