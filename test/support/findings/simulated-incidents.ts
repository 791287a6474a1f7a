import type { Random } from '../../../src-main/service/sample/random.ts';
import { boundOnsetDoubt } from './onset-bound.ts';
import { DAY_MS, FLOWS, strikes, toRhythm, USUAL_FAILING } from './simulated-rhythm.ts';

const MINUTE_MS = 60_000;

export const INCIDENT_KINDS = [
  'errors-up',
  'slower',
  'volume-down',
  'volume-up',
  'new-errors',
  'down',
] as const;

/** Something that goes wrong with known edges; `down` also makes outbound requests fail. */
export interface SimulatedIncident {
  readonly kind: (typeof INCIDENT_KINDS)[number];
  readonly channel: number | null;
  readonly service: number | null;
  readonly fromMs: number;
  readonly toMs: number;
  /** The share of requests that fail, or have the new error; by what factor they are slower, fewer, or more. */
  readonly size: number;
  /** Requests a minute that it strikes when it begins. */
  readonly rate: number;
}

/** What incidents may strike. */
const PLACES: readonly (readonly [number | null, number | null])[] = [
  [1, 2],
  [1, 7],
  [2, 2],
  [2, 5],
  [3, 7],
  [1, null],
  [2, null],
  [3, null],
  [null, 7],
  [null, 2],
  [null, 5],
  [null, null],
];
/** The sizes of incidents, from the smallest to the largest. */
const SIZES: Readonly<Record<SimulatedIncident['kind'], readonly [number, number]>> = {
  'errors-up': [0.3, 0.95],
  slower: [2.5, 6],
  'volume-down': [0, 0.15],
  'volume-up': [2.5, 6],
  'new-errors': [0.08, 0.6],
  down: [0.5, 1],
};
/**
 * An incident is clear if its onset can be told, by whoever knows all but the onset, with no more doubt than this. What
 * is not is drawn again: at another place, time of the day, or size.
 */
const MAX_DOUBT = 0.001;
const MAX_DRAWS = 1000;
/** Incidents begin from 7 o'clock on, the last one at 18:30 at the latest. */
const FIRST_HOUR = 7;
const HOURS_OF_INCIDENTS = 14;
const REST_HOURS = 2.5;

/** Draws incidents of the six kinds in turn, so many a day. `levels` say how busy each day is. */
export function drawIncidents(
  random: Random,
  levels: readonly number[],
  {
    fromMs,
    days,
    learnDays,
    incidents,
    perMinute,
  }: { fromMs: number; days: number; learnDays: number; incidents: number; perMinute: number },
): SimulatedIncident[] {
  // A place rests for hours between two incidents, as those of one day follow one another.
  const perDay = Math.max(1, Math.ceil(incidents / (days - learnDays)));
  const hours = HOURS_OF_INCIDENTS / perDay;
  const draw = (number: number): SimulatedIncident => {
    const kind = INCIDENT_KINDS[number % INCIDENT_KINDS.length] ?? 'errors-up';
    const day = learnDays + Math.floor(number / perDay);
    const hour = FIRST_HOUR + (number % perDay) * hours + random() * (hours - REST_HOURS);
    const beginMs = fromMs + day * DAY_MS + Math.floor(hour * 60) * MINUTE_MS;
    const [channel, service] = (kind === 'down' ? null : PLACES[Math.floor(random() * PLACES.length)]) ?? [
      null,
      null,
    ];
    const [smallest, largest] = SIZES[kind];
    const share = FLOWS.filter((flow) => strikes({ channel, service }, flow)).reduce(
      (sum, { weight }) => sum + weight / 100,
      0,
    );
    return {
      kind,
      channel,
      service,
      fromMs: beginMs,
      toMs: beginMs + (30 + Math.floor(random() * 70)) * MINUTE_MS,
      size: smallest + (largest - smallest) * random(),
      rate: perMinute * toRhythm(beginMs) * (levels[day] ?? 1) * share * (kind === 'down' ? 1 : 2),
    };
  };
  return Array.from({ length: incidents }, (_, number) => {
    for (let again = 0; again < MAX_DRAWS; again += 1) {
      const incident = draw(number);
      if (boundOnsetDoubt(incident, incident.rate, USUAL_FAILING) <= MAX_DOUBT) return incident;
    }
    throw new Error('No incident is clear in so little traffic.');
  });
}
