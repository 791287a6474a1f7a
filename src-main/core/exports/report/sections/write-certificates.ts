import type { Words } from '../../../../common/words/words.ts';
import { fillMarkup, markup, own, type Markup, type MarkupPart } from '../markup.ts';
import type { ReportCertificate, ReportContent } from '../report-content.ts';
import { toColumns, writeTable } from './write-table.ts';

const COLUMNS = [
  { key: 'report.certificates.snapshot', kind: 'number' },
  { key: 'report.certificates.asked' },
  { key: 'report.certificates.state' },
  { key: 'report.records', kind: 'number' },
  { key: 'report.certificates.pages', kind: 'number' },
  { key: 'report.certificates.fetched', kind: 'time' },
  { key: 'report.certificates.digest', kind: 'long' },
] as const;

/** What the downloads that the records come from requested and received. */
export function writeCertificates({ certificates, certificatesLeftOut, zone, words }: ReportContent): Markup {
  const { t, formats } = words;
  const title = t('report.certificates.title');
  const rows = certificates.map((certificate) => writeRow(certificate, zone, words));
  const count = formats.formatCount(certificatesLeftOut);
  const rest =
    certificatesLeftOut === 0
      ? null
      : markup`<p class="micro quiet notes">
          ${t('report.certificates.unlisted', { count }, certificatesLeftOut)}
        </p>`;
  return markup`<section class="panel" aria-labelledby="certificates">
    <header>
      <h2 id="certificates">${title}</h2>
      <span class="micro faint">${t('report.certificates.about')}</span>
    </header>
    ${rows.length === 0 ? markup`<p class="quiet">${t('report.certificates.none')}</p>` : writeTable(title, toColumns(words, COLUMNS), rows)}${rest}
  </section>`;
}

function writeRow(
  certificate: ReportCertificate,
  zone: string,
  { t, formats }: Words,
): readonly MarkupPart[] {
  if (!('isComplete' in certificate)) {
    return [certificate.snapshotId, '–', t('report.certificates.noJournal'), '–', '–', '–', '–'];
  }
  const { period, isComplete, stillOpen, reasons, reservations, lastPageAtMs } = certificate;
  const complete = stillOpen ? 'report.certificates.completeOpen' : 'report.certificates.complete';
  const state = t(isComplete ? complete : 'report.certificates.incomplete');
  const codes = [...reasons, ...reservations.map(({ code }) => code)];
  const asked = { from: own(period.startDate), to: own(period.endDate) };
  return [
    certificate.snapshotId,
    markup`${fillMarkup(t('report.fromTo'), asked)} <span class="faint">${own(period.zone)}</span>`,
    markup`<span class="${isComplete ? '' : 'warn'}">${state}</span
      >${codes.length === 0 ? null : markup`<br /><span class="micro faint">${own(codes.join(', '))}</span>`}`,
    formats.formatCount(certificate.recordCount),
    formats.formatCount(certificate.pageCount),
    lastPageAtMs === null ? '–' : formats.formatExact(lastPageAtMs, zone),
    markup`<span class="mono">${certificate.pagesSha256}</span>`,
  ];
}
