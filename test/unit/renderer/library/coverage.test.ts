import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../../src-main/common/model/snapshot.ts';
import { toCoverage } from '../../../../src-renderer/screens/library/coverage.ts';
import { makeSnapshot } from './make-snapshot.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;

/** The cells of the inbound detail report. */
function cover(snapshots: Snapshot[], zone = 'UTC') {
  return toCoverage(snapshots, zone, NOW_MS, 30)[0]!.cells;
}

function makeDay(day: number, overrides: Partial<Snapshot> = {}): Snapshot {
  const fromMs = Date.UTC(2026, 10, day);
  return makeSnapshot({ fromMs, toMs: fromMs + DAY_MS - 1000 }, overrides);
}

describe('coverage', () => {
  it('has a row for each report and a cell for each day, ending today', () => {
    const rows = toCoverage([], 'UTC', NOW_MS, 30);
    expect(rows.map((row) => row.report)).toEqual([
      'inbound-detail',
      'inbound-summary',
      'outbound-detail',
      'outbound-summary',
    ]);
    expect(rows[0]?.cells).toHaveLength(30);
    expect(rows[0]?.cells.at(-1)?.fromMs).toBe(Date.UTC(2026, 10, 20));
    expect(rows[0]?.cells.every((cell) => cell.state === 'none')).toBe(true);
  });

  it('calls a day complete only when every second of it is cached', () => {
    expect(cover([makeDay(19)]).at(-2)?.state).toBe('complete');
    const almost = makeDay(19, {
      period: { ...makeDay(19).period, toMs: Date.UTC(2026, 10, 19, 23, 59, 58) },
    });
    expect(cover([almost]).at(-2)?.state).toBe('partial');
  });

  it('joins adjacent and overlapping snapshots without counting a second twice', () => {
    const at = (hour: number): number => Date.UTC(2026, 10, 19, hour);
    const morning = makeSnapshot({ fromMs: at(0), toMs: at(12) - 1000 });
    const noon = makeSnapshot({ fromMs: at(6), toMs: at(18) - 1000 });
    const evening = makeSnapshot({ fromMs: at(18), toMs: at(24) - 1000 });
    expect(cover([morning, noon]).at(-2)).toMatchObject({ state: 'partial', share: 0.75 });
    expect(cover([evening, morning, noon]).at(-2)?.state).toBe('complete');
  });

  it('decision 27: a period fetched up to "now" covers only what lay before', () => {
    const open = makeDay(20, { stillOpen: true, fetchedAtMs: NOW_MS });
    expect(cover([open]).at(-1)).toMatchObject({ state: 'partial', share: 0.5 });
  });

  it('shows an unfinished download in proportion, and never as complete', () => {
    const half = makeDay(19, { state: 'downloading', recordCount: 50, totalDocument: 100 });
    expect(cover([half]).at(-2)).toMatchObject({ state: 'partial', share: 0.5 });
    const doubtful = makeDay(19, { state: 'incomplete', recordCount: 100, totalDocument: 100 });
    expect(cover([doubtful]).at(-2)?.state).toBe('partial');
  });

  it('shows a failed day as failed only while nothing of it is cached', () => {
    const failed = makeDay(19, { state: 'failed', recordCount: 0, failure: 'client.timeout' });
    expect(cover([failed]).at(-2)?.state).toBe('failed');
    expect(cover([failed, makeDay(19)]).at(-2)?.state).toBe('complete');
  });

  it("takes the days of the service's zone, also where one has 23 hours", () => {
    const cells = toCoverage([], 'Europe/Berlin', Date.UTC(2026, 2, 30, 12), 3)[0]!.cells;
    expect(cells.map((cell) => (cell.toMs - cell.fromMs) / 3_600_000)).toEqual([24, 23, 24]);
    expect(cover([], 'America/Bogota').at(-1)?.fromMs).toBe(Date.UTC(2026, 10, 20, 5));
  });
});
