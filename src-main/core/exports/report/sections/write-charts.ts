import { CODE_CLASSES } from '../../../../common/model/records/record.ts';
import { drawErrorShare, drawTimes, drawVolume } from '../charts/draw-charts.ts';
import { CLASS_NAMES, isGap } from '../charts/time-frame.ts';
import { markup, type Markup, type MarkupPart } from '../markup.ts';
import type { ReportBucket, ReportContent } from '../report-content.ts';
import { drawMarker } from './code-badge.ts';
import { toErrorShare, writeShare, writeTime } from './write-figures.ts';
import { writeFolded, writeTable, type TableColumn } from './write-table.ts';

interface ChartPart {
  readonly id: string;
  readonly title: string;
  readonly legend: readonly Markup[];
  readonly picture: Markup;
  readonly columns: readonly TableColumn[];
  readonly read: (bucket: ReportBucket) => readonly MarkupPart[];
}

/** Volume, error share and response times over the period, each with its numbers in a table; the error share by itself is brief. */
export function writeCharts(content: ReportContent, isBrief = false): readonly Markup[] {
  const { buckets, zone, gaps, words } = content;
  const { t, formats } = words;
  const { formatCount, formatExact, formatSpan } = formats;
  const [first] = buckets;
  const width = buckets.length < 2 ? null : (buckets[1] ?? first);
  const each =
    width === undefined || width === null
      ? ''
      : t('report.charts.per', { span: formatSpan(width.toMs - width.fromMs) });
  const unknown = gaps.some(isGap) ? [writeKey(HATCH_KEY, t('report.charts.gap'))] : [];
  const classNames = CODE_CLASSES.map((name) => t(`report.classes.${name}`));
  const classes = classNames.map((name, place) => writeKey(drawMarker(CLASS_NAMES[place] ?? 'xxx'), name));
  const charts: readonly ChartPart[] = [
    {
      id: 'volume',
      title: t('report.records'),
      legend: [...classes, ...unknown],
      picture: drawVolume(content),
      columns: [
        { name: t('report.records'), kind: 'number' },
        ...classNames.map((name): TableColumn => ({ name, kind: 'number' })),
      ],
      read: ({ count, classCounts }) => [formatCount(count), ...classCounts.map((part) => formatCount(part))],
    },
    {
      id: 'error-share',
      title: t('report.charts.errorShare'),
      legend: unknown,
      picture: drawErrorShare(content),
      columns: [
        { name: t('report.failed'), kind: 'number' },
        { name: t('report.of'), kind: 'number' },
        { name: t('report.share'), kind: 'number' },
      ],
      read: (bucket) => [
        formatCount(bucket.failures),
        formatCount(bucket.count),
        writeShare(toErrorShare(bucket), formats),
      ],
    },
    {
      id: 'times',
      title: t('report.charts.times'),
      legend: [
        writeKey(writeLineKey('median'), t('report.median')),
        writeKey(writeLineKey('p95'), t('report.p95')),
        ...unknown,
      ],
      picture: drawTimes(content),
      columns: [
        { name: t('report.median'), kind: 'number' },
        { name: t('report.p95'), kind: 'number' },
      ],
      read: ({ medianMs, p95Ms }) => [writeTime(medianMs, formats), writeTime(p95Ms, formats)],
    },
  ];
  const shown = isBrief ? charts.filter(({ id }) => id === 'error-share') : charts;
  return shown.map(({ id, title, legend, picture, columns, read }) => {
    const rows = buckets.map((bucket) => [formatExact(bucket.fromMs, zone), ...read(bucket)]);
    const table = writeTable(
      t('report.charts.numbersOf', { title }),
      [{ name: t('report.from'), kind: 'time' }, ...columns],
      rows,
    );
    return markup`<section class="panel" aria-labelledby="${id}">
      <figure>
        <header>
          <h2 id="${id}">${title}</h2>
          <span class="micro faint">${each}</span>
          <ul class="legend">
            ${legend}
          </ul>
        </header>
        ${picture}
      </figure>
      ${isBrief ? null : writeFolded(t('report.charts.numbers'), table)}
    </section>`;
  });
}

const HATCH_KEY = markup`<svg width="12" height="10" aria-hidden="true">
  <rect class="chart-gap" width="12" height="10" rx="2" />
</svg>`;

function writeLineKey(name: string): Markup {
  return markup`<svg class="chart-key" width="16" height="10" aria-hidden="true">
    <path class="${name}" d="M0 5H16" />
  </svg>`;
}

function writeKey(picture: Markup, words: string): Markup {
  return markup`<li>${picture}${words}</li>`;
}
