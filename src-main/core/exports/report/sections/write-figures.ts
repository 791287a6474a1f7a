import type { MeasuredGroup } from '../../../../common/model/analysis/grouping.ts';
import type { Formats } from '../../../../common/words/formats.ts';
import { markup, type Markup } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';

/** The share of records that failed, 0 to 1; null of none. */
export function toErrorShare({ count, failures }: Pick<MeasuredGroup, 'count' | 'failures'>): number | null {
  return count === 0 ? null : failures / count;
}

/** A time, or a dash where no record has one. */
export function writeTime(valueMs: number | null, { formatDuration }: Formats): string {
  return valueMs === null ? '–' : formatDuration(valueMs);
}

/** A share of 0 to 1 in percent, with two digits after the point below 1 %; a dash where there is none. */
export function writeShare(share: number | null, { formatPercent }: Formats): string {
  return share === null ? '–' : formatPercent(share, share < 0.01 ? 2 : 1);
}

/** The six figures that a report begins with. */
export function writeFigures({ total, words }: ReportContent): Markup {
  const { response } = total;
  const { t, formats } = words;
  const { formatCount } = formats;
  const toTime = (valueMs: number | null): string => writeTime(valueMs, formats);
  const figures: readonly (readonly [name: string, value: string, note: string])[] = [
    [t('report.records'), formatCount(total.count), ''],
    [
      t('report.failed'),
      writeShare(toErrorShare(total), formats),
      t('report.figures.failedNote', { count: formatCount(total.failures) }, total.failures),
    ],
    [
      t('report.figures.median'),
      toTime(response.medianMs),
      t('report.figures.average', { time: toTime(response.averageMs) }),
    ],
    [t('report.figures.p90'), toTime(response.p90Ms), t('report.figures.p90Note')],
    [t('report.p95'), toTime(response.p95Ms), t('report.figures.p99Note', { time: toTime(response.p99Ms) })],
    [
      t('report.figures.slowest'),
      toTime(response.maxMs),
      t('report.figures.slowestNote', { count: formatCount(response.count) }),
    ],
  ];
  const cards = figures.map(
    ([name, value, note]) =>
      markup`<div class="panel">
        <p class="micro faint">${name}</p>
        <p class="figure num">${value}</p>
        <p class="micro quiet num">${note}</p>
      </div>`,
  );
  return markup`<section class="figures" aria-label="${t('report.figures.title')}">${cards}</section>`;
}
