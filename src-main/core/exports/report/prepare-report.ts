import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../common/contract/errors.ts';
import type { Input, Output } from '../../../common/contract/index.ts';
import type { DocumentFormat } from '../../../common/model/exports/export-options.ts';
import { isDetailKind } from '../../../common/reporting/reports.ts';
import { isTimeZone } from '../../../common/time/time-zones.ts';
import { removePatiently } from '../../../node/move-and-remove.ts';
import { PRIVATE_FILE_MODE } from '../../../node/private-files.ts';
import type { Engine } from '../../analysis/engine/create-engine.ts';
import type { Cache } from '../../cache/cache.ts';
import type { Host } from '../../host.ts';
import {
  createJobMasks,
  describeMasks,
  maskStatedFilter,
  toExportMasks,
} from '../evidence/masking/export-masks.ts';
import type { ExportMasks } from '../evidence/masking/masks.ts';
import { maskReport, type MaskedReport } from '../evidence/packing/pack-operations.ts';
import { describeExport, readExportSubject, type SubjectParts } from '../export-subject.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import type { PreparedDocument } from '../prepared-export.ts';
import { toExportFileName } from '../safe-file-name.ts';
import { readReport, REPORT_STEPS, type ReportParts } from './read-report.ts';
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
    readonly cache: SubjectParts['cache'] & Pick<Cache, 'readExportBatch'>;
    readonly engine: MaskingEngine;
    readonly host: Pick<Host, 'printPdf'>;
  },
  input: ExportInput,
  format: ReportFormat,
  pseudonymKey: Uint8Array,
): Promise<PreparedDocument> {
  const { scope, zone, filter, isSummary = false, isBrief = false } = input;
  if (zone !== undefined && !isTimeZone(zone)) {
    throw new AppError('app.invalid-input', 'An export needs a time zone that is known.', { zone });
  }
  const subject = await readExportSubject(parts, scope);
  if (isSummary || !isDetailKind(subject.report)) {
    throw new AppError('app.invalid-input', 'A report is made of detail records, not of a summary.', {});
  }
  const masks = toExportMasks(parts.engine, subject, input, pseudonymKey);
  const stated = masks === null ? input : { ...input, filter: maskStatedFilter(filter, masks.job) };
  const describe = (count: number, nowMs: number): ExportAbout => ({
    ...describeExport(subject, stated, count, nowMs),
    ...(masks === null ? {} : describeMasks(masks.job)),
  });
  const read = async (
    signal: AbortSignal,
    onStep: (done: number, count: number) => void,
  ): Promise<ReportContent> => {
    const content = await readReport(parts, { subject, input, describe }, { signal, onStep });
    return masks === null
      ? content
      : {
          ...content,
          ...(await maskContent(
            parts,
            content,
            { input, connectionId: subject.connectionId, masks },
            signal,
          )),
        };
  };
  const { connectionId, snapshotId, recordCount } = subject;
  return {
    format,
    connectionId,
    snapshotId,
    recordCount,
    missing: subject.missing,
    suggestedName: toExportFileName(subject, format, { zone, filter: stated.filter }),
    async write(file, { signal, progress }) {
      const content = await read(signal, (done, count) =>
        progress(Math.floor((count * done) / (REPORT_STEPS + 1)), count),
      );
      const text = writeReport(content, isBrief);
      await file.write(format === 'pdf' ? await printReport(parts.host, text, signal) : text);
      return { recordCount: content.total.count };
    },
    preview: async () =>
      previewReport(await read(new AbortController().signal, () => undefined), format, isBrief),
  };
}

type MaskingEngine = Pick<Engine, 'listClients' | 'listFamilyNames' | 'openView' | 'readIds' | 'closeView'>;

/** Records of a family that say how it is written. */
const FAMILY_RECORDS = 20;

/**
 * Masks what a report tells of texts: a family is shown as its first records are, so that it says nothing of a client or
 * a payload that they quote. Throws `analysis.*` and `cache.*`.
 */
async function maskContent(
  { cache, engine }: { readonly cache: Pick<Cache, 'readExportBatch'>; readonly engine: MaskingEngine },
  content: ReportContent,
  {
    input,
    connectionId,
    masks: own,
  }: { readonly input: ExportInput; readonly connectionId: string; readonly masks: ExportMasks },
  signal: AbortSignal,
): Promise<MaskedReport> {
  const { families, findings } = content;
  const masks = createJobMasks(own.job, await own.openKnown(signal), true);
  masks.addFamilies(await engine.listFamilyNames({ connectionId }, { signal }));
  const patterns = new Set([
    ...families.families.map(({ pattern }) => pattern),
    ...findings.list.flatMap(({ errorFamily }) => errorFamily ?? []),
  ]);
  for (const pattern of patterns) {
    signal.throwIfAborted();
    const conditions = [...input.filter.conditions, { field: 'errorFamily' as const, values: [pattern] }];
    const filter = { ...input.filter, conditions };
    const { viewId } = await engine.openView({ scope: input.scope, filter, order: [] }, { signal });
    try {
      const { report, ids } = await engine.readIds({ viewId, offset: 0, limit: FAMILY_RECORDS }, { signal });
      const wanted = { report, ids, includePayload: true, includeMarks: false };
      for (const record of await cache.readExportBatch(wanted)) masks.error(record);
    } finally {
      await engine.closeView(viewId).catch(() => undefined);
    }
  }
  return maskReport({ families, findings }, masks);
}

/** What the report will hold, part by part, and its size. */
function previewReport(content: ReportContent, format: ReportFormat, isBrief: boolean): Preview {
  const { t, formats } = content.words;
  const { total, buckets, pairs, codes, families, findings, gaps, certificates } = content;
  const first: readonly (readonly [name: string, count: number])[] = [
    [t('report.findings.title'), findings.list.length],
    [t('report.families.label'), families.familyCount],
    [t('report.records'), total.count],
    [t('report.preview.points'), buckets.length],
  ];
  const rest: typeof first = [
    [t('report.groups.pairs'), pairs.groupCount],
    [t('report.groups.codes'), codes.groupCount],
    [t('report.preview.gaps'), gaps.length],
    [t('report.certificates.title'), certificates.length],
  ];
  const parts = isBrief ? first : [...first, ...rest];
  return {
    columns: [],
    text: null,
    cells: [
      [t('report.preview.part'), t('report.preview.holds')],
      ...parts.map(([name, count]) => [name, formats.formatCount(count)]),
    ],
    rowCount: total.count,
    // How large the printed pages are shows once they are.
    estimatedBytes: format === 'html' ? Buffer.byteLength(writeReport(content, isBrief)) : null,
  };
}

/** Returns a report as the bytes of a PDF. Throws as the host's `printPdf` does; leaves no file behind. */
export async function printReport(
  { printPdf }: Pick<Host, 'printPdf'>,
  report: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  // Only its owner can read this folder.
  const folder = await mkdtemp(join(tmpdir(), 'channelscope-report-'));
  try {
    const [source, target] = [join(folder, 'report.html'), join(folder, 'report.pdf')];
    await writeFile(source, report, { mode: PRIVATE_FILE_MODE });
    await printPdf(source, target, signal);
    return await readFile(target);
  } finally {
    await removePatiently(folder, { isFolder: true });
  }
}
