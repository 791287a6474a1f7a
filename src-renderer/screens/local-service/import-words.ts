import type { ImportFault } from '../../../src-main/common/model/connections/connection.ts';
import type { RecordImport } from '../../../src-main/common/model/connections/local-service.ts';
import { formatValues } from '../../messages/format-values.ts';

type Translate = (key: string, values: Record<string, unknown>, plural: number) => string;

/** Why a line was rejected, in the window's language: a sentence for each fault. */
export function toFaultText(faults: readonly ImportFault[], t: Translate): string {
  return faults
    .map(({ code, values }) => t(`local-service.import.faults.${code}`, formatValues(values), 1))
    .join(' ');
}

/** The report as text for the clipboard: a line of counts, then each rejected record with its reason. */
export function toReportText({ fileName, report }: RecordImport, t: Translate): string {
  const { lines, added, known, rejected, problems } = report;
  const counts = formatValues({ lines, added, known, rejected });
  const unlisted = formatValues({ count: rejected - problems.length });
  return [
    t('local-service.import.report.summary', { file: fileName, ...counts }, lines),
    ...problems.map(({ line, faults }) =>
      t('local-service.import.report.line', { line, reason: toFaultText(faults, t) }, 1),
    ),
    ...(rejected > problems.length
      ? [t('local-service.import.report.more', unlisted, rejected - problems.length)]
      : []),
    '',
  ].join('\n');
}
