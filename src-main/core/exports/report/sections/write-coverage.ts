import { isGap, round } from '../time-frame.ts';
import { markup, own, type Markup } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';
import { writeTable } from './write-table.ts';

/** States that there are words for. */
const STATES = ['missing', 'partial', 'failed', 'open'] as const;
const WIDTH = 1000;
const HEIGHT = 6;
const MIN_WIDTH = 8;

/** Milliseconds of the period that are not cached in full. */
export function addUpGaps({ gaps }: Pick<ReportContent, 'gaps'>): number {
  return gaps.filter(isGap).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

/** The share of the period that is cached. */
export function writeCompleteness(content: ReportContent): Markup {
  const { fromMs, toMs, gaps, words } = content;
  const share = 1 - addUpGaps(content) / Math.max(1, toMs - fromMs);
  const isOpen = gaps.some(({ state }) => state === 'open');
  const said = words.t(isOpen ? 'report.coverage.shareOpen' : 'report.coverage.share', {
    share: words.formats.formatPercent(Math.max(0, share)),
  });
  return share < 1 ? markup`<span class="warn">${said}</span>` : markup`${said}`;
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
  const { gaps, zone, words } = content;
  const { t } = words;
  const { formatExact, formatSpan } = words.formats;
  const rows = gaps.map(({ fromMs, toMs, state }) => {
    const known = STATES.find((name) => name === state);
    return [
      formatExact(fromMs, zone),
      formatExact(toMs, zone),
      formatSpan(toMs - fromMs),
      known === undefined ? own(state) : t(`report.missing.states.${known}`),
    ];
  });
  const columns = [
    { name: t('report.from'), kind: 'time' },
    { name: t('report.toExcluded'), kind: 'time' },
    { name: t('report.missing.length'), kind: 'number' },
    { name: t('report.missing.why') },
  ] as const;
  const notes = listNotes(content).map((note) => markup`<p>${note}</p>`);
  return markup`<section class="panel" aria-labelledby="missing">
    <header><h2 id="missing">${t('report.missing.title')}</h2></header>
    ${gaps.length === 0 ? markup`<p>${t('report.missing.none')}</p>` : writeTable(t('report.missing.label'), columns, rows)}
    ${notes.length === 0 ? null : markup`<div class="notes quiet">${notes}</div>`}
  </section>`;
}

/** What can't be said of records that are there. */
function listNotes({ about, total, buckets, words }: ReportContent): string[] {
  const counted = buckets.reduce((sum, { count }) => sum + count, 0);
  const say = (name: 'unreadable' | 'undated' | 'untimed', count: number): string[] =>
    count > 0 ? [words.t(`report.missing.${name}`, { count: words.formats.formatCount(count) }, count)] : [];
  return [
    ...say('unreadable', about.unreadableEntries ?? 0),
    ...say('undated', total.count - counted),
    ...say('untimed', total.count - total.response.count),
  ];
}
