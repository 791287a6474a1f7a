import type { ErrorFamily } from '../../../../common/model/records/error-family.ts';
import type { Words } from '../../../../common/words/words.ts';
import { round } from '../time-frame.ts';
import { fillMarkup, markup, own, type Markup } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';
import { writeCode, writeShare, toColumns, writeTable } from './write-table.ts';
import { writeNamedList } from './value-names.ts';

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
export function writePattern(pattern: string): Markup {
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
