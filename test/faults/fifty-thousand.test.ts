// @module-tag long
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Period } from '../../src-main/common/model/period.ts';
import type { Snapshot } from '../../src-main/common/model/cache/snapshot.ts';
import type { DetailKind } from '../../src-main/common/reporting/reports.ts';
import { toNewSnapshot } from '../integration/cache/cache-fixture.ts';
import { makeCertificate } from '../support/network/make-certificate.ts';
import { startRecordService } from '../support/service/record-service.ts';
import { isDesktopNetwork } from '../support/electron/service-fetch.ts';
import { createSkipClock } from '../support/fakes/skip-clock.ts';
import { sendJson } from '../support/network/fault-server.ts';
import { startServer } from './client/client-rig.ts';
import { createDirectDownloads, type LogLine } from './direct-downloads.ts';
import { createEveryFault, type KnownFault } from './every-fault.ts';

const RECORDS = 50_000;
const UNREADABLE = 3;
const authority = makeCertificate({ name: 'authority', isAuthority: true });
const usual = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...usual, authority.cert]));
afterAll(() => setDefaultCACertificates(usual));
const period: Period = toNewSnapshot({}, RECORDS).period;
const expected = Array.from({ length: RECORDS }, (_entry, index) => `{"text":"hello ${index}"}`);

async function startRig() {
  const clock = createSkipClock();
  const elsewhere = await startServer((_request, response) => sendJson(response, {}));
  const faults = createEveryFault(clock, `${elsewhere.address}/api`, authority);
  const certificate = makeCertificate({ name: 'service', issuer: authority, address: '127.0.0.1' });
  const service = await startRecordService({ certificate, records: RECORDS, faults });
  onTestFinished(() => service.close());
  const timeouts = { headersMs: 500, idleMs: 500, totalMs: 1500 };
  const rig = await createDirectDownloads(service.address, { timeouts, pageLimitBytes: 8_000_000 }, clock);
  /** As a person would: goes on with what was paused. */
  const downloadWhole = async (report: DetailKind): Promise<Snapshot> => {
    let snapshot = await rig.download(report, period);
    for (let times = 0; times < 5 && snapshot.state !== 'complete'; times += 1) {
      snapshot = await rig.resume(snapshot.id);
    }
    return snapshot;
  };
  return { ...rig, elsewhere, faults, service, downloadWhole };
}

/** What the log says of every call and of every failure that a download met. */
function countLogged(lines: readonly LogLine[], logged: string): number {
  return lines.filter(
    ({ fields }) => fields['code'] === logged || `status ${String(fields['status'])}` === logged,
  ).length;
}

/** Each kind of fault is logged as often as one download meets it. A second one may have its connection ended by the first. */
function expectLogged(lines: readonly LogLine[], faults: readonly KnownFault[]): void {
  for (const { logged } of faults) {
    const alike = faults.filter((fault) => fault.logged === logged).length;
    expect(countLogged(lines, logged), logged).toBeGreaterThanOrEqual(alike);
  }
}

describe('50,000 records through every fault', () => {
  it('arrive all, once and in order, and every fault is in the log', async () => {
    const { service, faults, elsewhere, lines, downloadWhole, readPayloads } = await startRig();
    const snapshot = await downloadWhole('inbound-detail');
    expect(snapshot).toMatchObject({ state: 'complete', recordCount: RECORDS });
    expect(await readPayloads(snapshot.id)).toEqual(expected);
    expect(snapshot.remarks).toContainEqual({ code: 'record-unreadable', count: UNREADABLE });
    expect(service.countLeft()).toBe(faults.length);
    expectLogged(lines, faults);
    expect(countLogged(lines, 'client.circuit-open')).toBeGreaterThan(0);
    expect(countLogged(lines, 'client.report-refused')).toBeGreaterThan(0);
    expect(elsewhere.requests).toHaveLength(0);
    expect(JSON.stringify(lines)).not.toMatch(/user-part|secret-part|token-\d|hello \d/);
  }, 120_000);

  // Two at once differ above the network: they need not be repeated over the other one.
  const once = isDesktopNetwork ? [] : ['two downloads at once'];
  it.each(once)(
    'arrive all, once and in order, in %s',
    async () => {
      const { service, faults, elsewhere, lines, downloadWhole, readPayloads } = await startRig();
      const snapshots = await Promise.all([
        downloadWhole('inbound-detail'),
        downloadWhole('outbound-detail'),
      ]);
      for (const snapshot of snapshots) {
        expect(snapshot).toMatchObject({ state: 'complete', recordCount: RECORDS });
        expect(await readPayloads(snapshot.id)).toEqual(expected);
      }
      expect(service.countLeft()).toBe(0);
      expectLogged(lines, faults);
      expect(elsewhere.requests).toHaveLength(0);
    },
    180_000,
  );
});
