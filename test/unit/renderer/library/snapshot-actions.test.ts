import { describe, expect, it } from 'vitest';
import { findPair, listChanges } from '../../../../src-renderer/screens/library/details/snapshot-details.ts';
import {
  ACTION_GROUPS,
  pickTargets,
  type SnapshotAction,
  toShownState,
} from '../../../../src-renderer/screens/library/snapshots/snapshot-words.ts';
import { makeDownload, makeSnapshot } from '../../../support/samples/make-snapshot.ts';
import { makeRow } from '../../../support/samples/make-record.ts';

const complete = makeSnapshot({ fromMs: 0, toMs: 1000 }, { id: 1 });
const running = { ...complete, id: 2, state: 'downloading' as const };
const paused = { ...complete, id: 3, state: 'paused' as const, recordCount: 0, pageCount: 0 };
const stuck = { ...complete, id: 4, state: 'incomplete' as const, pinned: true };
const downloads = new Map(
  [
    makeDownload({ snapshotId: 1 }),
    makeDownload({ snapshotId: 2, state: 'running', snapshotState: 'downloading' }),
    makeDownload({ snapshotId: 3, state: 'paused', snapshotState: 'paused', canResume: true }),
    makeDownload({ snapshotId: 4, snapshotState: 'incomplete' }),
  ].map((download) => [download.snapshotId, download]),
);
const offered = (...chosen: (typeof complete)[]): SnapshotAction[] =>
  ACTION_GROUPS.flat().filter((action) => pickTargets(action, chosen, downloads).length > 0);

describe('actions of a selection', () => {
  it('fit the state of the download', () => {
    expect(offered(complete)).toEqual([
      'open',
      'details',
      'refresh',
      'verify',
      'readAgain',
      'pin',
      'rename',
      'export',
      'share',
      'delete',
    ]);
    expect(offered(running)).toContain('pause');
    expect(offered(running)).not.toContain('refresh');
    expect(offered(paused)).toEqual(['details', 'resume', 'cancel', 'pin', 'rename', 'delete']);
    expect(offered(stuck)).toContain('retry');
    expect(offered(stuck)).toContain('unpin');
    expect(offered(stuck)).not.toContain('resume');
  });

  it('cancel a summary that is being fetched', () => {
    const summary = { ...running, id: 5, report: 'inbound-summary' as const };
    expect(offered(summary)).toContain('cancel');
    expect(offered(summary)).not.toContain('pause');
    expect(offered({ ...summary, state: 'complete' })).not.toContain('cancel');
  });

  it('let a person state that an imported file is complete, unless it says itself that it lacks records', () => {
    const imported = {
      fileName: 'week.csv',
      format: 'csv' as const,
      fileSha256: '0'.repeat(64),
      importedAtMs: 0,
      connectionName: null,
      serviceAddress: null,
      exportedAtMs: null,
    };
    const file = { ...complete, id: 6, state: 'incomplete' as const, imported };
    const having = (code: string) => ({ ...file, remarks: [{ code }] });
    expect(offered(having('import-unstated'))).toContain('state');
    expect(offered(having('import-filtered'))).not.toContain('state');
    expect(offered({ ...having('stated-complete'), state: 'complete' })).toContain('state');
    expect(offered({ ...file, state: 'complete' })).not.toContain('state');
    expect(toShownState({ ...having('stated-complete'), state: 'complete' }, null)).toBe('stated');
  });

  it('apply to those of several that they fit', () => {
    const targets = (action: SnapshotAction): number[] =>
      pickTargets(action, [complete, running, paused, stuck], downloads).map(({ id }) => id);
    expect(targets('pause')).toEqual([2]);
    expect(targets('cancel')).toEqual([2, 3]);
    expect(targets('verify')).toEqual([1, 2, 4]);
    expect(targets('readAgain')).toEqual([1, 4]);
    expect(targets('delete')).toEqual([1, 2, 3, 4]);
    expect(targets('open')).toEqual([]);
  });
});

describe('comparison', () => {
  const row = makeRow({
    seq: 0,
    dateText: '2026-11-19T10:00:00.000Z',
    dateMs: 0,
    sessionId: 's',
    channel: 1,
    service: 1,
    client: 'c',
    origin: 'o',
  });

  it('is with what was fetched again, or with the newest that did', () => {
    const again = { ...complete, id: 5, refreshOf: 1, startedAtMs: 10 };
    const newest = { ...complete, id: 6, refreshOf: 1, startedAtMs: 20 };
    expect(findPair(again, [complete, again, newest])).toEqual({ older: complete, newer: again });
    expect(findPair(complete, [complete, again, newest])).toEqual({ older: complete, newer: newest });
    expect(findPair(complete, [complete, running])).toBeNull();
  });

  it('names each field that changed as the specification does', () => {
    const newer = { ...row, responseCode: 500, error: 'boom' };
    expect(listChanges({ kind: 'changed', older: row, newer })).toEqual([
      'ReponseCode: 200 → 500',
      'Error:  → boom',
    ]);
    expect(listChanges({ kind: 'added', older: null, newer: row })).toEqual(['200 · c']);
  });
});
