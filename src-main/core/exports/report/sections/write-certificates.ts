import { formatExact } from '../../../../common/words/dates.ts';
import { formatCount } from '../../../../common/words/numbers.ts';
import { markup, own, type Markup, type MarkupPart } from '../markup.ts';
import type { ReportCertificate, ReportContent } from '../report-content.ts';
import { writeTable } from './write-table.ts';

const COLUMNS = [
  { name: 'Snapshot', kind: 'number' },
  { name: 'Asked for' },
  { name: 'State' },
  { name: 'Records', kind: 'number' },
  { name: 'Pages', kind: 'number' },
  { name: 'Fetched', kind: 'time' },
  { name: 'SHA-256 of the pages', kind: 'long' },
] as const;

/** What the downloads that the records come from requested and received. */
export function writeCertificates({ certificates, certificatesLeftOut, zone }: ReportContent): Markup {
  const rows = certificates.map((certificate) => writeRow(certificate, zone));
  const rest =
    certificatesLeftOut === 0
      ? null
      : markup`<p class="micro quiet notes">
          ${formatCount(certificatesLeftOut)} more snapshots are not listed.
        </p>`;
  return markup`<section class="panel" aria-labelledby="certificates">
    <header>
      <h2 id="certificates">Certificates</h2>
      <span class="micro faint">what was asked for, and what came, download by download</span>
    </header>
    ${rows.length === 0 ? markup`<p class="quiet">Nothing is cached of the period.</p>` : writeTable('Certificates', COLUMNS, rows)}${rest}
  </section>`;
}

function writeRow(certificate: ReportCertificate, zone: string): readonly MarkupPart[] {
  if (!('isComplete' in certificate)) {
    return [certificate.snapshotId, '–', 'No journal was kept', '–', '–', '–', '–'];
  }
  const { period, isComplete, stillOpen, reasons, reservations, lastPageAtMs } = certificate;
  const state = isComplete ? `Complete${stillOpen ? ', still open' : ''}` : 'Not complete';
  const codes = [...reasons, ...reservations.map(({ code }) => code)];
  return [
    certificate.snapshotId,
    markup`${own(period.startDate)} to ${own(period.endDate)} <span class="faint">${own(period.zone)}</span>`,
    markup`<span class="${isComplete ? '' : 'warn'}">${state}</span
      >${codes.length === 0 ? null : markup`<br /><span class="micro faint">${own(codes.join(', '))}</span>`}`,
    formatCount(certificate.recordCount),
    formatCount(certificate.pageCount),
    lastPageAtMs === null ? '–' : formatExact(lastPageAtMs, zone),
    markup`<span class="mono">${certificate.pagesSha256}</span>`,
  ];
}
