import { formatExact, formatFullDay, formatOffsets } from '../../../../common/words/dates.ts';
import { formatCount, formatSpan } from '../../../../common/words/numbers.ts';
import { markup, own, type Markup, type MarkupPart } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';
import { addUpGaps, drawCoverage, writeCompleteness } from './write-coverage.ts';

const REPORT_NAMES: Readonly<Record<ReportContent['report'], string>> = {
  'inbound-detail': 'Inbound detail',
  'outbound-detail': 'Outbound detail',
};

/** What the report is about, in one line: `Inbound detail, 19 Nov 2026 – 20 Nov 2026`. */
export function writeTitle({ report, fromMs, toMs, zone }: ReportContent): string {
  const first = formatFullDay(fromMs, zone);
  const last = formatFullDay(toMs - 1, zone);
  return `${REPORT_NAMES[report]}, ${first === last ? first : `${first} – ${last}`}`;
}

/** Where the records come from, what of them is shown, and how complete they are. */
export function writeHead(content: ReportContent): Markup {
  const { about, connection, fromMs, toMs, zone, total } = content;
  const clock = zone === 'UTC' ? zone : `${zone}, ${formatOffsets(fromMs, toMs - 1, zone)}`;
  const facts: (readonly [name: string, value: MarkupPart, isWide?: boolean])[] = [
    ['Connection', connection === null ? 'Removed meanwhile' : own(connection.name)],
    ['Service address', connection === null ? 'Not known' : own(connection.address)],
    ['Tenant', about.tenant ?? 'Not in the imported file'],
    ['From', formatExact(fromMs, zone)],
    ['To, not included', formatExact(toMs, zone)],
    ['Clock of all times', own(clock)],
    ['Records', formatCount(total.count)],
    ['Cached in full', writeCompleteness(content)],
    [
      'Made',
      `${formatExact(Date.parse(about.exportedAt), zone)}, Channelscope ${content.applicationVersion}`,
    ],
    [
      'Filter',
      about.filter === undefined
        ? 'None: every cached record'
        : markup`<span class="mono">${own(about.filter)}</span>`,
      true,
    ],
  ];
  const missingMs = addUpGaps(content);
  const whole = formatSpan(toMs - fromMs);
  const covered =
    missingMs === 0
      ? `All ${whole} of the period are cached.`
      : `${formatSpan(missingMs)} of ${whole} are missing or not known to be complete; see “What is missing”.`;
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
      >Channelscope report
    </div>
    <h1 id="title">${writeTitle(content)}</h1>
    ${drawCoverage(content)}
    <p class="micro quiet">
      ${covered}
    </p>
    <dl class="facts">${items}</dl>
  </section>`;
}
