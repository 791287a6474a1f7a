import type { Finding } from '../../../../common/model/analysis/finding.ts';
import type { ErrorFamily } from '../../../../common/model/records/error-family.ts';
import { createFindingSentences, writeNoticed } from '../../../../common/words/finding-words.ts';
import type { Words } from '../../../../common/words/words.ts';
import {
  fillMarkup,
  isGap,
  markup,
  type Markup,
  own,
  type ReportContent,
  round,
  toNamedText,
  writeNamedList,
} from '../report-content.ts';
import { toColumns, writeCode, writeShare, writeTable } from './write-table.ts';

/** What stood out in the period, in sentences; the first `most` findings. */
export function writeFindings(content: ReportContent, most = Infinity): Markup {
  const { findings, names, zone, about, words } = content;
  const { t, formats } = words;
  const { formatExact } = formats;
  const sentences = createFindingSentences({
    t,
    formats,
    toText: (field, value) => toNamedText(names, field, value),
  });
  const toSpan = (finding: Finding): string => {
    const { sinceMs, endedMs } = finding;
    const direction = sentences.toDirections(finding);
    const from = formatExact(sinceMs, zone);
    return endedMs === null
      ? t('report.findings.going', { time: from, direction })
      : t('report.findings.over', { from, to: formatExact(endedMs, zone), direction });
  };
  const items = findings.list.slice(0, most).map(
    (finding) =>
      markup`<li>
        <h3>${sentences.toTitle(finding)}</h3>
        <p class="quiet num">${sentences.toDetail(finding)}</p>
        ${finding.errorFamily === null ? null : markup`<p>${writePattern(finding.errorFamily)}</p>`}
        <p class="micro faint num">${toSpan(finding)}</p>
      </li>`,
  );
  const toRange = (fromMs: number, toMs: number): { from: string; to: string } => ({
    from: formatExact(fromMs, zone),
    to: formatExact(toMs, zone),
  });
  const looked = t('report.fromTo', toRange(findings.fromMs, findings.toMs));
  const { leftOut } = findings;
  const ofAll = about.filter === undefined ? 'report.findings.againstEarlier' : 'report.findings.ofAll';
  const scope = t(leftOut === undefined ? ofAll : 'report.findings.within');
  const unsure = findings.gaps.map(({ reason, fromMs, toMs }) =>
    reason === 'not-cached'
      ? markup`<p>${t('report.findings.notCached', toRange(fromMs, toMs))}</p>`
      : markup`<p>${t('report.findings.notLearned')}</p>`,
  );
  const known = findings.gaps.length === 0 ? 'report.findings.calm' : 'report.findings.unsure';
  const others = formats.formatCount(leftOut ?? 0);
  const unlisted = findings.list.length - items.length;
  const brief =
    unlisted === 0
      ? []
      : [markup`<p>${t('report.findings.brief', { count: formats.formatCount(unlisted) }, unlisted)}</p>`];
  const rest =
    leftOut === undefined || leftOut === 0
      ? []
      : [markup`<p>${t('report.findings.beyond', { count: others }, leftOut)}</p>`];
  const calm = rest.length === 0 ? t(known) : t('report.findings.noneWithin');
  const noticed = writeNoticed(findings.noticed, {
    t,
    formats,
    toText: (field, value) => toNamedText(names, field, value),
  });
  const none = `${calm} ${noticed}`.trim();
  return markup`<section class="panel" aria-labelledby="findings">
    <header>
      <h2 id="findings">${t('report.findings.title')}</h2>
      <span class="micro faint num">${looked}, ${scope}</span>
    </header>
    ${
      items.length === 0
        ? markup`<p class="quiet">${none}</p>`
        : markup`<ul class="list">
            ${items}
          </ul>`
    }${brief.length + unsure.length + rest.length === 0 ? null : markup`<div class="notes quiet">${[...brief, ...rest, ...unsure]}</div>`}
  </section>`;
}

const MAX_FAMILIES = 40;
const MAX_PATTERN_CHARACTERS = 400;
const MAX_CODES = 4;
const TOKEN = /(<(?:number|id|value|address)>)/;
const SPARK_WIDTH = 90;
const SPARK_HEIGHT = 16;

const COLUMNS = [
  { key: 'report.families.error', kind: 'long' },
  { key: 'report.records', kind: 'number' },
  { key: 'report.share', kind: 'number' },
  { key: 'report.families.sessions', kind: 'number' },
  { key: 'report.families.clients', kind: 'number' },
  { key: 'report.families.overTime' },
  { key: 'report.families.when', kind: 'time' },
] as const;

/** Errors that read alike once their numbers, identifiers, values and addresses are folded; the first `most` of them. */
export function writeFamilies(content: ReportContent, most = MAX_FAMILIES): Markup {
  const { families: found, zone, words } = content;
  const { t, formats } = words;
  const { formatCount, formatExact } = formats;
  const { families, familyCount, errorCount } = found;
  const shown = families.slice(0, most);
  const toMoment = (atMs: number | null): string => (atMs === null ? '–' : formatExact(atMs, zone));
  const rows = shown.map((family) => [
    markup`${writePattern(family.pattern)}<br />${writePlaces(family, content)}`,
    formatCount(family.count),
    writeShare(errorCount === 0 ? null : family.count / errorCount, formats),
    formatCount(family.sessionCount),
    formatCount(family.clientCount),
    drawTrend(family, words),
    markup`${toMoment(family.firstMs)}<br />${toMoment(family.lastMs)}`,
  ]);
  const leftOut = familyCount - shown.length;
  const rest =
    leftOut > 0
      ? markup`<p class="micro quiet notes">
          ${t(most < MAX_FAMILIES ? 'report.families.brief' : 'report.families.unlisted', { count: formatCount(leftOut) }, leftOut)}
        </p>`
      : null;
  const counts = { records: writeRecordCount(errorCount, words), count: formatCount(familyCount) };
  const table = writeTable(t('report.families.label'), toColumns(words, COLUMNS), rows);
  return markup`<section class="panel" aria-labelledby="families">
    <header>
      <h2 id="families">${t('report.families.title')}</h2>
      <span class="micro faint num">${t('report.families.count', counts, familyCount)}</span>
    </header>
    ${shown.length === 0 ? markup`<p class="quiet">${t('report.families.empty')}</p>` : table}${rest}
  </section>`;
}

/** Where a family was seen, below its text: columns of their own leave none of them enough room on paper. */
function writePlaces({ channels, services, responseCodes }: ErrorFamily, content: ReportContent): Markup {
  const { words } = content;
  const places = fillMarkup(words.t('report.families.place'), {
    channels: writeNamedList(content, 'channel', channels),
    services: writeNamedList(content, 'service', services),
  });
  const codes = responseCodes.slice(0, MAX_CODES).map((code) => markup` ${writeCode(code, words)}`);
  return markup`<span class="micro quiet">${places}${codes}</span>`;
}

function writeRecordCount(count: number, { t, formats }: Words): string {
  return t('report.recordCount', { count: formats.formatCount(count) }, count);
}

/** A pattern with what was folded set apart. */
function writePattern(pattern: string): Markup {
  const isLong = pattern.length > MAX_PATTERN_CHARACTERS;
  const text = isLong ? `${pattern.slice(0, MAX_PATTERN_CHARACTERS)}…` : pattern;
  const parts = text
    .split(TOKEN)
    .map((part, place) =>
      place % 2 === 1 ? markup`<span class="token">${part.slice(1, -1)}</span>` : own(part),
    );
  return markup`<span class="mono">${parts}</span>`;
}

/** Records in equal spans of the period, each family on a scale of its own. */
function drawTrend({ trend, count }: ErrorFamily, words: Words): Markup {
  const most = Math.max(1, ...trend);
  const width = SPARK_WIDTH / Math.max(1, trend.length);
  const bars = trend.map((value, place) => {
    if (value === 0) return null;
    const height = Math.max(1, round((value / most) * SPARK_HEIGHT));
    return markup`<rect
      x="${round(place * width)}"
      y="${round(SPARK_HEIGHT - height)}"
      width="${Math.max(1, round(width - 1))}"
      height="${height}"
    />`;
  });
  return markup`<svg
    class="spark"
    width="${SPARK_WIDTH}"
    height="${SPARK_HEIGHT}"
    viewBox="0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}"
    role="img"
    aria-label="${words.t('report.families.trend', { records: writeRecordCount(count, words) })}"
  >
    ${bars}
  </svg>`;
}

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
