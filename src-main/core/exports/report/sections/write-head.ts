import { markup, own, type Markup, type MarkupPart } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';
import { addUpGaps, drawCoverage, writeCompleteness } from './write-coverage.ts';

/** What the report is about, in one line: `Inbound detail, 19 Nov 2026 – 20 Nov 2026`. */
export function writeTitle({ report, fromMs, toMs, zone, words }: ReportContent): string {
  const { formatFullDay } = words.formats;
  const first = formatFullDay(fromMs, zone);
  const last = formatFullDay(toMs - 1, zone);
  return `${words.t(`report.titles.${report}`)}, ${first === last ? first : `${first} – ${last}`}`;
}

/** Where the records come from, what of them is shown, and how complete they are. */
export function writeHead(content: ReportContent): Markup {
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
