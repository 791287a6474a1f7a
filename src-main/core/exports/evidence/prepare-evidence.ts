import { AppError } from '../../../common/contract/errors.ts';
import type { Input, Output } from '../../../common/contract/index.ts';
import { isDetailKind, type DetailKind } from '../../../common/reporting/reports.ts';
import { isTimeZone } from '../../../common/time/civil-time.ts';
import { type PreparedDocument, readExportSubject } from '../export-subject.ts';
import { toExportFileName } from '../partial-file.ts';
import {
  describeEvidence,
  listSessions,
  openMasks,
  toEvidenceQuestion,
  findOtherDirection,
  limitFindings,
  type EvidenceParts,
  type EvidenceQuestion,
} from './evidence-question.ts';
import { writeEvidence } from './write-evidence.ts';
import { deflateRawSync } from 'node:zlib';
import { RFC_4180 } from '../../../common/model/exports/export-options.ts';
import type { RecordDetail } from '../../../common/model/records/record.ts';
import { type ExportSource, withDetailSource } from '../export-source.ts';
import { WRITERS } from '../formats/writers.ts';
import { toPreviewCell } from '../export-columns.ts';
import { readReport } from '../report/read-report.ts';
import { writeReport } from '../report/write-report.ts';
import { maskFilter, type Masks } from './masking/masks.ts';
import { maskColumns } from './masking/create-masks.ts';
import { POWERSHELL_CHECKER, PYTHON_CHECKER } from './signing/checkers.ts';
import { RECORD_FORMATS, toRecordPath } from './packing/write-records.ts';

/**
 * Prepares an evidence pack of the detail records of a snapshot or a period: a ZIP for a support ticket. The same client
 * has the same pseudonym in all packs that are made with a key. Throws `cache.*`, and `app.invalid-input` for a zone that
 * nobody knows, and for summaries.
 */
export async function prepareEvidence(
  parts: EvidenceParts,
  input: Input<'exports/start'>,
  pseudonymKey: Uint8Array,
): Promise<PreparedDocument> {
  const { scope, zone, isSummary = false } = input;
  if (zone !== undefined && !isTimeZone(zone)) {
    throw new AppError('app.invalid-input', 'An export needs a time zone that is known.', { zone });
  }
  const subject = await readExportSubject(parts, scope);
  if (isSummary || !isDetailKind(subject.report)) {
    throw new AppError('app.invalid-input', 'Evidence is made of detail records, not of a summary.', {});
  }
  const question = toEvidenceQuestion(parts, subject, input, pseudonymKey);
  const { connectionId, snapshotId, recordCount } = subject;
  return {
    format: 'evidence',
    connectionId,
    snapshotId,
    recordCount,
    missing: subject.missing,
    suggestedName: toExportFileName(subject, 'evidence', { zone }),
    write: (file, task) =>
      file.fill((path) =>
        parts.rowWriter.withPack(task.signal, (pack) => writeEvidence(question, pack, path, task)),
      ),
    preview: () => previewEvidence(question),
  };
}

/** Rows that a preview shows, and rows that the size is judged by. */
const SHOWN_ROWS = 5;
const JUDGED_ROWS = 300;
/** As small files are packed. */
const COMPRESSION_LEVEL = 1;

/** A certificate, a session or the manifest, packed, about. */
const SMALL_FILE_BYTES = 1_200;

function packText(text: string | Uint8Array): Uint8Array {
  return deflateRawSync(text, { level: COMPRESSION_LEVEL });
}

type Preview = Output<'exports/preview'>;

/** Returns what a pack will hold, file by file, and the first records as they will be written. */
async function previewEvidence(question: EvidenceQuestion): Promise<Preview> {
  const { parts, subject, report, input, options } = question;
  const { connectionId, provenance } = subject;
  const { signal } = new AbortController();
  const masks = await openMasks(question, signal);
  const found: { records: Awaited<ReturnType<typeof previewRecords>> | null } = { records: null };
  const names = input.includeNames === true ? parts.listNames(connectionId) : [];
  await withDetailSource(parts, { report, input, names }, signal, async (source) => {
    found.records = await previewRecords(question, source, masks);
  });
  const content = await readReport(
    parts,
    {
      subject,
      input,
      describe: (count, nowMs) => describeEvidence(question, maskFilter(input.filter, masks), count, nowMs),
      limitFindings: (all) => limitFindings(question, all, signal),
    },
    { signal, onStep: () => undefined },
  );
  const { list } = content.findings;
  const other = await findOtherDirection(question, list, signal);
  const listRecords = (count: number | null, report?: DetailKind): NonNullable<Preview['files']> =>
    RECORD_FORMATS.map((format) => ({ path: toRecordPath(format, report), holds: 'records', count }));
  const { cells = [], rowCount = null, estimatedBytes: recordBytes = null } = found.records ?? {};
  const { sessionIds } = listSessions(options, list);
  const { snapshotIds } = provenance;
  const others = [writeReport(content), PYTHON_CHECKER, POWERSHELL_CHECKER, JSON.stringify(list)];
  const smallFiles = sessionIds.length + snapshotIds.length + 3;
  const estimatedBytes =
    recordBytes === null
      ? null
      : recordBytes +
        others.reduce((sum, text) => sum + packText(text).length, 0) +
        smallFiles * SMALL_FILE_BYTES;
  return {
    columns: [],
    text: null,
    cells,
    rowCount,
    estimatedBytes,
    signature: await parts.packSigner.find(),
    files: [
      { path: 'report.html', holds: 'report', count: null },
      ...listRecords(rowCount),
      ...(other.ids.length === 0 ? [] : listRecords(other.ids.length, other.report)),
      { path: 'findings.json', holds: 'findings', count: list.length },
      { path: 'sessions/', holds: 'sessions', count: sessionIds.length },
      { path: 'certificates/', holds: 'certificates', count: snapshotIds.length },
      { path: 'manifest.json', holds: 'manifest', count: null },
      { path: 'README.txt', holds: 'readme', count: null },
      { path: 'verify.py, .ps1', holds: 'checkers', count: null },
      { path: 'SHA256SUMS', holds: 'sums', count: null },
    ],
  };
}

async function previewRecords(
  question: EvidenceQuestion,
  source: ExportSource<RecordDetail>,
  masks: Masks,
): Promise<Required<Pick<Preview, 'cells' | 'rowCount' | 'estimatedBytes'>>> {
  const { rowCount } = source;
  const rows: RecordDetail[] = [];
  for await (const batch of source.batches) {
    rows.push(...batch.slice(0, JUDGED_ROWS - rows.length));
    if (rows.length >= JUDGED_ROWS) break;
  }
  const columns = maskColumns(source.columns, masks);
  const about = describeEvidence(
    question,
    maskFilter(question.input.filter, masks),
    rowCount,
    question.parts.now(),
  );
  let judgedBytes = 0;
  for (const format of RECORD_FORMATS) {
    const piece = await WRITERS[format](columns, about, { csv: RFC_4180 }).write(rows);
    judgedBytes += packText(piece).length;
  }
  return {
    cells: [
      columns.map(({ name }) => name),
      ...rows.slice(0, SHOWN_ROWS).map((row) => columns.map((column) => toPreviewCell(column, row))),
    ],
    rowCount,
    estimatedBytes: rows.length === 0 ? null : Math.round((judgedBytes / rows.length) * rowCount),
  };
}
