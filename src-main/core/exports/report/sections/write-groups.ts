import type { MeasuredGroup, MeasuredGroups } from '../../../../common/model/analysis/grouping.ts';
import { formatCount } from '../../../../common/words/numbers.ts';
import { markup, own, type Markup, type MarkupPart } from '../markup.ts';
import { round } from '../charts/time-frame.ts';
import type { ReportContent } from '../report-content.ts';
import { writeCode } from './code-badge.ts';
import { writeNamed } from './value-names.ts';
import { toErrorShare, writeShare, writeTime } from './write-figures.ts';
import { writeTable, type TableColumn } from './write-table.ts';

const MAX_PAIRS = 60;
const MAX_CODES = 40;
const BAR_WIDTH = 90;

const MEASURES: readonly TableColumn[] = [
  { name: 'Records', kind: 'number' },
  { name: 'Share', kind: 'number' },
  { name: 'Failed', kind: 'number' },
  { name: 'Failed, share', kind: 'number' },
  { name: 'Median', kind: 'number' },
  { name: '95th percentile', kind: 'number' },
];

/** Records by channel and service, the most frequent first. */
export function writePairs({ pairs, names, total }: ReportContent): Markup {
  const rows = pairs.groups.slice(0, MAX_PAIRS).map((group) => {
    const [channel = null, service = null] = group.key;
    return [
      writeNamed(names, 'channel', channel),
      writeNamed(names, 'service', service),
      ...writeMeasures(group, total, pairs),
    ];
  });
  const columns = [{ name: 'Channel' }, { name: 'Service' }, ...MEASURES];
  return writeGroups(
    'pairs',
    'Channels and services',
    pairs,
    MAX_PAIRS,
    writeTable('Channels and services', columns, rows),
  );
}

/** Records by response code. */
export function writeCodes({ codes, total }: ReportContent): Markup {
  const rows = codes.groups.slice(0, MAX_CODES).map((group) => {
    const [code = null] = group.key;
    const badge = typeof code === 'string' ? own(code) : writeCode(code);
    return [badge, ...writeMeasures(group, total, codes)];
  });
  // A code fails or doesn't: how many of its records did would say it twice.
  const columns = [{ name: 'Code' }, ...MEASURES].filter(({ name }) => !name.startsWith('Failed'));
  const shown = rows.map((row) => row.filter((_, place) => place !== 3 && place !== 4));
  return writeGroups(
    'codes',
    'Response codes',
    codes,
    MAX_CODES,
    writeTable('Response codes', columns, shown),
  );
}

function writeMeasures(group: MeasuredGroup, total: MeasuredGroup, all: MeasuredGroups): MarkupPart[] {
  const { count, failures, response } = group;
  const most = all.groups[0]?.count ?? 1;
  const share = writeShare(toErrorShare(group));
  return [
    formatCount(count),
    markup`${writeShare(total.count === 0 ? null : count / total.count)}${drawBar(count / Math.max(1, most))}`,
    formatCount(failures),
    failures === 0 ? share : markup`<span class="bad">${share}</span>`,
    writeTime(response.medianMs),
    writeTime(response.p95Ms),
  ];
}

function drawBar(share: number): Markup {
  const value = Math.max(1, round(share * BAR_WIDTH));
  return markup`<svg class="bar" viewBox="0 0 ${BAR_WIDTH} 6" aria-hidden="true">
    <rect class="track" width="${BAR_WIDTH}" height="6" rx="2" />
    <rect class="value" width="${value}" height="6" rx="2" />
  </svg>`;
}

function writeGroups(
  id: string,
  title: string,
  { groupCount, groups }: MeasuredGroups,
  limit: number,
  table: Markup,
): Markup {
  const shown = Math.min(groups.length, limit);
  const rest =
    groupCount > shown
      ? markup`<p class="micro quiet notes">
          ${formatCount(groupCount - shown)} smaller ones are not listed; they are counted in all other
          figures.
        </p>`
      : null;
  return markup`<section class="panel" aria-labelledby="${id}">
    <header>
      <h2 id="${id}">${title}</h2>
      <span class="micro faint num">${formatCount(groupCount)}</span>
    </header>
    ${shown === 0 ? markup`<p class="quiet">No record.</p>` : table}${rest}
  </section>`;
}
