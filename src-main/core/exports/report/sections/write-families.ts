import type { ErrorFamily } from '../../../../common/model/records/error-family.ts';
import { formatExact } from '../../../../common/words/dates.ts';
import { formatCount } from '../../../../common/words/numbers.ts';
import { round } from '../charts/time-frame.ts';
import { markup, own, type Markup } from '../markup.ts';
import type { ReportContent } from '../report-content.ts';
import { writeCode } from './code-badge.ts';
import { writeNamedList } from './value-names.ts';
import { writeShare } from './write-figures.ts';
import { writeTable } from './write-table.ts';

const MAX_FAMILIES = 40;
const MAX_PATTERN_CHARACTERS = 400;
const MAX_CODES = 4;
const TOKEN = /(<(?:number|id|value|address)>)/;
const SPARK_WIDTH = 90;
const SPARK_HEIGHT = 16;

const COLUMNS = [
  { name: 'Error', kind: 'long' },
  { name: 'Records', kind: 'number' },
  { name: 'Share', kind: 'number' },
  { name: 'Over the period' },
  { name: 'First', kind: 'time' },
  { name: 'Last', kind: 'time' },
  { name: 'Channels' },
  { name: 'Services' },
  { name: 'Codes' },
] as const;

/** Errors that read alike once their numbers, identifiers, values and addresses are folded. */
export function writeFamilies({ families: found, names, zone }: ReportContent): Markup {
  const { families, familyCount, errorCount } = found;
  const shown = families.slice(0, MAX_FAMILIES);
  const toMoment = (atMs: number | null): string => (atMs === null ? '–' : formatExact(atMs, zone));
  const rows = shown.map((family) => [
    writePattern(family.pattern),
    formatCount(family.count),
    writeShare(errorCount === 0 ? null : family.count / errorCount),
    drawTrend(family),
    toMoment(family.firstMs),
    toMoment(family.lastMs),
    writeNamedList(names, 'channel', family.channels),
    writeNamedList(names, 'service', family.services),
    markup`${family.responseCodes.slice(0, MAX_CODES).map((code) => markup`${writeCode(code)} `)}`,
  ]);
  const rest =
    familyCount > shown.length
      ? markup`<p class="micro quiet notes">
          ${formatCount(familyCount - shown.length)} rarer families are not listed.
        </p>`
      : null;
  const table = writeTable('Error families', COLUMNS, rows);
  return markup`<section class="panel" aria-labelledby="families">
    <header>
      <h2 id="families">Errors</h2>
      <span class="micro faint num"
        >${formatCount(errorCount)} records with an error, in ${formatCount(familyCount)}
        ${familyCount === 1 ? 'family' : 'families'}</span
      >
    </header>
    ${shown.length === 0 ? markup`<p class="quiet">No record has an error.</p>` : table}${rest}
  </section>`;
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
function drawTrend({ trend, count }: ErrorFamily): Markup {
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
    aria-label="${formatCount(count)} records over the period"
  >
    ${bars}
  </svg>`;
}
