// @module-tag long
import { describe, expect, it } from 'vitest';
import { inspect, killRepeatedly } from '../../support/service/kill-service.ts';
import { startTestService } from '../../support/service/running-service.ts';

/** More with KILLS=50, for example. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const RECORDS = 120_000;

describe('a service that is killed while it writes', () => {
  it(
    'keeps records and rollups in agreement, and completes its history on the next start',
    async () => {
      const result = await killRepeatedly(KILLS, RECORDS, async (folder) => {
        const service = await startTestService({ dataFolder: folder, records: RECORDS, days: 30 });
        expect((await service.readSize()).inboundRecords).toBeGreaterThanOrEqual(RECORDS);
        await service.stop();
        expect(inspect(folder)).toEqual({ faults: [], isWhole: true });
      });
      expect(result.faults).toEqual([]);
      expect(result.whileWriting).toBeGreaterThan(0);
    },
    KILLS * 20_000,
  );
});
