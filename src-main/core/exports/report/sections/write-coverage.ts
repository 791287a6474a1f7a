import { formatExact } from '../../../../common/words/dates.ts';
import { formatCount, formatPercent, formatSpan } from '../../../../common/words/numbers.ts';
import { isGap, round } from '../charts/time-frame.ts';
import { markup, own, type Markup } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';
import { writeTable } from './write-table.ts';

const STATES: Readonly<Record<string, string>> = {
  missing: 'Not cached',
  partial: 'Cached in part: it is not known which records are missing',
  failed: 'The download failed',
  open: 'Cached, but records may have arrived later',
};
const WIDTH = 1000;
const HEIGHT = 6;
const MIN_WIDTH = 8;

/** Milliseconds of the period that are not cached in full. */
export function addUpGaps({ gaps }: Pick<ReportContent, 'gaps'>): number {
  return gaps.filter(isGap).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

/** The share of the period that is cached. */
export function writeCompleteness(content: ReportContent): Markup {
  const { fromMs, toMs, gaps } = content;
  const share = 1 - addUpGaps(content) / Math.max(1, toMs - fromMs);
  const isOpen = gaps.some(({ state }) => state === 'open');
  const words = `${formatPercent(Math.max(0, share))} of the period${isOpen ? ', part of it still open' : ''}`;
  return share < 1 ? markup`<span class="warn">${words}</span>` : markup`${words}`;
}

/** The period as a bar, hatched where it is not cached. */
export function drawCoverage({ fromMs, toMs, gaps }: ReportContent): Markup {
  const toX = (atMs: number): number => round(((atMs - fromMs) / Math.max(1, toMs - fromMs)) * WIDTH);
  const parts = gaps.map((gap) => {
    const x = toX(gap.fromMs);
    const width = Math.max(MIN_WIDTH, round(toX(gap.toMs) - x));
    const place = markup`x="${Math.min(x, WIDTH - MIN_WIDTH)}" width="${width}" height="${HEIGHT}"`;
    return isGap(gap)
      ? markup`<rect class="empty" ${place} /><rect class="gap" ${place} />`
      : markup`<rect class="empty" ${place} /><rect class="open" ${place} />`;
  });
  return markup`<svg
    class="coverage"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect class="held" width="${WIDTH}" height="${HEIGHT}" />
    ${parts}
  </svg>`;
}

/** What is missing of the period, and what the records of it lack. */
export function writeMissing(content: ReportContent): Markup {
  const { gaps, zone, about, total, buckets } = content;
  const counted = buckets.reduce((sum, { count }) => sum + count, 0);
  const undated = total.count - counted;
  const notes = [
    ...(about.unreadableEntries === undefined
      ? []
      : [
          `${formatCount(about.unreadableEntries)} entries could not be read as records and are not counted here.`,
        ]),
    ...(undated > 0
      ? [
          `${formatCount(undated)} records have no date that can be read, or one outside the period: they are counted, but in no chart.`,
        ]
      : []),
    ...(total.response.count < total.count
      ? [`${formatCount(total.count - total.response.count)} records have no response time.`]
      : []),
  ];
  const rows = gaps.map(({ fromMs, toMs, state }) => [
    formatExact(fromMs, zone),
    formatExact(toMs, zone),
    formatSpan(toMs - fromMs),
    STATES[state] ?? own(state),
  ]);
  const columns = [
    { name: 'From', kind: 'time' },
    { name: 'To, not included', kind: 'time' },
    { name: 'Length', kind: 'number' },
    { name: 'Why' },
  ] as const;
  return markup`<section class="panel" aria-labelledby="missing">
    <header><h2 id="missing">What is missing</h2></header>
    ${gaps.length === 0 ? markup`<p>Nothing: the whole period is cached.</p>` : writeTable('What is missing of the period', columns, rows)}
    ${notes.length === 0 ? null : markup`<div class="notes quiet">${notes.map((note) => markup`<p>${note}</p>`)}</div>`}
  </section>`;
}
