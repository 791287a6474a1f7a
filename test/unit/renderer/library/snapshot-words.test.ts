import { describe, expect, it } from 'vitest';
import { toExportStem } from '../../../../src-main/common/exports/export-texts.ts';
import { toExportSubject } from '../../../../src-renderer/components/dialogs/export/export-choices.ts';
import { toPeriodWords } from '../../../../src-renderer/messages/period-words.ts';
import { fromPeriodText } from '../../../../src-renderer/period/period-selection.ts';
import { toSnapshotAddress } from '../../../../src-renderer/address/record-links.ts';
import {
  filterSnapshots,
  isShortOfTotal,
  toRecordShare,
  toShownState,
  toStorageParts,
} from '../../../../src-renderer/screens/library/snapshots/snapshot-words.ts';
import type { Download } from '../../../../src-main/common/model/cache/download.ts';
import type { Snapshot } from '../../../../src-main/common/model/cache/snapshot.ts';
import { makeDownload, makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const DAY_MS = 86_400_000;
const zone = 'America/Bogota';
const midnightMs = Date.UTC(2026, 10, 19, 5);
const day = makeSnapshot({ fromMs: midnightMs, toMs: midnightMs + DAY_MS - 1000, zone }, { id: 7 });

describe('period words', () => {
  it('calls a whole day of the clock so', () => {
    expect(toPeriodWords(day.period, zone)).toEqual({ kind: 'day', day: '19 Nov' });
  });

  it('joins several whole days', () => {
    const days = makeSnapshot({ fromMs: midnightMs, toMs: midnightMs + 3 * DAY_MS - 1000, zone });
    expect(toPeriodWords(days.period, zone)).toEqual({ kind: 'days', from: '19 Nov', to: '21 Nov' });
  });

  it('gives the times where an end is no midnight, also when it is only midnight elsewhere', () => {
    expect(toPeriodWords(day.period, 'UTC')).toEqual({ kind: 'range', text: '19 Nov 05:00 – 20 Nov 04:59' });
  });
});

describe('snapshot words', () => {
  it('counts records of the second after the period and doubles at a cut as none of the total', () => {
    const remarks = [
      { code: 'after-period', count: 11 },
      { code: 'seen-at-cut', count: 4 },
    ];
    const whole = { ...day, recordCount: 400, totalDocument: 415, remarks };
    expect(isShortOfTotal(whole, null)).toBe(false);
    expect(isShortOfTotal({ ...whole, recordCount: 399 }, null)).toBe(true);
  });

  it("decision 11, client: holds a total of both directions' groups against no summary", () => {
    const short = { ...day, recordCount: 400, totalDocument: 584 };
    expect(isShortOfTotal(short, null)).toBe(true);
    expect(isShortOfTotal({ ...short, report: 'inbound-summary' }, null)).toBe(false);
    expect(isShortOfTotal({ ...short, report: 'outbound-summary' }, null)).toBe(false);
    expect(isShortOfTotal(day, null)).toBe(false);
  });

  it('decision 27, client: a complete snapshot of a period that was not over is still open', () => {
    expect(toShownState(day, null)).toBe('complete');
    expect(toShownState({ ...day, stillOpen: true }, null)).toBe('open');
    expect(toShownState({ ...day, stillOpen: true, state: 'incomplete' }, null)).toBe('incomplete');
  });

  it('has no share before the service said how many records there are', () => {
    expect(toRecordShare({ ...day, totalDocument: null }, null)).toBeNull();
    expect(toRecordShare({ ...day, recordCount: 0, totalDocument: 0 }, null)).toBe(1);
    expect(toRecordShare({ ...day, recordCount: 300, totalDocument: 200 }, null)).toBe(1);
    expect(toRecordShare({ ...day, recordCount: 50, totalDocument: 200 }, null)).toBe(0.25);
  });

  it('names what the download does before how the snapshot is', () => {
    const arriving = { ...day, state: 'downloading' as const };
    const shown = (state: Download['state']): string => toShownState(arriving, makeDownload({ state }));
    expect(shown('queued')).toBe('queued');
    expect(shown('waiting')).toBe('waiting');
    expect(shown('running')).toBe('downloading');
    expect(toShownState({ ...day, remarks: [{ code: 'short-page' }] }, makeDownload({}))).toBe('remarked');
  });

  it('expects of a download in pieces what is forecast, and of one that is over what was announced', () => {
    const sliced = { ...day, recordCount: 50, totalDocument: 50 };
    expect(toRecordShare(sliced, makeDownload({ state: 'running', totalDocument: 500 }))).toBe(0.1);
    expect(toRecordShare(sliced, makeDownload({ state: 'ended', totalDocument: 500 }))).toBe(1);
  });

  it('opens a detail by its number and a summary by its period, which both name', () => {
    const { query } = toSnapshotAddress(day);
    const selection = fromPeriodText(query.period);
    expect(selection).toMatchObject({ kind: 'custom', fromMs: day.period.fromMs, toMs: day.period.toMs });
    expect(toSnapshotAddress(day).path).toBe('/inbound/detail/7');
    const summary = toSnapshotAddress({ ...day, report: 'outbound-summary' });
    expect(summary).toEqual({ path: '/outbound/summary', query });
  });

  it('names the file after report, tenant and days', () => {
    expect(toExportStem(toExportSubject(day), 'csv', zone)).toBe('inbound-detail_1001_2026-11-19');
    const days = makeSnapshot({ fromMs: midnightMs, toMs: midnightMs + 2 * DAY_MS, zone });
    const imported = { ...day, tenant: 0, imported: { fileName: 'a.csv' } } as unknown as Snapshot;
    expect(toExportStem(toExportSubject(imported), 'csv', zone)).toBe('inbound-detail_2026-11-19');
    expect(toExportStem(toExportSubject(days), 'json', zone)).toBe(
      'inbound-detail_1001_2026-11-19_to_2026-11-21',
    );
    expect(toExportStem(toExportSubject(day), 'evidence', zone)).toBe(
      'evidence_inbound-detail_1001_2026-11-19',
    );
  });

  it('filters by every word, in any letter case', () => {
    const other = { ...day, id: 8 };
    const describeSnapshot = ({ id }: { id: number }): string =>
      id === 7 ? 'Inbound complete' : 'Outbound failed';
    const find = (filter: string): number[] =>
      filterSnapshots([day, other], filter, describeSnapshot).map(({ id }) => id);
    expect(find('')).toEqual([7, 8]);
    expect(find('  FAILED outbound ')).toEqual([8]);
    expect(find('inbound failed')).toEqual([]);
  });
});

describe('storage parts', () => {
  it('adds up to the whole', () => {
    const parts = toStorageParts({
      totalBytes: 1000,
      databaseBytes: 1000,
      inboundDetailBytes: 400,
      outboundDetailBytes: 300,
      summaryBytes: 100,
      freeBytes: 5000,
      reclaimableBytes: 0,
    });
    expect(parts.at(-1)).toMatchObject({ name: 'rest', bytes: 200 });
    expect(parts.reduce((sum, part) => sum + part.share, 0)).toBeCloseTo(1);
  });

  it('has no negative rest where the reports were received larger than they are stored', () => {
    const parts = toStorageParts({
      totalBytes: 100,
      databaseBytes: 100,
      inboundDetailBytes: 400,
      outboundDetailBytes: 0,
      summaryBytes: 0,
      freeBytes: 5000,
      reclaimableBytes: 0,
    });
    expect(parts.every((part) => part.bytes >= 0 && part.share <= 1)).toBe(true);
  });
});
