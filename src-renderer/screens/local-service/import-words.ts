import type { RecordImport } from '../../../src-main/common/model/local-service.ts';
import { formatValues } from '../../messages/format-values.ts';

type Say = (key: string, values: Record<string, unknown>, plural: number) => string;

/** The report as text for the clipboard: a line of counts, then each rejected record with its reason. */
export function toReportText({ fileName, report }: RecordImport, say: Say): string {
  const { lines, added, known, rejected, problems } = report;
  const counts = formatValues({ lines, added, known, rejected });
  const unlisted = formatValues({ count: rejected - problems.length });
  return [
    say('local-service.import.report.summary', { file: fileName, ...counts }, lines),
    ...problems.map(({ line, reason }) => say('local-service.import.report.line', { line, reason }, 1)),
    ...(rejected > problems.length
      ? [say('local-service.import.report.more', unlisted, rejected - problems.length)]
      : []),
    '',
  ].join('\n');
}
