import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { Period } from '../../../src-main/common/model/period.ts';
import { toWireDate } from '../../../src-main/common/reporting/wire-documents.ts';
import { toRecordId } from '../../../src-main/common/model/records/record.ts';
import { createDirectDownloads } from '../../faults/direct-downloads.ts';
import {
  cut,
  readPayload,
  startOddService,
  toBody,
  withBytes,
  type Behaviour,
  type PageCall,
} from '../../faults/behaviours/odd-service.ts';
import { createSkipClock } from '../../support/fakes/skip-clock.ts';
import { sendJson } from '../../support/network/fault-server.ts';
import { createDocument } from '../cache/cache-fixture.ts';

const DAY_MS = 86_400_000;
const DAYS = 8;
const FROM_MS = Date.UTC(2026, 10, 10);
const TO_MS = FROM_MS + DAYS * DAY_MS - 1000;
const period: Period = {
  startDate: toWireDate(FROM_MS, 'UTC'),
  endDate: toWireDate(TO_MS, 'UTC'),
  fromMs: FROM_MS,
  toMs: TO_MS,
  zone: 'UTC',
};
/** Records of each day, some of them at its very cut, and every fifth one twice. */
const all = Array.from({ length: DAYS }, (_, day) =>
  [0, 0.2, 3_600_000, 7_200_000, 9_000_000, 40_000_000, 50_000_000, DAY_MS - 1].flatMap((ms, place) => {
    const atMs = Math.floor(FROM_MS + day * DAY_MS + ms);
    const record = createDocument(day * 10 + place, { Date: new Date(atMs).toISOString() });
    return place % 5 === 0 ? [record, record] : [record];
  }),
).flat();
const expected = all.map(readPayload);

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

/** A service that includes both ends of what it is asked for, and takes a moment. */
function serveDays(before: (call: PageCall) => Behaviour['meet'] | null = () => null) {
  const calls = { underWay: 0, most: 0 };
  const meet: Behaviour['meet'] = async (call, records) => {
    calls.underWay += 1;
    calls.most = Math.max(calls.most, calls.underWay);
    await new Promise((resolve) => setTimeout(resolve, 20));
    calls.underWay -= 1;
    const other = before(call);
    if (other !== null) return other(call, records);
    const [startMs = 0, endMs = 0] = [call.startDate, call.endDate].map((text) =>
      Date.parse(`${text.replace(' ', 'T')}Z`),
    );
    const found = all.filter(
      ({ Date: text }) => Date.parse(text) >= startMs && Date.parse(text) < endMs + 1000,
    );
    const { page, next } = cut(call, found, 3);
    sendJson(call.response, toBody(page, { totalDocument: found.length, lastDocument: next }));
  };
  return { meet, calls };
}

async function download(walks: number, { meet, calls }: ReturnType<typeof serveDays>) {
  members.push({ name: 'days', meet, ends: 'complete' });
  const connectionId = `b${members.length - 1}`;
  rig.change(connectionId, { walks });
  const { id, remarks } = await rig.download('inbound-detail', period, connectionId, 1);
  const { isComplete, slices } = await rig.readCertificate(id);
  const check = await rig.cache.verifyPages(id);
  const codes = remarks.map(({ code }) => code);
  return { id, payloads: await rig.readPayloads(id), isComplete, slices, check, codes, most: calls.most };
}

describe('a download in slices', () => {
  it('brings the same records in the same order, and the same certificate, however many walks run at once', async () => {
    const alone = await download(1, serveDays());
    expect(alone).toMatchObject({ payloads: expected, isComplete: true, most: 1 });
    for (const walks of [2, 6, 0]) {
      const several = await download(walks, serveDays());
      expect(several.payloads, String(walks)).toEqual(expected);
      expect(several).toMatchObject({ isComplete: true, slices: alone.slices, codes: alone.codes });
      expect(several.check).toMatchObject({ damagedPages: [], missingPages: 0 });
      expect(several.most).toBeLessThanOrEqual(walks === 0 ? 6 : walks);
      if (walks === 6) expect(several.most).toBeGreaterThan(1);
    }
  });

  it('begins with the most recent slice, which is stored first', async () => {
    for (const walks of [1, 6]) {
      const { id, slices } = await download(walks, serveDays());
      const starts = slices.map(({ startDate }) => startDate);
      expect(starts).toEqual(starts.toSorted().reverse());
      const [first] = await rig.cache.readExportBatch({
        report: 'inbound-detail',
        ids: [toRecordId(id, 0)],
        includePayload: true,
      });
      const lastDay = all.filter((record) => Date.parse(record.Date) >= TO_MS + 1000 - DAY_MS);
      expect(first?.payload).toBe(readPayload(lastDay[0]!));
    }
  });

  it('cuts a period whose first page announces many, and no other', async () => {
    const most = Date.UTC(2026, 10, 15) - 1000;
    const days5 = { ...period, endDate: toWireDate(most, 'UTC'), toMs: most };
    const held = all.slice(0, 50).map(readPayload);
    for (const [pageSize, walks, isCut] of [
      [2, 0, true],
      [2, 6, true],
      [2, 1, false],
      [10, 0, false],
    ] as const) {
      const { meet } = serveDays();
      members.push({ name: 'days', meet, ends: 'complete' });
      const connectionId = `b${members.length - 1}`;
      rig.change(connectionId, { walks, pageSize });
      const { id } = await rig.download('inbound-detail', days5, connectionId, 'best');
      const { isComplete, slices } = await rig.readCertificate(id);
      expect(isComplete).toBe(true);
      expect(slices.length > 1, `${pageSize} ${walks}`).toBe(isCut);
      expect(await rig.readPayloads(id)).toEqual(held);
    }
  });

  it('falls to one walk when the service asks for a pause, and loses nothing', async () => {
    let refused = 0;
    const service = serveDays(({ call }) => {
      if (call % 7 !== 3 || refused > 5) return null;
      refused += 1;
      return withBytes(429, '', { 'retry-after': '1' });
    });
    const found = await download(6, service);
    expect(refused).toBeGreaterThan(0);
    expect(found).toMatchObject({ payloads: expected, isComplete: true });
  });

  it('begins a walk anew whose cursor expired, and doubles nothing', async () => {
    const expired = new Set<string>();
    const service = serveDays(({ cursor, startDate }) => {
      if (cursor === '' || expired.has(startDate)) return null;
      expired.add(startDate);
      return withBytes(410);
    });
    const found = await download(6, service);
    expect(expired.size).toBeGreaterThan(1);
    expect(found).toMatchObject({ payloads: expected, isComplete: true });
  });

  it('pauses where the disk is full, and goes on without loss with several walks at once', async () => {
    const sound = rig.cache.storePage.bind(rig.cache);
    let pages = 0;
    rig.cache.storePage = (page, bytes) => {
      pages += 1;
      if (pages % 9 !== 0) return sound(page, bytes);
      const full = Promise.reject(new AppError('cache.disk-full', 'The disk is full.'));
      full.catch(() => undefined);
      return { head: full, stored: full };
    };
    try {
      const { meet, calls } = serveDays();
      members.push({ name: 'days', meet, ends: 'complete' });
      const connectionId = `b${members.length - 1}`;
      rig.change(connectionId, { walks: 6 });
      let snapshot = await rig.download('inbound-detail', period, connectionId, 1);
      let pauses = 0;
      for (; snapshot.state === 'paused' && pauses < 50; pauses += 1)
        snapshot = await rig.resume(snapshot.id);
      expect(pauses).toBeGreaterThan(1);
      expect(calls.most).toBeGreaterThan(1);
      expect(await rig.readPayloads(snapshot.id)).toEqual(expected);
      expect((await rig.readCertificate(snapshot.id)).isComplete).toBe(true);
    } finally {
      rig.cache.storePage = sound;
    }
  });

  it('goes on alone where a cursor can not be seen in the bytes of its page', async () => {
    const service = serveDays();
    const hidden: ReturnType<typeof serveDays> = {
      ...service,
      meet: (call, records) => {
        const { response } = call;
        const end = response.end.bind(response) as (text: string) => typeof response;
        response.end = ((text: string) =>
          end(text.replaceAll('lastDocument', String.raw`\u006castDocument`))) as typeof response.end;
        response.removeHeader('content-length');
        return service.meet(call, records);
      },
    };
    expect(await download(6, hidden)).toMatchObject({ payloads: expected, isComplete: true });
  });
});
