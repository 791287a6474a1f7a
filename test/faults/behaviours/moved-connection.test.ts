import { describe, expect, it, onTestFinished } from 'vitest';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../../src-main/common/reporting/reports.ts';
import type { SavedConnection } from '../../../src-main/core/connections/connection-file.ts';
import { toNewSnapshot } from '../../integration/cache/cache-fixture.ts';
import { createDirectDownloads } from '../direct-downloads.ts';
import { createRecords, HELD, readPayload, serve, startOddService, type Behaviour } from './odd-service.ts';

const { period } = toNewSnapshot();
const here = createRecords(HELD);
const there = createRecords(HELD, (index) => ({ Payload: `of another service ${index}` }));

/** A service at `b0`, whose second page brings about a change of the connection, and another one at `b1`. */
async function startBoth(change: (address: string) => Partial<SavedConnection>) {
  let onSecondPage = (): void => undefined;
  const behaviours: Behaviour[] = [
    {
      name: 'here',
      records: here,
      meet: (call, records) => {
        if (call.call === 2) onSecondPage();
        return serve()(call, records);
      },
      ends: 'complete',
    },
    { name: 'there', records: there, meet: serve(), ends: 'complete' },
  ];
  const service = await startOddService(behaviours);
  const rig = await createDirectDownloads(service.address);
  onTestFinished(() => service.close());
  onSecondPage = () => rig.change('b0', change(`${service.address}/b1`));
  return { service, rig };
}

describe('a connection that is changed under its download', () => {
  it.each<[string, (address: string) => Partial<SavedConnection>, string]>([
    ['to another address', (baseAddress) => ({ baseAddress }), 'downloads.other-service'],
    ['to another tenant', () => ({ tenant: 7 }), 'downloads.other-tenant'],
    [
      'to another report identifier',
      () => ({
        reportIdentifiers: {
          ...SPECIFIED_REPORT_IDENTIFIERS,
          'inbound-detail': '00000000-0000-4000-8000-000000000001',
        },
      }),
      'downloads.other-service',
    ],
  ])(
    '%s: no certificate covers two services, and it can be completed at the old one',
    async (_to, change, reason) => {
      const { service, rig } = await startBoth(change);
      const begun = await rig.download('inbound-detail', period, 'b0');
      expect(begun).toMatchObject({ state: 'incomplete', failure: reason });
      const held = here.map(readPayload);
      const before = await rig.readPayloads(begun.id);
      expect(before).toEqual(held.slice(0, before.length));
      const certificate = await rig.readCertificate(begun.id);
      expect(certificate).toMatchObject({
        isComplete: false,
        serviceAddress: `${service.address}/b0`,
        tenant: 1001,
      });
      expect(certificate.reasons).toContain(reason);

      const resumed = await rig.resume(begun.id);
      expect(resumed).toMatchObject({ state: 'incomplete', recordCount: before.length, failure: reason });

      rig.change('b0', {});
      expect(await rig.resume(begun.id)).toMatchObject({ state: 'complete' });
      expect(await rig.readPayloads(begun.id)).toEqual(held);
    },
  );
});
