import type { RecordImport } from '../../../src-main/common/model/connections/local-service.ts';
import { formatValues } from '../../messages/format-values.ts';

type Translate = (key: string, values: Record<string, unknown>, plural: number) => string;

/** The report as text for the clipboard: a line of counts, then each rejected record with its reason. */
export function toReportText({ fileName, report }: RecordImport, t: Translate): string {
  const { lines, added, known, rejected, problems } = report;
  const counts = formatValues({ lines, added, known, rejected });
  const unlisted = formatValues({ count: rejected - problems.length });
  return [
    t('local-service.import.report.summary', { file: fileName, ...counts }, lines),
    ...problems.map(({ line, reason }) => t('local-service.import.report.line', { line, reason }, 1)),
    ...(rejected > problems.length
      ? [t('local-service.import.report.more', unlisted, rejected - problems.length)]
      : []),
    '',
  ].join('\n');
}
