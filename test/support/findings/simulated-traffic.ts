import { createRandom, pickWeighted, type Random } from '../../../src-main/service/sample/random.ts';

import { drawIncidents, type SimulatedIncident } from './simulated-incidents.ts';
import { DAY_MS, FLOWS, strikes, toRhythm, USUAL_FAILING } from './simulated-rhythm.ts';

const MINUTE_MS = 60_000;
export const DIRECTIONS = ['inbound', 'outbound'] as const;

/** One request, as far as findings look at it. */
export interface SimulatedRecord {
  readonly direction: (typeof DIRECTIONS)[number];
  readonly dateMs: number;
  readonly channel: number;
  readonly service: number;
  readonly responseCode: number;
  readonly responseTimeMs: number;
  readonly error: string;
  /** Some requests have the same: a conversation. */
  readonly session: number;
}

export interface SimulatedMonth {
  readonly fromMs: number;
  readonly toMs: number;
  readonly incidents: readonly SimulatedIncident[];
  /** Every record, in the order of time. */
  readonly records: readonly SimulatedRecord[];
}

const USUAL_ERRORS = [
  'Gateway timeout: service 7 did not answer within 5000 ms',
  'Recipient 4711 is unknown',
];
const FAILURE = 'Connector unavailable: queue 12 is full';
const SESSION_REQUESTS = 4;
/**
 * Draws traffic with the rhythm of days and weeks, its days a little busier or calmer than one another. `perMinute` are
 * the requests of a direction at the busiest time. Incidents of the six kinds in turn begin after `learnDays`, all through
 * the day, at any place that has requests enough for their edges to be clear, and last from half an hour to a hundred
 * minutes. The same seed draws the same.
 */
export function simulateMonth(options: {
  readonly seed: number;
  /** Midnight, UTC. */
  readonly fromMs: number;
  readonly days: number;
  readonly learnDays: number;
  readonly incidents: number;
  readonly perMinute: number;
}): SimulatedMonth {
  const { seed, fromMs, days, perMinute } = options;
  const random = createRandom(seed);
  const levels = Array.from({ length: days }, () => 0.9 + 0.2 * random());
  const incidents = drawIncidents(random, levels, options);
  const records: SimulatedRecord[] = [];
  let number = 0;
  for (let minuteMs = fromMs; minuteMs < fromMs + days * DAY_MS; minuteMs += MINUTE_MS) {
    const level = levels[Math.floor((minuteMs - fromMs) / DAY_MS)] ?? 1;
    const rate = perMinute * toRhythm(minuteMs) * level;
    const drawn: SimulatedRecord[] = [];
    const now = incidents.filter((own) => minuteMs >= own.fromMs && minuteMs < own.toMs);
    for (const direction of DIRECTIONS) {
      for (const flow of FLOWS) {
        const active = now.filter((own) => strikes(own, flow));
        const find = (kind: SimulatedIncident['kind']) => active.find((own) => own.kind === kind);
        const factor = find('volume-down')?.size ?? find('volume-up')?.size ?? 1;
        const failing = direction === 'outbound' ? (find('down') ?? find('errors-up')) : find('errors-up');
        const novel = find('new-errors');
        const count = drawPoisson(random, ((rate * flow.weight) / 100) * factor);
        for (let place = 0; place < count; place += 1) {
          number += 1;
          drawn.push({
            direction,
            dateMs: minuteMs + Math.floor(random() * MINUTE_MS),
            channel: flow.channel,
            service: flow.service,
            session: Math.floor(number / SESSION_REQUESTS),
            ...drawOutcome(random, flow.medianMs * (find('slower')?.size ?? 1), {
              failing: failing?.size ?? USUAL_FAILING,
              novel: novel?.size ?? 0,
              name: novel?.fromMs ?? 0,
            }),
          });
        }
      }
    }
    records.push(...drawn.sort((a, b) => a.dateMs - b.dateMs));
  }
  return { fromMs, toMs: fromMs + days * DAY_MS, incidents, records };
}

function drawOutcome(
  random: Random,
  medianMs: number,
  state: { failing: number; novel: number; name: number },
): Pick<SimulatedRecord, 'responseCode' | 'responseTimeMs' | 'error'> {
  const responseTimeMs = Math.round(medianMs * Math.exp(0.45 * drawNormal(random)));
  if (random() < state.novel) {
    const word = String.fromCharCode(
      ...String(state.name / MINUTE_MS)
        .split('')
        .map((digit) => 97 + Number(digit)),
    );
    return { responseCode: 422, responseTimeMs, error: `Schema ${word} rejects field 17` };
  }
  if (random() >= state.failing) return { responseCode: 200, responseTimeMs, error: '' };
  const error = state.failing > 0.1 ? FAILURE : USUAL_ERRORS[pickWeighted(random, [3, 1])];
  return { responseCode: random() < 0.8 ? 504 : 404, responseTimeMs: 5000, error: error ?? FAILURE };
}

function drawPoisson(random: Random, mean: number): number {
  const limit = Math.exp(-mean);
  let count = -1;
  let product = 1;
  do {
    count += 1;
    product *= random();
  } while (product > limit);
  return count;
}

function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
