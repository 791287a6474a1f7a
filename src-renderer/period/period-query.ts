import { createQueryClock } from '../../src-main/common/query/query-clock.ts';
import { PERIOD_PRESETS, type PeriodSelection } from './period-selection.ts';

/** An address means the same whatever clock is shown. */
const ADDRESS_CLOCK = createQueryClock('UTC');

/** Writes a period as an address carries it: the name of a preset, or its first and last moment in UTC. */
export function toPeriodText(selection: PeriodSelection): string {
  if (selection.kind === 'preset') return selection.preset;
  return [selection.fromMs, selection.toMs].map(ADDRESS_CLOCK.write).join('..');
}

/** Reads the period of an address; null where the text is none. */
export function fromPeriodText(text: string): PeriodSelection | null {
  const preset = PERIOD_PRESETS.find((name) => name === text);
  if (preset !== undefined) return { kind: 'preset', preset };
  const [from = '', to = '', ...rest] = text.split('..');
  const fromMs = ADDRESS_CLOCK.read(from);
  const toMs = ADDRESS_CLOCK.read(to);
  if (fromMs === null || toMs === null || fromMs > toMs || rest.length > 0) return null;
  return { kind: 'custom', fromMs, toMs };
}
