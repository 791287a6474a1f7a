import { CODE_CLASSES } from '../../../../common/model/records/record.ts';
import { formatExact } from '../../../../common/words/dates.ts';
import { formatCount, formatSpan } from '../../../../common/words/numbers.ts';
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

/** Volume, error share and response times over the period, each with its numbers in a table. */
export function writeCharts(content: ReportContent): readonly Markup[] {
  const { buckets, zone, gaps } = content;
  const [first] = buckets;
  const width = buckets.length < 2 ? null : (buckets[1] ?? first);
  const each = width === undefined || width === null ? '' : `per ${formatSpan(width.toMs - width.fromMs)}`;
  const unknown = gaps.some(isGap) ? [writeKey(HATCH_KEY, 'Not cached in full')] : [];
  const classes = CODE_CLASSES.map((name, place) =>
    writeKey(drawMarker(CLASS_NAMES[place] ?? 'xxx'), name === 'none' ? 'No code' : name),
  );
  const charts: readonly ChartPart[] = [
    {
      id: 'volume',
      title: 'Records',
      legend: [...classes, ...unknown],
      picture: drawVolume(content),
      columns: [
        { name: 'Records', kind: 'number' },
        ...CODE_CLASSES.map((name): TableColumn => ({
          name: name === 'none' ? 'No code' : name,
          kind: 'number',
        })),
      ],
      read: ({ count, classCounts }) => [formatCount(count), ...classCounts.map((part) => formatCount(part))],
    },
    {
      id: 'error-share',
      title: 'Share of records that failed',
      legend: unknown,
      picture: drawErrorShare(content),
      columns: [
        { name: 'Failed', kind: 'number' },
        { name: 'Of', kind: 'number' },
        { name: 'Share', kind: 'number' },
      ],
      read: (bucket) => [
        formatCount(bucket.failures),
        formatCount(bucket.count),
        writeShare(toErrorShare(bucket)),
      ],
    },
    {
      id: 'times',
      title: 'Response times',
      legend: [
        writeKey(writeLineKey('median'), 'Median'),
        writeKey(writeLineKey('p95'), '95th percentile'),
        ...unknown,
      ],
      picture: drawTimes(content),
      columns: [
        { name: 'Median', kind: 'number' },
        { name: '95th percentile', kind: 'number' },
      ],
      read: ({ medianMs, p95Ms }) => [writeTime(medianMs), writeTime(p95Ms)],
    },
  ];
  return charts.map(({ id, title, legend, picture, columns, read }) => {
    const rows = buckets.map((bucket) => [formatExact(bucket.fromMs, zone), ...read(bucket)]);
    const table = writeTable(`${title}, numbers`, [{ name: 'From', kind: 'time' }, ...columns], rows);
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
      ${writeFolded('Numbers of this chart', table)}
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
