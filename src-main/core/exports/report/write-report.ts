import { createHash } from 'node:crypto';
import type { MeasuredGroup, MeasuredGroups } from '../../../common/model/analysis/grouping.ts';
import type { Words } from '../../../common/words/words.ts';
import {
  fillMarkup,
  markup,
  Markup,
  type MarkupPart,
  own,
  type ReportCertificate,
  type ReportContent,
  round,
  writeNamed,
} from './report-content.ts';
import { writeStyle } from './report-style.ts';
import { writeCharts } from './sections/write-charts.ts';
import {
  addUpGaps,
  drawCoverage,
  writeCompleteness,
  writeFamilies,
  writeFindings,
  writeMissing,
} from './sections/write-findings.ts';
import {
  writeFigures,
  writeCode,
  toErrorShare,
  writeShare,
  writeTime,
  toColumns,
  writeTable,
} from './sections/write-table.ts';

const HATCHING = markup`<svg class="definitions" aria-hidden="true">
  <defs>
    <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path class="hatching" d="M0 0V5" />
    </pattern>
  </defs>
</svg>`;

/** A page of its own: what stands in its head, and what it shows. */
interface PageContent {
  readonly title: string;
  readonly words: Words;
  readonly applicationVersion: string;
  readonly body: Markup;
  /** It holds pictures, as data. */
  readonly hasPictures?: boolean;
}

/**
 * Writes a page as one HTML file: no script, no request, nothing that is loaded. Its policy allows its own style sheet
 * and nothing else, by the sheet's hash, so that markup could do nothing even if a value became some.
 */
export function writePage(content: PageContent): string {
  const { title, words, applicationVersion, body, hasPictures = false } = content;
  const { t, formats } = words;
  const style = writeStyle(`Channelscope · ${title}`, t('report.page'));
  const hash = createHash('sha256').update(style).digest('base64');
  const pictures = hasPictures ? ' img-src data:;' : '';
  const policy = `default-src 'none'; style-src 'sha256-${hash}';${pictures} base-uri 'none'; form-action 'none'`;
  const page = markup`<!doctype html>
    <html lang="${formats.locale}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <meta name="generator" content="Channelscope ${applicationVersion}" />
        <title>${title}</title>
        ${new Markup(`<style>${style}</style>`)}
      </head>
      <body>
        ${HATCHING}
        <main>${body}</main>
      </body>
    </html> `;
  return page.text;
}

/** What a brief report, which fits on a page, tells of findings and of errors. */
const BRIEF = { findings: 3, families: 5 } as const;

/** Writes a report of records as a page: what went wrong first, the numbers behind it after. */
export function writeReport(content: ReportContent, isBrief = false): string {
  const { words, applicationVersion, hasOwnRules } = content;
  const own = writeTitle(content);
  const { tenant } = content.about;
  const title = tenant === undefined ? own : words.t('report.title', { title: own, tenant });
  const numbers = isBrief
    ? markup`${writeFigures(content)} ${writeCharts(content, isBrief)}`
    : markup`${writeFigures(content)} ${writeCharts(content)} ${writePairs(content)} ${writeCodes(content)}
        ${writeMissing(content)} ${writeCertificates(content)}`;
  const body = markup`${writeHead(content)} ${writeFindings(content, isBrief ? BRIEF.findings : undefined)}
    ${writeFamilies(content, isBrief ? BRIEF.families : undefined)} ${numbers}
    <footer>
      ${words.t(hasOwnRules ? 'report.basis.own' : 'report.basis.standard')} ${words.t('report.basis.figures')}
    </footer>`;
  return writePage({ title, words, applicationVersion, body });
}

/** What the report is about, in one line: `Inbound detail, 19 Nov 2026 – 20 Nov 2026`. */
function writeTitle({ report, fromMs, toMs, zone, words }: ReportContent): string {
  const { formatFullDay } = words.formats;
  const first = formatFullDay(fromMs, zone);
  const last = formatFullDay(toMs - 1, zone);
  return `${words.t(`report.titles.${report}`)}, ${first === last ? first : `${first} – ${last}`}`;
}

/** Where the records come from, what of them is shown, and how complete they are. */
function writeHead(content: ReportContent): Markup {
  const { about, connection, fromMs, toMs, zone, total, words } = content;
  const { t } = words;
  const { formatCount, formatExact, formatOffsets, formatSpan } = words.formats;
  const clock = zone === 'UTC' ? zone : `${zone}, ${formatOffsets(fromMs, toMs - 1, zone)}`;
  const facts: (readonly [name: string, value: MarkupPart, isWide?: boolean])[] = [
    [t('report.facts.connection'), connection === null ? t('report.facts.removed') : own(connection.name)],
    [t('report.facts.address'), connection === null ? t('report.facts.unknown') : own(connection.address)],
    [t('report.facts.tenant'), about.tenant ?? t('report.facts.noTenant')],
    [t('report.from'), formatExact(fromMs, zone)],
    [t('report.toExcluded'), formatExact(toMs, zone)],
    [t('report.facts.clock'), own(clock)],
    [t('report.records'), formatCount(total.count)],
    [t('report.facts.cached'), writeCompleteness(content)],
    [
      t('report.facts.made'),
      t('report.facts.madeBy', {
        time: formatExact(Date.parse(about.exportedAt), zone),
        version: content.applicationVersion,
      }),
    ],
    [
      t('report.facts.filter'),
      about.filter === undefined
        ? t('report.facts.noFilter')
        : markup`<span class="mono">${own(about.filter)}</span>`,
      true,
    ],
    ...(about.masking === undefined
      ? []
      : [[t('report.facts.masking'), t('report.facts.masked'), true] as const]),
  ];
  const missingMs = addUpGaps(content);
  const whole = formatSpan(toMs - fromMs);
  const covered =
    missingMs === 0
      ? t('report.coverage.all', { span: whole })
      : t('report.coverage.part', { missing: formatSpan(missingMs), span: whole });
  const items = facts.map(
    ([name, value, isWide]) =>
      markup`<div class="${isWide === true ? 'wide' : ''}">
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  );
  return markup`<section class="panel" aria-labelledby="title">
    <div class="brand">
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
        <rect width="14" height="14" rx="3" /></svg
      >${t('report.brand')}
    </div>
    <h1 id="title">${writeTitle(content)}</h1>
    ${drawCoverage(content)}
    <p class="micro quiet">
      ${covered}
    </p>
    <dl class="facts">${items}</dl>
  </section>`;
}

const MAX_PAIRS = 60;
const MAX_CODES = 40;
const BAR_WIDTH = 90;

const MEASURES = [
  { key: 'report.records', kind: 'number' },
  { key: 'report.share', kind: 'number' },
  { key: 'report.failed', kind: 'number' },
  { key: 'report.failedShare', kind: 'number' },
  { key: 'report.median', kind: 'number' },
  { key: 'report.p95', kind: 'number' },
] as const;

/** Records by channel and service, the most frequent first. */
function writePairs(content: ReportContent): Markup {
  const { pairs, names, words } = content;
  const rows = pairs.groups.slice(0, MAX_PAIRS).map((group) => {
    const [channel = null, service = null] = group.key;
    return [
      writeNamed(names, 'channel', channel),
      writeNamed(names, 'service', service),
      ...writeMeasures(group, pairs, content),
    ];
  });
  const columns = [{ key: 'report.channel' }, { key: 'report.service' }, ...MEASURES] as const;
  const table = writeTable(words.t('report.groups.pairs'), toColumns(words, columns), rows);
  return writeGroups('pairs', content, MAX_PAIRS, table);
}

/** Records by response code. */
function writeCodes(content: ReportContent): Markup {
  const { codes, words } = content;
  const rows = codes.groups.slice(0, MAX_CODES).map((group) => {
    const [code = null] = group.key;
    const badge = typeof code === 'string' ? own(code) : writeCode(code, words);
    return [badge, ...writeMeasures(group, codes, content)];
  });
  const columns = [{ key: 'report.code' }, ...MEASURES] as const;
  const table = writeTable(words.t('report.groups.codes'), toColumns(words, columns), rows);
  return writeGroups('codes', content, MAX_CODES, table);
}

function writeMeasures(
  group: MeasuredGroup,
  all: MeasuredGroups,
  { total, words: { formats } }: ReportContent,
): MarkupPart[] {
  const { count, failures, response } = group;
  const most = all.groups[0]?.count ?? 1;
  const share = writeShare(toErrorShare(group), formats);
  const ofAll = writeShare(total.count === 0 ? null : count / total.count, formats);
  return [
    formats.formatCount(count),
    markup`${ofAll}${drawBar(count / Math.max(1, most))}`,
    formats.formatCount(failures),
    failures === 0 ? share : markup`<span class="bad">${share}</span>`,
    writeTime(response.medianMs, formats),
    writeTime(response.p95Ms, formats),
  ];
}

function drawBar(share: number): Markup {
  const value = Math.max(1, round(share * BAR_WIDTH));
  return markup`<svg class="bar" viewBox="0 0 ${BAR_WIDTH} 6" aria-hidden="true">
    <rect class="track" width="${BAR_WIDTH}" height="6" rx="2" />
    <rect class="value" width="${value}" height="6" rx="2" />
  </svg>`;
}

function writeGroups(name: 'pairs' | 'codes', content: ReportContent, limit: number, table: Markup): Markup {
  const { t, formats } = content.words;
  const { groupCount, groups } = content[name];
  const shown = Math.min(groups.length, limit);
  const leftOut = groupCount - shown;
  const rest =
    leftOut > 0
      ? markup`<p class="micro quiet notes">
          ${t('report.groups.unlisted', { count: formats.formatCount(leftOut) }, leftOut)}
        </p>`
      : null;
  return markup`<section class="panel" aria-labelledby="${name}">
    <header>
      <h2 id="${name}">${t(`report.groups.${name}`)}</h2>
      <span class="micro faint num">${formats.formatCount(groupCount)}</span>
    </header>
    ${shown === 0 ? markup`<p class="quiet">${t('report.groups.empty')}</p>` : table}${rest}
  </section>`;
}

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
function writeCertificates({ certificates, certificatesLeftOut, zone, words }: ReportContent): Markup {
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
