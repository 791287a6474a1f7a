import type { SimulatedIncident } from './simulated-incidents.ts';

/** Onsets are to be found within so many minutes. */
const MINUTES = 2;
/** Of times that are spread as a normal distribution's logarithms, as the simulation draws them. */
const TIME_DEVIATION = 0.45;

/**
 * Returns a bound for how likely it is that an onset can't be told within two minutes, whatever the method: that of an
 * observer who knows the place, the kind, the size and the rates before and after, and looks for the onset alone. It
 * takes the more likely of two onsets that lie `k` minutes apart for the wrong one with at most the `k`th power of the
 * Bhattacharyya coefficient of a minute before and one after. `rate` are the requests a minute that are struck.
 */
export function boundOnsetDoubt(
  { kind, size }: Pick<SimulatedIncident, 'kind' | 'size'>,
  rate: number,
  failing: number,
): number {
  // A new error can only be seen too late: when its first record comes.
  if (kind === 'new-errors') return Math.exp(-rate * size * (MINUTES + 1));
  const coefficient = Math.exp(-measureDistance(kind, size, rate, failing));
  return (2 * coefficient ** (MINUTES + 1)) / (1 - coefficient);
}

function measureDistance(
  kind: SimulatedIncident['kind'],
  size: number,
  rate: number,
  failing: number,
): number {
  if (kind === 'volume-down' || kind === 'volume-up')
    return (Math.sqrt(rate) - Math.sqrt(rate * size)) ** 2 / 2;
  if (kind === 'slower') return rate * (1 - Math.exp(-((Math.log(size) / TIME_DEVIATION) ** 2) / 8));
  return rate * (1 - Math.sqrt(failing * size) - Math.sqrt((1 - failing) * (1 - size)));
}
