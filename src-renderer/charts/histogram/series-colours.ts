import type { HistogramSeries } from '../../../src-main/common/model/records/histogram.ts';
import type { CodeClass } from '../../../src-main/common/model/records/record.ts';
import { NAME_COLOURS, type NameColour } from '../../../src-main/common/model/records/value-name.ts';
import type { ChartColour } from '../use-chart-colours.ts';

/** Colours that values are told apart by: `--cs-value-1` and those after it. */
const VALUE_KEYS = [
  'value1',
  'value2',
  'value3',
  'value4',
  'value5',
  'value6',
  'value7',
  'value8',
  'value9',
  'value10',
  'value11',
  'value12',
] as const satisfies readonly ChartColour[];

/** The attributes that give an element the colour of a series: `--cs-class`. */
export interface SeriesColour {
  readonly 'data-class'?: CodeClass;
  readonly 'data-series'?: string;
}

/** Returns the same colour for what is drawn on a canvas. */
export function toChartColour(colour: SeriesColour): ChartColour {
  const { 'data-class': codeClass, 'data-series': series } = colour;
  if (codeClass !== undefined) return codeClass;
  if (series === 'none') return 'hatch';
  return NAME_COLOURS.find((name) => name === series) ?? VALUE_KEYS[Number(series) - 1] ?? 'others';
}

/** The place of the colour that each value was given, by the value as text. */
export type ColourMemory = Map<string, number>;

/**
 * Returns the colours of series in their order. Records without a value are paler than all others. A value has the colour that a person gave it, or else one that it keeps:
 * what it was given is noted in `memory`, whichever series are shown besides. Of two values that were never shown
 * together and have the same, the more frequent one keeps it.
 */
export function toSeriesColours(
  series: readonly HistogramSeries[],
  memory: ColourMemory,
  findOwn: (value: string | number) => NameColour | null,
): readonly SeriesColour[] {
  const shown = new Set<number>();
  return series.map((one) => {
    if (one.kind === 'class') return { 'data-class': one.codeClass };
    if (one.kind === 'others') return { 'data-series': 'others' };
    if (one.value === null) return { 'data-series': 'none' };
    const own = findOwn(one.value);
    if (own !== null) return { 'data-series': own };
    const key = String(one.value);
    const before = memory.get(key);
    const place = before === undefined || shown.has(before) ? findFree(shown, memory) : before;
    if (before === undefined) memory.set(key, place);
    shown.add(place);
    return { 'data-series': String(place + 1) };
  });
}

/** The first colour that is not shown, of those that the fewest values have. */
function findFree(shown: ReadonlySet<number>, memory: ColourMemory): number {
  const uses = Array.from({ length: VALUE_KEYS.length }, () => 0);
  for (const place of memory.values()) uses[place] = (uses[place] ?? 0) + 1;
  const free = [...uses.keys()].filter((place) => !shown.has(place));
  return free.reduce((best, place) => ((uses[place] ?? 0) < (uses[best] ?? 0) ? place : best), free[0] ?? 0);
}
