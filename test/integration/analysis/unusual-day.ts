import type { Finding } from '../../../src-main/common/model/analysis/finding.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import type { Engine } from '../../../src-main/core/analysis/engine/create-engine.ts';
import { readPeriodFindings } from '../../../src-main/core/findings/read-findings.ts';
import { openLedger } from '../../support/fakes/open-ledger.ts';
import { createFolder, fillSnapshot, openTestCache, openTestEngine } from '../cache/cache-fixture.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
export const FROM_MS = Date.UTC(2026, 10, 2);
const DAYS = 9;
/** The day on which something is unusual. */
export const LAST_MS = FROM_MS + (DAYS - 1) * DAY_MS;
export const TO_MS = FROM_MS + DAYS * DAY_MS;

/** True within some minutes of the last day. */
export const isWithin = (atMs: number, fromHour: number, minutes: number): boolean =>
  atMs >= LAST_MS + fromHour * HOUR_MS && atMs < LAST_MS + fromHour * HOUR_MS + minutes * MINUTE_MS;

/** A cache with nine days of traffic, and what stood out on the last of them. */
export interface UnusualDay {
  readonly engine: Engine;
  readonly findings: readonly Finding[];
  close(): Promise<void>;
}

/** Caches traffic in both directions, and finds what is unusual on the last day. */
export async function openUnusualDay(
  createTraffic: (direction: Direction) => readonly object[],
): Promise<UnusualDay> {
  const place = await createFolder();
  const cache = await openTestCache(place.file);
  const engine = openTestEngine(place.file, [], { memoryLimitMb: 256, threads: 2 });
  const write = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const toMs = TO_MS - 1000;
  const dates = { startDate: write(FROM_MS), endDate: write(toMs) };
  const period = { ...dates, fromMs: FROM_MS, toMs, zone: 'UTC' };
  for (const direction of ['inbound', 'outbound'] as const) {
    const report = `${direction}-detail` as const;
    await fillSnapshot(cache, [...createTraffic(direction)], { report, period }, 5000);
  }
  const parts = { cache, engine, ledger: openLedger(cache) };
  const found = await readPeriodFindings(parts, 'one', TO_MS, { fromMs: LAST_MS, toMs: TO_MS });
  return {
    engine,
    findings: [...found.findings, ...found.resolved],
    async close() {
      await engine.close();
      await cache.close();
      await place.remove();
    },
  };
}
