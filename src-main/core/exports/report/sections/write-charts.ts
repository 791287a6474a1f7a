import { CODE_CLASSES } from '../../../../common/model/records/record.ts';
import {
  CLASS_NAMES,
  drawTimeChart,
  isGap,
  markup,
  type Markup,
  type MarkupPart,
  type ReportBucket,
  type ReportContent,
  round,
  type TimeFrame,
} from '../report-content.ts';
import {
  drawMarker,
  toErrorShare,
  writeShare,
  writeTime,
  writeFolded,
  writeTable,
  type TableColumn,
} from './write-table.ts';

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

/** Errors stand at the bottom, where they can be compared. */
const STACKED_PLACES = [3, 2, 4, 1, 0];
const BAR_GAP = 1.5;

/** Records over time, stacked by class of response code. */
function drawVolume(content: ReportContent): Markup {
  const { buckets, total, zone, words } = content;
  const { formatCount, formatDayClock } = words.formats;
  const peak = findPeak(buckets, ({ count }) => count);
  const label =
    peak === null
      ? words.t('report.charts.volumeEmpty')
      : words.t(
          'report.charts.volumeSays',
          {
            count: formatCount(total.count),
            time: formatDayClock(peak.fromMs, zone),
            peak: formatCount(peak.count),
          },
          total.count,
        );
  const formatTick = (value: number): string => (Number.isInteger(value) ? formatCount(value) : '');
  const shape = { height: 190, max: peak?.count ?? 0, label, format: formatTick };
  return drawTimeChart(
    content,
    shape,
    (frame) => markup`${buckets.map((bucket) => drawBar(bucket, frame, content))}`,
  );
}

function drawBar(
  bucket: ReportBucket,
  { toX, toY }: TimeFrame,
  { zone, words }: ReportContent,
): Markup | null {
  if (bucket.count === 0) return null;
  const x = toX(bucket.fromMs);
  const width = Math.max(1, round(toX(bucket.toMs) - x - BAR_GAP));
  let below = 0;
  const parts = STACKED_PLACES.flatMap((place) => {
    const count = bucket.classCounts[place] ?? 0;
    if (count === 0) return [];
    const [from, to] = [toY(below), toY(below + count)];
    below += count;
    return [
      markup`<rect
        class="c${CLASS_NAMES[place] ?? ''}"
        x="${x}"
        y="${to}"
        width="${width}"
        height="${round(from - to)}"
      />`,
    ];
  });
  const { formatCount, formatDayClock } = words.formats;
  const said = words.t(
    'report.charts.bar',
    {
      time: formatDayClock(bucket.fromMs, zone),
      count: formatCount(bucket.count),
      failures: formatCount(bucket.failures),
    },
    bucket.count,
  );
  return markup`<g><title>${said}</title>${parts}</g>`;
}

/** The share of records that failed. */
function drawErrorShare(content: ReportContent): Markup {
  const { buckets, total, zone, words } = content;
  const { formatDayClock, formatPercent, formatRoundPercent } = words.formats;
  const toShare = ({ count, failures }: ReportBucket): number | null =>
    count === 0 ? null : failures / count;
  const peak = findPeak(buckets, (bucket) => toShare(bucket) ?? 0);
  const most = peak === null ? 0 : (toShare(peak) ?? 0);
  const all = total.count === 0 ? 0 : total.failures / total.count;
  const label =
    peak === null || most === 0
      ? words.t('report.charts.shareEmpty')
      : words.t('report.charts.shareSays', {
          share: formatPercent(all),
          time: formatDayClock(peak.fromMs, zone),
          peak: formatPercent(most),
        });
  const formatShareTick = (share: number): string => {
    const percent = Number((share * 100).toPrecision(6));
    return formatRoundPercent(share, Number.isInteger(percent) ? 0 : 2);
  };
  const shape = { height: 130, max: Math.max(most, 0.01), limit: 1, label, format: formatShareTick };
  return drawTimeChart(content, shape, (frame) => drawSteps(buckets, toShare, frame, 'share'));
}

/** Median and 95th percentile of the response times. */
function drawTimes(content: ReportContent): Markup {
  const { buckets, total, words } = content;
  const { formatDuration } = words.formats;
  const peak = findPeak(buckets, ({ p95Ms }) => p95Ms ?? 0);
  const { medianMs, p95Ms } = total.response;
  const label =
    medianMs === null || p95Ms === null
      ? words.t('report.charts.timesEmpty')
      : words.t('report.charts.timesSay', {
          median: formatDuration(medianMs),
          p95: formatDuration(p95Ms),
        });
  const shape = { height: 170, max: peak?.p95Ms ?? 0, label, format: formatDuration };
  return drawTimeChart(
    content,
    shape,
    (frame) =>
      markup`${drawSteps(buckets, (bucket) => bucket.p95Ms, frame, 'p95')}${drawSteps(buckets, (bucket) => bucket.medianMs, frame, 'median')}`,
  );
}

/** A stepped line: what lies between two buckets is not known. It breaks where there is no value. */
function drawSteps(
  buckets: readonly ReportBucket[],
  read: (bucket: ReportBucket) => number | null,
  { toX, toY }: TimeFrame,
  name: string,
): Markup {
  let path = '';
  let isOpen = false;
  for (const bucket of buckets) {
    const value = read(bucket);
    if (value === null) {
      isOpen = false;
      continue;
    }
    const y = toY(value);
    path += isOpen ? `V${y}` : `M${toX(bucket.fromMs)} ${y}`;
    path += `H${toX(bucket.toMs)}`;
    isOpen = true;
  }
  return markup`<path class="${name}" d="${path}" />`;
}

function findPeak(
  buckets: readonly ReportBucket[],
  read: (bucket: ReportBucket) => number,
): ReportBucket | null {
  let peak: ReportBucket | null = null;
  for (const bucket of buckets) if (read(bucket) > (peak === null ? 0 : read(peak))) peak = bucket;
  return peak;
}
