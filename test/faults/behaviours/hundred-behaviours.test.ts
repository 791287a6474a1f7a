import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultServer } from '../../support/network/fault-server.ts';
import { isDesktopNetwork } from '../../support/electron/service-fetch.ts';
import { createSkipClock } from '../../support/fakes/skip-clock.ts';
import { toNewSnapshot } from '../../integration/cache/cache-fixture.ts';
import { createDirectDownloads } from '../direct-downloads.ts';
import { CURSORS } from './cursors.ts';
import { ENVELOPES } from './envelopes.ts';
import { createRecords, HELD, readPayload, startOddService, type Behaviour } from './odd-service.ts';
import { TOTALS } from './totals.ts';
import { TRANSPORTS } from './transports.ts';
import { VALUES } from './values.ts';

const groups = { CURSORS, TOTALS, ENVELOPES, TRANSPORTS, VALUES };
const behaviours: readonly Behaviour[] = Object.values(groups).flat();
/** What a body says is read alike, whichever network brought it. */
const tried = isDesktopNetwork ? { TRANSPORTS } : groups;
const { period } = toNewSnapshot({}, 3600);
/** Only what stands still is given up soon: a busy machine takes its time for the others. */
const SOON = { headersMs: 700, idleMs: 700, totalMs: 2000 };
const LATE = { headersMs: 20_000, idleMs: 20_000, totalMs: 60_000 };

let service: FaultServer;
let rigs: Record<'soon' | 'late', Awaited<ReturnType<typeof createDirectDownloads>>>;
const atEnd: (() => Promise<void>)[] = [];

beforeAll(async () => {
  service = await startOddService(behaviours);
  const open = (timeouts: typeof SOON) =>
    createDirectDownloads(service.address, { timeouts }, createSkipClock(), (work) => {
      atEnd.push(work);
    });
  rigs = { soon: await open(SOON), late: await open(LATE) };
});
afterAll(async () => {
  for (const work of atEnd) await work();
  await service.close();
});

it('there are a hundred of them, each with a name of its own', () => {
  expect(behaviours.length).toBeGreaterThanOrEqual(100);
  expect(new Set(behaviours.map(({ name }) => name)).size).toBe(behaviours.length);
});

describe.each(Object.entries(tried))('a service with odd %s', (_group, members) => {
  it.each(members.map((behaviour) => [behaviour.name, behaviour] as const))(
    '%s',
    async (_name, behaviour) => {
      const { records = createRecords(HELD), ends, reservations = [] } = behaviour;
      const rig = behaviour.standsStill === true ? rigs.soon : rigs.late;
      const connectionId = `b${behaviours.indexOf(behaviour)}`;
      const { id, state, recordCount } = await rig.download('inbound-detail', period, connectionId);
      const certificate = await rig.readCertificate(id);
      const payloads = await rig.readPayloads(id);
      if (ends === 'complete') {
        const expected = behaviour.payloads ?? records.map(readPayload);
        expect(certificate).toMatchObject({ isComplete: true, state: 'complete', reasons: [] });
        expect(certificate.reservations.map(({ code }) => code).sort()).toEqual([...reservations].sort());
        expect(payloads).toEqual(expected);
        return;
      }
      expect(state).not.toBe('complete');
      expect(certificate.isComplete).toBe(false);
      expect(certificate.reasons).toContain(ends);
      expect(payloads).toHaveLength(recordCount);
      // Where the service itself repeats records the reason says so; everywhere else none comes twice.
      if (behaviour.payloads === undefined) expect(new Set(payloads).size).toBe(payloads.length);
      const held = new Set(records.map(readPayload));
      expect(payloads.filter((payload) => !held.has(payload))).toEqual([]);
    },
  );
});
