import { markup, type Markup } from '../markup.ts';
import type { ReportBucket, ReportContent } from '../report-content.ts';
import { CLASS_NAMES, drawTimeChart, round, type TimeFrame } from './time-frame.ts';

/** Errors stand at the bottom, where they can be compared. */
const STACKED_PLACES = [3, 2, 4, 1, 0];
const BAR_GAP = 1.5;

/** Records over time, stacked by class of response code. */
export function drawVolume(content: ReportContent): Markup {
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
export function drawErrorShare(content: ReportContent): Markup {
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
export function drawTimes(content: ReportContent): Markup {
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
