import type { EvidenceMasking } from '../../../common/model/exports/evidence-options.ts';
import { ENGLISH } from '../../../common/words/english.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import { describeMasking } from './masking/masking-words.ts';

/** What stands in a pack for whoever opens it first. */
export function writeReadmeText(
  about: ExportAbout,
  masking: EvidenceMasking,
  counts: { readonly findings: number; readonly sessions: number; readonly certificates: number },
): string {
  const { report, tenant, startDate, endDate, zone, recordCount } = about;
  const whose = tenant === undefined ? '' : `, tenant ${tenant}`;
  const { formatCount } = ENGLISH.formats;
  const words = describeMasking(masking);
  return [
    `Evidence: ${report}${whose}, ${startDate} to ${endDate} (${zone}), ${formatCount(recordCount)} records.`,
    '',
    'report.html     figures, charts, findings, errors and what is missing; opens in any browser, without network',
    'records.csv     the records, for a spreadsheet; texts that it would run as a formula have an apostrophe in front',
    'records.ndjson  the same records, one JSON object a line',
    `findings.json   what stood out in the period: ${formatCount(counts.findings)}`,
    `sessions/       whole sessions, in both directions: ${formatCount(counts.sessions)}`,
    `certificates/   what the downloads requested and received, with the SHA-256 of each page: ${formatCount(counts.certificates)}`,
    'manifest.json   what this pack holds, how complete it is, and what was masked',
    'SHA256SUMS      checksums of all files; check them with "sha256sum -c SHA256SUMS"',
    '',
    words.client,
    words.payload,
    words.errors,
    '',
  ].join('\r\n');
}
