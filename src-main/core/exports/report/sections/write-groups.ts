import type { MeasuredGroup, MeasuredGroups } from '../../../../common/model/analysis/grouping.ts';
import { markup, own, type Markup, type MarkupPart } from '../markup.ts';
import { round } from '../charts/time-frame.ts';
import type { ReportContent } from '../report-content.ts';
import { writeCode } from './code-badge.ts';
import { writeNamed } from './value-names.ts';
import { toErrorShare, writeShare, writeTime } from './write-figures.ts';
import { toColumns, writeTable } from './write-table.ts';

const MAX_PAIRS = 60;
const MAX_CODES = 40;
const BAR_WIDTH = 90;

const MEASURES = [
  { key: 'report.records', kind: 'number' },
  { key: 'report.share', kind: 'number' },
  { key: 'report.failed', kind: 'number' },
  { key: 'report.failedShare', kind: 'number' },
  { key: 'report.median', kind: 'number' },
  { key: 'report.p95', kind: 'number' },
] as const;

/** Records by channel and service, the most frequent first. */
export function writePairs(content: ReportContent): Markup {
  const { pairs, names, words } = content;
  const rows = pairs.groups.slice(0, MAX_PAIRS).map((group) => {
    const [channel = null, service = null] = group.key;
    return [
      writeNamed(names, 'channel', channel),
      writeNamed(names, 'service', service),
      ...writeMeasures(group, pairs, content),
    ];
  });
  const columns = [{ key: 'report.channel' }, { key: 'report.service' }, ...MEASURES] as const;
  const table = writeTable(words.t('report.groups.pairs'), toColumns(words, columns), rows);
  return writeGroups('pairs', content, MAX_PAIRS, table);
}

/** Records by response code. */
export function writeCodes(content: ReportContent): Markup {
  const { codes, words } = content;
  const rows = codes.groups.slice(0, MAX_CODES).map((group) => {
    const [code = null] = group.key;
    const badge = typeof code === 'string' ? own(code) : writeCode(code, words);
    return [badge, ...writeMeasures(group, codes, content)];
  });
  const columns = [{ key: 'report.code' }, ...MEASURES] as const;
  const table = writeTable(words.t('report.groups.codes'), toColumns(words, columns), rows);
  return writeGroups('codes', content, MAX_CODES, table);
}

function writeMeasures(
  group: MeasuredGroup,
  all: MeasuredGroups,
  { total, words: { formats } }: ReportContent,
): MarkupPart[] {
  const { count, failures, response } = group;
  const most = all.groups[0]?.count ?? 1;
  const share = writeShare(toErrorShare(group), formats);
  const ofAll = writeShare(total.count === 0 ? null : count / total.count, formats);
  return [
    formats.formatCount(count),
    markup`${ofAll}${drawBar(count / Math.max(1, most))}`,
    formats.formatCount(failures),
    failures === 0 ? share : markup`<span class="bad">${share}</span>`,
    writeTime(response.medianMs, formats),
    writeTime(response.p95Ms, formats),
  ];
}

function drawBar(share: number): Markup {
  const value = Math.max(1, round(share * BAR_WIDTH));
  return markup`<svg class="bar" viewBox="0 0 ${BAR_WIDTH} 6" aria-hidden="true">
    <rect class="track" width="${BAR_WIDTH}" height="6" rx="2" />
    <rect class="value" width="${value}" height="6" rx="2" />
  </svg>`;
}

function writeGroups(name: 'pairs' | 'codes', content: ReportContent, limit: number, table: Markup): Markup {
  const { t, formats } = content.words;
  const { groupCount, groups } = content[name];
  const shown = Math.min(groups.length, limit);
  const leftOut = groupCount - shown;
  const rest =
    leftOut > 0
      ? markup`<p class="micro quiet notes">
          ${t('report.groups.unlisted', { count: formats.formatCount(leftOut) }, leftOut)}
        </p>`
      : null;
  return markup`<section class="panel" aria-labelledby="${name}">
    <header>
      <h2 id="${name}">${t(`report.groups.${name}`)}</h2>
      <span class="micro faint num">${formats.formatCount(groupCount)}</span>
    </header>
    ${shown === 0 ? markup`<p class="quiet">${t('report.groups.empty')}</p>` : table}${rest}
  </section>`;
}
