// @module-tag long
import { expect, it } from 'vitest';
import { createRandom } from '../../../../../src-main/service/sample/random.ts';
import { prepareSimulation } from '../../../../support/findings/find-in-simulation.ts';
import { simulateMonth, type SimulatedRecord } from '../../../../support/findings/simulated-traffic.ts';

/** CERTAINTY_PERMUTATIONS asks for more than the continuous checks try. */
const PERMUTATIONS = Number(process.env['CERTAINTY_PERMUTATIONS'] ?? 12);
const FROM_MS = Date.UTC(2026, 9, 5);
const DAYS = 10;
const random = createRandom(23);

type Outcome = Pick<SimulatedRecord, 'responseCode' | 'responseTimeMs' | 'error'>;

const toOutcome = ({ responseCode, responseTimeMs, error }: SimulatedRecord): Outcome => ({
  responseCode,
  responseTimeMs,
  error,
});

/** Of some sessions most requests fail, whenever they happen. */
function strike(records: readonly SimulatedRecord[]): SimulatedRecord[] {
  const failing = new Map<number, number>();
  return records.map((record) => {
    const share = failing.get(record.session) ?? (random() < 1 / 12 ? 0.8 : 0.01);
    failing.set(record.session, share);
    const hasFailed = random() < share;
    return { ...record, responseCode: hasFailed ? 504 : 200, error: hasFailed ? 'No answer' : '' };
  });
}

/** Gives each session the outcomes that another one of its channel and service had: nothing depends on the time then. */
function permute(records: readonly SimulatedRecord[]): SimulatedRecord[] {
  const flowOf = ({ direction, channel, service }: SimulatedRecord): string =>
    `${direction} ${String(channel)} ${String(service)}`;
  const drawn = new Map<string, Outcome[]>();
  for (const [flow, own] of Map.groupBy(records, flowOf)) {
    const list = [...Map.groupBy(own, ({ session }) => session).values()];
    for (let place = list.length - 1; place > 0; place -= 1) {
      const other = Math.floor(random() * (place + 1));
      [list[place], list[other]] = [list[other] ?? [], list[place] ?? []];
    }
    drawn.set(flow, list.flat().map(toOutcome));
  }
  return records.map((record) => ({ ...record, ...drawn.get(flowOf(record))?.pop() }));
}

it(
  `finds something in at most 5 % of ${String(PERMUTATIONS)} draws of sessions whose failures have nothing to do with the time`,
  ({ annotate }) => {
    const month = simulateMonth({
      seed: 4,
      fromMs: FROM_MS,
      days: DAYS,
      learnDays: 7,
      incidents: 0,
      perMinute: 8,
    });
    const records = strike(month.records);
    let withFindings = 0;
    for (let draw = 0; draw < PERMUTATIONS; draw += 1) {
      if (prepareSimulation({ ...month, records: permute(records) })(month.toMs).length > 0)
        withFindings += 1;
    }
    void annotate(`${String(withFindings)} of ${String(PERMUTATIONS)} draws with a finding`);
    // Findings are never called certain. A draw is a day and a half of twenty places, in both directions.
    const allowed = PERMUTATIONS / 20;
    expect(withFindings).toBeLessThanOrEqual(allowed + 2 * Math.sqrt(allowed));
  },
  60_000 + PERMUTATIONS * 2_000,
);
