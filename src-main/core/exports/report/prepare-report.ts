import { AppError } from '../../../common/contract/errors.ts';
import type { Input, Output } from '../../../common/contract/index.ts';
import type { DocumentFormat } from '../../../common/model/exports/export-options.ts';
import { isDetailKind } from '../../../common/reporting/reports.ts';
import { isTimeZone } from '../../../common/time/time-zones.ts';
import type { Host } from '../../host.ts';
import { describeExport } from '../describe-export.ts';
import { readExportSubject, type SubjectParts } from '../export-subject.ts';
import type { PreparedDocument } from '../prepared-export.ts';
import { toExportFileName } from '../safe-file-name.ts';
import { printReport } from './print-report.ts';
import { readReport, REPORT_STEPS } from './read-report.ts';
import type { ReportParts } from './report-parts.ts';
import type { ReportContent } from './report-content.ts';
import { writeReport } from './write-report.ts';

type ExportInput = Input<'exports/start'>;
type ReportFormat = Exclude<DocumentFormat, 'evidence'>;
type Preview = Output<'exports/preview'>;

/**
 * Prepares a report, in either format, of the detail records of a snapshot or a period. Throws `cache.*`, and `app.invalid-input` for a zone
 * that nobody knows, and for summaries, which are tables already.
 */
export async function prepareReport(
  parts: ReportParts & {
    readonly cache: SubjectParts['cache'];
    readonly host: Pick<Host, 'printPdf'>;
  },
  input: ExportInput,
  format: ReportFormat,
): Promise<PreparedDocument> {
  const { scope, zone, filter, isSummary = false } = input;
  if (zone !== undefined && !isTimeZone(zone)) {
    throw new AppError('app.invalid-input', 'An export needs a time zone that is known.', { zone });
  }
  const subject = await readExportSubject(parts, scope);
  if (isSummary || !isDetailKind(subject.report)) {
    throw new AppError('app.invalid-input', 'A report is made of detail records, not of a summary.', {});
  }
  const read = (signal: AbortSignal, onStep: (done: number, count: number) => void): Promise<ReportContent> =>
    readReport(
      parts,
      { subject, input, describe: (count, nowMs) => describeExport(subject, input, count, nowMs) },
      { signal, onStep },
    );
  const { connectionId, snapshotId, recordCount } = subject;
  return {
    format,
    connectionId,
    snapshotId,
    recordCount,
    missing: subject.missing,
    suggestedName: toExportFileName(subject, format, { zone, filter }),
    async write(file, { signal, progress }) {
      const content = await read(signal, (done, count) =>
        progress(Math.floor((count * done) / (REPORT_STEPS + 1)), count),
      );
      const text = writeReport(content);
      await file.write(format === 'pdf' ? await printReport(parts.host, text, signal) : text);
      return { recordCount: content.total.count };
    },
    preview: async () => previewReport(await read(new AbortController().signal, () => undefined), format),
  };
}

/** What the report will hold, part by part, and its size. */
function previewReport(content: ReportContent, format: ReportFormat): Preview {
  const { t, formats } = content.words;
  const { total, buckets, pairs, codes, families, findings, gaps, certificates } = content;
  const parts: readonly (readonly [name: string, count: number])[] = [
    [t('report.records'), total.count],
    [t('report.findings.title'), findings.list.length],
    [t('report.preview.points'), buckets.length],
    [t('report.groups.pairs'), pairs.groupCount],
    [t('report.groups.codes'), codes.groupCount],
    [t('report.families.label'), families.familyCount],
    [t('report.preview.gaps'), gaps.length],
    [t('report.certificates.title'), certificates.length],
  ];
  return {
    columns: [],
    text: null,
    cells: [
      [t('report.preview.part'), t('report.preview.holds')],
      ...parts.map(([name, count]) => [name, formats.formatCount(count)]),
    ],
    rowCount: total.count,
    // How large the printed pages are shows once they are.
    estimatedBytes: format === 'html' ? Buffer.byteLength(writeReport(content)) : null,
  };
}
