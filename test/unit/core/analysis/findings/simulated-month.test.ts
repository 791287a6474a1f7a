// @module-tag long
import { describe, expect, it } from 'vitest';
import { carryIds } from '../../../../../src-main/core/analysis/findings/carry-ids.ts';
import { toFindingId } from '../../../../../src-main/core/analysis/findings/join-incidents.ts';
import { prepareSimulation, type FoundIncident } from '../../../../support/findings/find-in-simulation.ts';
import { INCIDENT_KINDS, type SimulatedIncident } from '../../../../support/findings/simulated-incidents.ts';
import { DAY_MS } from '../../../../support/findings/simulated-rhythm.ts';
import { simulateMonth } from '../../../../support/findings/simulated-traffic.ts';

const MINUTE_MS = 60_000;
const FROM_MS = Date.UTC(2026, 9, 1);
const LEARN_DAYS = 7;
const ASKED_SEEDS = process.env['CHANNELSCOPE_FINDING_SEEDS'];
/** Two weekends; whole months where more seeds are asked for. */
const DAYS = ASKED_SEEDS === undefined ? 12 : 30;
const INCIDENTS = 2 * DAYS;
/** Of a direction, at the busiest time: 0.6 million records in all, 1.2 million in a month. */
const PER_MINUTE = 24;
const STEP_MS = 12 * 60 * MINUTE_MS;
/** What ended within a day is still told. */
const QUIET_STEP_MS = DAY_MS;
/** On a busy machine. */
const MONTH_MS = 600_000;
/** `CHANNELSCOPE_FINDING_SEEDS=12` runs a dozen months of each kind, each of some seconds. */
const SEEDS =
  ASKED_SEEDS === undefined ? [3] : Array.from({ length: Number(ASKED_SEEDS) }, (_, place) => place + 1);

type Told = FoundIncident & { readonly id: string };

/** What is told at a time, by the ids of what was told before. */
function judge(
  find: (untilMs: number) => FoundIncident[],
  untilMs: number,
  told: Map<string, Told>,
): readonly Told[] {
  const own = find(untilMs)
    .filter(({ endedMs }) => endedMs === null || endedMs > untilMs - DAY_MS)
    .map((incident) => ({ ...incident, id: toFindingId(incident, incident.sinceMs) }));
  const carried = carryIds([...told.values()], own);
  for (const incident of carried) told.set(incident.id, incident);
  return carried;
}

function tell(seed: number, incidents: number, stepMs: number) {
  const month = simulateMonth({
    seed,
    incidents,
    perMinute: PER_MINUTE,
    fromMs: FROM_MS,
    days: LEARN_DAYS + DAYS,
    learnDays: LEARN_DAYS,
  });
  const find = prepareSimulation(month);
  const told = new Map<string, Told>();
  for (let untilMs = FROM_MS + LEARN_DAYS * DAY_MS + stepMs; untilMs <= month.toMs; untilMs += stepMs) {
    judge(find, untilMs, told);
  }
  return { month, find, told };
}

/** Kinds with how many incidents there are of each, how large they are, and how many requests a minute they strike. */
function describeSet(incidents: readonly SimulatedIncident[]): string {
  const toRange = (values: readonly number[]): string =>
    `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
  return INCIDENT_KINDS.map((kind) => {
    const own = incidents.filter((incident) => incident.kind === kind);
    const places = new Set(own.map(({ channel, service }) => `${String(channel)}/${String(service)}`));
    return [
      `${String(own.length)} ${kind} at ${String(places.size)} places`,
      `size ${toRange(own.map(({ size }) => size))}`,
      `${toRange(own.map(({ rate }) => rate))} requests a minute`,
    ].join(', ');
  }).join('; ');
}

function isRight(incident: SimulatedIncident, found: Told | undefined): boolean {
  const { kind, channel, service, fromMs } = incident;
  return (
    found !== undefined &&
    found.channel === channel &&
    found.service === service &&
    Math.abs(found.sinceMs - fromMs) <= 2 * MINUTE_MS &&
    found.endedMs !== null &&
    (kind === 'new-errors' ? found.newFamily !== null : found.kind === (kind === 'down' ? 'errors-up' : kind))
  );
}

describe.each(SEEDS)(`${DAYS} simulated days, drawn from %i`, (seed) => {
  it(
    'have each of their incidents told once, at its place, its onset within two minutes, and ended',
    ({ annotate }) => {
      const { month, told, find } = tell(seed, INCIDENTS, STEP_MS);
      expect(month.incidents).toHaveLength(INCIDENTS);
      const wrong = month.incidents.flatMap((incident) => {
        const own = [...told].filter(
          ([, { sinceMs }]) => sinceMs > incident.fromMs - 30 * MINUTE_MS && sinceMs < incident.toMs,
        );
        for (const [id] of own) told.delete(id);
        return own.length === 1 && isRight(incident, own[0]?.[1])
          ? []
          : [{ incident, own: own.map(([id]) => id) }];
      });
      const figures = `${String(INCIDENTS - wrong.length)} of ${String(INCIDENTS)} found: ${describeSet(month.incidents)}`;
      expect(wrong, figures).toEqual([]);
      expect([...told.keys()], figures).toEqual([]);

      // Each kind of incident keeps its id from when it is first told, and is told as one from then on.
      for (const { fromMs } of month.incidents.slice(0, INCIDENT_KINDS.length)) {
        const known = new Map<string, Told>();
        const ids = new Set<string>();
        for (let minute = 1; minute < 50; minute += 12) {
          const now = judge(find, fromMs + minute * MINUTE_MS, known).filter(
            ({ sinceMs }) => sinceMs > fromMs - 30 * MINUTE_MS,
          );
          for (const { id } of now) ids.add(id);
        }
        expect([...ids]).toHaveLength(1);
      }
      return annotate(figures);
    },
    MONTH_MS,
  );

  it(
    'of quiet traffic have at most one finding, nights and weekends included',
    () => {
      expect([...tell(seed + 1000, 0, QUIET_STEP_MS).told.keys()].length).toBeLessThanOrEqual(1);
    },
    MONTH_MS,
  );
});
