import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { NO_SIMULATION, type Simulation } from '../../../src-main/common/model/connections/local-service.ts';
import type {
  InboundDetailDocument,
  OutboundDetailDocument,
  StatusResponse,
} from '../../../src-main/common/reporting/wire-documents.ts';
import type { RunningService } from '../../../src-main/service/start-service.ts';
import { startTestService } from '../../support/service/running-service.ts';
import { callReport, post, toPeriod } from '../../support/service/service-calls.ts';

/** So much that a few seconds show it. */
const MUCH = { ...NO_SIMULATION, trafficFactor: 60 };

describe('a simulation', () => {
  let service: RunningService;
  afterEach(async () => {
    await service.stop();
  });

  const start = async (simulation: Partial<Simulation> = {}): Promise<void> => {
    service = await startTestService({ records: 0, simulation: { ...MUCH, ...simulation }, live: true });
  };
  const simulate = (simulation: Partial<Simulation>): void => {
    service.setSimulation({ ...MUCH, ...simulation });
  };
  const readStatus = async (): Promise<StatusResponse> =>
    (await (await post(service, '/api/ServiceReporting/Status/1001')).json()) as StatusResponse;
  /** All traffic since an instant, once there is as much of it as wanted. */
  const readSince = async (
    fromMs: number,
    least: number,
  ): Promise<{ inbound: InboundDetailDocument[]; outbound: OutboundDetailDocument[] }> => {
    const period = (): object => ({ ...toPeriod(fromMs, Date.now() + 60_000), size: 10_000 });
    await expect
      .poll(async () => (await callReport(service, 'inbound-detail', period())).totalDocument, {
        timeout: 20_000,
      })
      .toBeGreaterThan(least);
    return {
      inbound: (await callReport(service, 'inbound-detail', period())).documents as InboundDetailDocument[],
      outbound: (await callReport(service, 'outbound-detail', period()))
        .documents as OutboundDetailDocument[],
    };
  };
  /** From then on, all traffic is new. */
  const toNextSecond = (): number => Math.ceil((Date.now() + 1_000) / 1_000) * 1_000;

  it('of a platform that is down: the status says so at once, every request fails, nothing is sent', async () => {
    await start();
    expect(await readStatus()).toMatchObject({ Status: 'up', ConnectorStatus: 'up' });
    simulate({ platformDown: true });
    const fromMs = toNextSecond();
    expect(await readStatus()).toMatchObject({ Status: 'down', ConnectorStatus: 'up' });
    const { inbound, outbound } = await readSince(fromMs, 40);
    expect(new Set(inbound.map(({ ReponseCode }) => ReponseCode))).toEqual(new Set([502]));
    expect(inbound.every(({ Error }) => Error !== '')).toBe(true);
    expect(outbound).toEqual([]);
    expect(await readStatus()).toMatchObject({ Status: 'down', ConnectorStatus: 'up' });
    simulate({});
    expect(await readStatus()).toMatchObject({ Status: 'up', ConnectorStatus: 'up' });
  });

  it('of a connector that is down: the status says so, and says up again as soon as it is', async () => {
    await start({ connectorDown: true });
    expect(await readStatus()).toMatchObject({ Status: 'up', ConnectorStatus: 'down' });
    const { inbound, outbound } = await readSince(0, 60);
    expect(new Set(inbound.map(({ ReponseCode }) => ReponseCode))).toEqual(new Set([503]));
    expect(outbound.length).toBeGreaterThan(0);
    expect(outbound.every(({ ReponseCode, ActionId }) => ReponseCode === 503 && ActionId === '-1')).toBe(
      true,
    );
    simulate({});
    expect(await readStatus()).toMatchObject({ Status: 'up', ConnectorStatus: 'up' });
  });

  it('of slow responses multiplies the response times of new traffic, and the status follows', async () => {
    await start();
    const usual = await readSince(0, 150);
    const usualStatus = await readStatus();
    simulate({ latencyFactor: 20 });
    const fromMs = toNextSecond();
    const slow = await readSince(fromMs, 150);
    const average = (records: readonly { ReponseTime: number; ReponseCode: number }[]): number => {
      const counted = records.filter(({ ReponseCode }) => ReponseCode < 300);
      return counted.reduce((sum, { ReponseTime }) => sum + ReponseTime, 0) / counted.length;
    };
    for (const direction of ['inbound', 'outbound'] as const) {
      const factor = average(slow[direction]) / average(usual[direction]);
      expect(factor).toBeGreaterThan(14);
      expect(factor).toBeLessThan(28);
    }
    const status = await readStatus();
    expect(status.InternalReponseTime).toBeGreaterThan(usualStatus.InternalReponseTime * 5);
    expect(status.Status).toBe('up');
  });

  it.each([
    ['a channel', { channel: 2, service: null }],
    ['a service', { channel: null, service: 3 }],
  ])('of errors on %s leaves the others alone', async (_name, place) => {
    await start({ errorBurst: { ...place, share: 1 } });
    const isHit = ({ Channel, Service }: { Channel: number; Service: number }): boolean =>
      place.channel === null ? Service === place.service : Channel === place.channel;
    const countHits = async (): Promise<number> => {
      const { inbound, outbound } = await readSince(0, 200);
      return Math.min(inbound.filter(isHit).length, outbound.filter(isHit).length);
    };
    await expect.poll(countHits, { timeout: 60_000 }).toBeGreaterThan(5);
    const { inbound, outbound } = await readSince(0, 200);
    for (const records of [inbound, outbound]) {
      const hit = records.filter(isHit);
      const others = records.filter((record) => !isHit(record));
      expect(hit.every(({ ReponseCode }) => ReponseCode >= 400)).toBe(true);
      expect(others.filter(({ ReponseCode }) => ReponseCode >= 400).length).toBeLessThan(others.length * 0.1);
    }
  });

  it('of errors everywhere fails about the share that was asked for', async () => {
    await start({ errorBurst: { channel: null, service: null, share: 0.5 } });
    const { inbound, outbound } = await readSince(0, 150);
    for (const records of [inbound, outbound]) {
      const share = records.filter(({ ReponseCode }) => ReponseCode >= 400).length / records.length;
      expect(share).toBeGreaterThan(0.4);
      expect(share).toBeLessThan(0.65);
    }
  });

  it('of traffic multiplies it, and 0 stops it while the status goes on', async () => {
    await start();
    const { inbound } = await readSince(0, 150);
    const spanMs = Date.parse(inbound.at(-1)!.Date) - Date.parse(inbound[0]!.Date);
    expect(inbound.length / (spanMs / 1_000)).toBeGreaterThan(40);
    simulate({ trafficFactor: 0 });
    const { inboundRecords } = await service.readSize();
    const { totalDocument } = await callReport(service, 'inbound-detail', toPeriod(0, Date.now()));
    await delay(2_200);
    expect((await service.readSize()).inboundRecords).toBe(inboundRecords);
    expect(totalDocument).toBe(inboundRecords);
    expect((await readStatus()).Status).toBe('up');
  });
});
