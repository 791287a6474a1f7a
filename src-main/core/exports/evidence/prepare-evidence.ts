import { AppError } from '../../../common/contract/errors.ts';
import type { Input } from '../../../common/contract/index.ts';
import { isDetailKind } from '../../../common/reporting/reports.ts';
import { isTimeZone } from '../../../common/time/time-zones.ts';
import { readExportSubject } from '../export-subject.ts';
import type { PreparedDocument } from '../prepared-export.ts';
import { toExportFileName } from '../safe-file-name.ts';
import type { EvidenceParts } from './evidence-parts.ts';
import { toEvidenceQuestion } from './evidence-question.ts';
import { previewEvidence } from './preview-evidence.ts';
import { writeEvidence } from './write-evidence.ts';

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
