import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Period } from '../../../src-main/common/model/period.ts';
import { toWireDate } from '../../../src-main/common/reporting/wire-documents.ts';
import { createDocument } from '../../integration/cache/cache-fixture.ts';
import { sendJson } from '../../support/network/fault-server.ts';
import { createSkipClock } from '../../support/fakes/skip-clock.ts';
import { createDirectDownloads } from '../direct-downloads.ts';
import { cut, readPayload, startOddService, toBody, type Behaviour } from './odd-service.ts';

const FROM_MS = Date.UTC(2026, 10, 20, 10);
const TO_MS = Date.UTC(2026, 10, 22, 10);
const period: Period = {
  startDate: toWireDate(FROM_MS, 'UTC'),
  endDate: toWireDate(TO_MS, 'UTC'),
  fromMs: FROM_MS,
  toMs: TO_MS,
  zone: 'UTC',
};
/** Around both cuts and both ends of the period. */
const instants = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22), TO_MS].flatMap((atMs) =>
  [-1000, -999, -500, -1, 0, 1, 500, 999, 1000, 1001, 1999].map((ms) => atMs + ms),
);
const all = [FROM_MS + 1, ...instants].flatMap((atMs, index) => {
  const record = createDocument(index, { Date: new Date(atMs).toISOString() });
  // Every third one comes twice, equal in every field.
  return index % 3 === 0 ? [record, record] : [record];
});
type TimedRecord = (typeof all)[number];
const atOf = ({ Date: text }: TimedRecord): number => Date.parse(text);
const inside = all.filter((record) => atOf(record) >= FROM_MS && atOf(record) < TO_MS + 1000);

type Holds = (atMs: number, startMs: number, endMs: number) => boolean;

/** A service over these records that understands a period's ends in its own way. */
function serveWithin(
  holds: Holds,
  change: (found: TimedRecord[]) => unknown[] = (found) => found,
  held = all,
): Behaviour['meet'] {
  return (call) => {
    const [startMs, endMs] = [call.startDate, call.endDate].map((text) =>
      Date.parse(`${text.replace(' ', 'T')}Z`),
    );
    const found = change(held.filter((record) => holds(atOf(record), startMs!, endMs!)));
    const { page, next } = cut(call, found, 4);
    sendJson(call.response, toBody(page, { totalDocument: found.length, lastDocument: next }));
  };
}

const members: Behaviour[] = [];
const atEnd: (() => Promise<void>)[] = [];
let rig: Awaited<ReturnType<typeof createDirectDownloads>>;

beforeAll(async () => {
  const service = await startOddService(members);
  rig = await createDirectDownloads(service.address, {}, createSkipClock(), (work) => {
    atEnd.push(work);
  });
  atEnd.push(() => service.close());
});
afterAll(async () => {
  for (const work of atEnd) await work();
});

async function download(meet: Behaviour['meet'], sliceDays: number | null) {
  members.push({ name: 'within', meet, ends: 'complete' });
  const snapshot = await rig.download('inbound-detail', period, `b${members.length - 1}`, sliceDays);
  const payloads = await rig.readPayloads(snapshot.id);
  return { snapshot, payloads, certificate: await rig.readCertificate(snapshot.id) };
}

const includes: Holds = (at, start, end) => at >= start && at < end + 1000;
const ways: [string, Holds][] = [
  ['includes both ends at whole seconds', includes],
  ['excludes its end', (at, start, end) => at >= start && at < end],
  ['compares to the millisecond', (at, start, end) => at >= start && at <= end],
  ['excludes its beginning', (at, start, end) => at > start && at < end + 1000],
  ['excludes its beginning and compares to the millisecond', (at, start, end) => at > start && at <= end],
];

describe('decision 5, client: a service that', () => {
  it.each(ways.flatMap(([name, holds]) => [null, 1].map((days) => [name, days, holds] as const)))(
    '%s loses and doubles nothing, cut into days: %s',
    async (_name, sliceDays, holds) => {
      const { snapshot, payloads, certificate } = await download(serveWithin(holds), sliceDays);
      expect(payloads.sort()).toEqual(inside.map(readPayload).sort());
      expect(certificate).toMatchObject({
        isComplete: true,
        reasons: [],
        reservations: [],
        setAsideCount: 0,
      });
      expect(snapshot.remarks.map(({ code }) => code)).not.toContain('dates-outside-period');
      expect(certificate.slices[0]?.endDate).toBe('2026-11-22 10:00:01');
      expect(await rig.cache.verifyPages(snapshot.id)).toMatchObject({ damagedPages: [], missingPages: 0 });
    },
  );

  it.each(ways)('%s loses and doubles nothing at the beginning of a gap', async (_name, holds) => {
    // Long over, whenever this runs.
    const earlier = 6 * 365 * 86_400_000;
    const moved = all.map((record) => ({ ...record, Date: new Date(atOf(record) - earlier).toISOString() }));
    const [fromMs, gapMs, toMs] = [FROM_MS - earlier, Date.UTC(2026, 10, 21) - earlier, TO_MS - earlier];
    const before = { startDate: toWireDate(fromMs, 'UTC'), endDate: toWireDate(gapMs - 1000, 'UTC') };
    members.push({ name: 'within', meet: serveWithin(holds, (found) => found, moved), ends: 'complete' });
    const member = `b${members.length - 1}`;
    const first = await rig.download(
      'inbound-detail',
      { ...before, fromMs, toMs: gapMs - 1000, zone: 'UTC' },
      member,
    );
    const [second, ...more] = await rig.fillGaps('inbound-detail', { fromMs, toMs }, member);
    expect(more).toEqual([]);
    expect(second?.period).toMatchObject({ fromMs: gapMs, toMs });
    const payloads = [first.id, second!.id].map((id) => rig.readPayloads(id));
    expect((await Promise.all(payloads)).flat().sort()).toEqual(inside.map(readPayload).sort());
    const certificate = await rig.readCertificate(second!.id);
    expect(certificate).toMatchObject({ isComplete: true, reasons: [], reservations: [], setAsideCount: 0 });
    expect(certificate.slices[0]?.startDate).toBe(toWireDate(gapMs - 1000, 'UTC'));
    expect(certificate.remarks.map(({ code }) => code)).toContain('before-period');
    expect(await rig.cache.verifyPages(second!.id)).toMatchObject({ damagedPages: [], missingPages: 0 });
  });

  it('sends the newest first has its doubles at the cuts recognised', async () => {
    const { payloads, certificate } = await download(
      serveWithin(includes, (found) => found.toReversed()),
      1,
    );
    expect(payloads.sort()).toEqual(inside.map(readPayload).sort());
    expect(certificate).toMatchObject({ isComplete: true, reservations: [] });
    expect(certificate.remarks.map(({ code }) => code)).toContain('seen-at-cut');
  });

  it('writes dates that nobody can read has its doubles at the cuts recognised', async () => {
    const unreadable = (found: TimedRecord[]): unknown[] =>
      found
        .filter((record) => atOf(record) < TO_MS + 1000)
        .map((record) => ({ ...record, Date: `at ${atOf(record)}` }));
    const { payloads } = await download(serveWithin(includes, unreadable), 1);
    expect(payloads.sort()).toEqual(inside.map(readPayload).sort());
  });

  it('announces more for the whole period than its slices bring is incomplete', async () => {
    const forgets: Holds = (at, start, end) =>
      includes(at, start, end) &&
      (start === FROM_MS && end > FROM_MS + 90_000_000 ? true : at % 1000 !== 500);
    const { snapshot, certificate } = await download(serveWithin(forgets), 1);
    expect(snapshot.state).toBe('incomplete');
    expect(certificate.reasons).toContain('fewer-than-forecast');
  });

  it('returns everything whatever the period is never complete with records twice', async () => {
    const { snapshot, payloads } = await download(
      serveWithin(() => true),
      1,
    );
    expect(snapshot.state).toBe('incomplete');
    expect(payloads.length).toBeLessThanOrEqual(all.length);
  });
});
