import type { MeasuredGroup } from '../../../../common/model/analysis/grouping.ts';
import { formatCount, formatDuration, formatPercent } from '../../../../common/words/numbers.ts';
import { markup, type Markup } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';

/** The share of records that failed, 0 to 1; null of none. */
export function toErrorShare({ count, failures }: Pick<MeasuredGroup, 'count' | 'failures'>): number | null {
  return count === 0 ? null : failures / count;
}

/** A time, or a dash where no record has one. */
export function writeTime(valueMs: number | null): string {
  return valueMs === null ? '–' : formatDuration(valueMs);
}

export function writeShare(share: number | null): string {
  return share === null ? '–' : formatPercent(share, share < 0.01 ? 2 : 1);
}

/** The six figures that a report begins with. */
export function writeFigures({ total }: ReportContent): Markup {
  const { response } = total;
  const figures: readonly (readonly [name: string, value: string, note: string])[] = [
    ['Records', formatCount(total.count), ''],
    ['Failed', writeShare(toErrorShare(total)), `${formatCount(total.failures)} with a code of 400 to 599`],
    ['Median response', writeTime(response.medianMs), `average ${writeTime(response.averageMs)}`],
    ['90th percentile', writeTime(response.p90Ms), 'of response times'],
    ['95th percentile', writeTime(response.p95Ms), `99th ${writeTime(response.p99Ms)}`],
    ['Slowest', writeTime(response.maxMs), `of ${formatCount(response.count)} with a time`],
  ];
  const cards = figures.map(
    ([name, value, note]) =>
      markup`<div class="panel">
        <p class="micro faint">${name}</p>
        <p class="figure num">${value}</p>
        <p class="micro quiet num">${note}</p>
      </div>`,
  );
  return markup`<section class="figures" aria-label="Key figures">${cards}</section>`;
}
