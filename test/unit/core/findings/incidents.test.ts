import { expect, it } from 'vitest';
import type { Finding } from '../../../../src-main/common/model/analysis/finding.ts';
import {
  MAX_INCIDENT_NOTES,
  type IncidentChange,
  type IncidentNote,
} from '../../../../src-main/common/model/analysis/incident.ts';
import type { SavedConnection } from '../../../../src-main/core/connections/connection-file.ts';
import { createIncidentsHandlers } from '../../../../src-main/core/findings/findings-handlers.ts';
import {
  changeNotes,
  groupNotes,
  toIncidents,
  withoutDismissed,
} from '../../../../src-main/core/findings/to-incidents.ts';
import { makeFinding } from '../../../support/findings/make-finding.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST = makeFinding();
const END_MS = FIRST.endedMs ?? 0;
const toReport = (...found: Finding[]) => ({
  findings: found.filter(({ endedMs }) => endedMs === null),
  resolved: found.filter(({ endedMs }) => endedMs !== null),
});
const list = (found: Finding[], notes: readonly IncidentNote[] = []) =>
  toIncidents(toReport(...found), notes);

it('what came back at the same place within a week is one incident, whose parts stay apart', () => {
  const again = makeFinding({ sinceMs: END_MS + 5 * HOUR_MS });
  const [incident, ...rest] = list([again, FIRST]);
  expect(rest).toEqual([]);
  expect(incident).toMatchObject({ id: FIRST.id, state: 'came-back' });
  expect(incident?.parts.map(({ id }) => id)).toEqual([FIRST.id, again.id]);
  expect(list([makeFinding({ sinceMs: END_MS + 5 * HOUR_MS, endedMs: null }), FIRST])[0]?.state).toBe(
    'ongoing',
  );
});

it.each<[string, Partial<Finding>]>([
  ['at another place', { service: 8 }],
  ['with other errors', { errorFamily: 'Refused' }],
  ['as something else', { kind: 'slower' }],
  ['in the other direction', { directions: ['outbound'] }],
  ['after more than a week', { sinceMs: END_MS + 7 * DAY_MS + 1 }],
])('%s it is another incident', (_name, own) => {
  const other = makeFinding({ sinceMs: END_MS + HOUR_MS, id: 'other', ...own });
  expect(list([FIRST, other]).map(({ id, state }) => [id, state])).toEqual([
    ['other', 'resolved'],
    [FIRST.id, 'resolved'],
  ]);
});

it('what a person said is found again where more records move the onset, or the place', () => {
  const notes = changeNotes([], [FIRST], { name: 'Release 4.19', note: 'Rolled back' });
  const [moved] = list(
    [makeFinding({ sinceMs: FIRST.sinceMs - 3 * 60_000, channel: null, id: 'new' })],
    notes,
  );
  expect(moved).toMatchObject({ id: FIRST.id, name: 'Release 4.19', note: 'Rolled back', state: 'resolved' });
  const [other] = list([makeFinding({ sinceMs: FIRST.sinceMs + 2 * HOUR_MS, id: 'new' })], notes);
  expect(other).toMatchObject({ name: '', note: '' });
});

it('what was dismissed is listed as that alone, and what comes later is an incident of its own', () => {
  const notes = changeNotes([], [FIRST], { isDismissed: true });
  const again = makeFinding({ sinceMs: END_MS + HOUR_MS, endedMs: null, id: 'again' });
  expect(list([FIRST, again], notes).map(({ id, state }) => [id, state])).toEqual([
    ['again', 'ongoing'],
    [FIRST.id, 'dismissed'],
  ]);
  const report = { ...toReport(FIRST, again), untilMs: null, gaps: [] };
  expect(withoutDismissed(report, notes)).toEqual({ ...report, resolved: [] });
  expect(withoutDismissed(report, changeNotes(notes, [FIRST], { isDismissed: false }))).toEqual(report);
});

it('findings that a person made one are one, and each one of its own again', () => {
  const slower = makeFinding({ kind: 'slower', channel: 1, id: 'slower', sinceMs: FIRST.sinceMs + HOUR_MS });
  const notes = groupNotes(changeNotes([], [slower], { name: 'Database' }), [FIRST, slower], true);
  expect(list([FIRST, slower], notes)).toEqual([
    {
      ...{ id: FIRST.id, state: 'resolved', name: 'Database', note: '', isMerged: true },
      parts: [FIRST, slower],
    },
  ]);
  const apart = list([FIRST, slower], groupNotes(notes, [FIRST, slower], false));
  expect(apart.map(({ id, name }) => [id, name])).toEqual([
    ['slower', 'Database'],
    [FIRST.id, ''],
  ]);
});

it('nothing is kept of a finding about which nothing is said any more', () => {
  const notes = changeNotes([], [FIRST], { name: 'Release 4.19' });
  expect(changeNotes(notes, [FIRST], { name: '' })).toEqual([]);
  expect(groupNotes(groupNotes([], [FIRST], true), [FIRST], false)).toEqual([]);
});

it('names are kept without blanks around them, and no more than a connection has room for', async () => {
  let saved: readonly IncidentNote[] = [];
  const handlers = createIncidentsHandlers({
    connections: {
      get: () => ({ incidents: [...saved] }) as unknown as SavedConnection,
      listSaved: () => [],
      saveIncidents: (_id, change) => {
        saved = change(saved);
        return Promise.resolve();
      },
    },
    ...({} as Omit<Parameters<typeof createIncidentsHandlers>[0], 'connections'>),
  });
  const change = async (own: Partial<Finding>, change: IncidentChange) =>
    handlers['incidents/change']({ connectionId: 'one', parts: [makeFinding(own)], change });
  await change({}, { name: '  Release \n 4.19 ', note: ' Rolled back\n' });
  expect(saved).toMatchObject([
    { id: FIRST.id, name: 'Release 4.19', note: 'Rolled back', isDismissed: false },
  ]);
  const note = saved[0];
  saved = Array.from({ length: MAX_INCIDENT_NOTES }, (_, place) => ({
    ...(note as IncidentNote),
    ...{ id: `${place}`, sinceMs: place * DAY_MS },
  }));
  const added = (async () => change({ sinceMs: 5000 * DAY_MS }, { name: 'One more' }))();
  await expect(added).rejects.toMatchObject({ code: 'incidents.too-many' });
  await change({ id: '3', sinceMs: 3 * DAY_MS }, { name: 'Changed' });
  expect(saved).toHaveLength(MAX_INCIDENT_NOTES);
});

it('what is kept of several connections has what a person said of each, and leaves out one that is gone', async () => {
  const notes = changeNotes([], [FIRST], { name: 'Release 4.19' });
  const saved = [{ id: 'one' }, { id: 'two', incidents: notes }, { id: 'three' }];
  const handlers = createIncidentsHandlers({
    connections: { listSaved: () => saved as SavedConnection[] },
    ledger: { readCovered: () => Promise.resolve(new Map()) },
    cache: { readOutages: () => Promise.resolve([]) },
    engine: {
      readKeptFindings: (questions: readonly { connectionId: string }[]) =>
        Promise.resolve(
          questions.map(({ connectionId }) => ({
            ...toReport(FIRST),
            learned: { inbound: 'days', outbound: 'days' },
            sizes: { atMs: [], channels: [] },
            unjudgedMs: connectionId === 'one' ? [END_MS, END_MS + DAY_MS] : [],
          })),
        ),
    },
    now: () => END_MS + DAY_MS,
  } as unknown as Parameters<typeof createIncidentsHandlers>[0]);
  const period = { fromMs: END_MS - DAY_MS, toMs: END_MS };
  const kept = await handlers['incidents/list-kept']({ connectionIds: ['two', 'gone', 'one'], period });
  expect(
    kept.map(({ connectionId, unjudgedDays, incidents }) => [connectionId, unjudgedDays, incidents[0]?.name]),
  ).toEqual([
    ['one', 2, ''],
    ['two', 0, 'Release 4.19'],
  ]);
});

it('of another origin it is another incident; one that is not as closely known may be the same', () => {
  const within = (value: string) => ({ within: [{ field: 'origin' as const, value }] });
  const first = makeFinding(within('web'));
  const later = { sinceMs: END_MS + HOUR_MS, id: 'later' };
  expect(list([first, makeFinding({ ...later, ...within('app') })])).toHaveLength(2);
  expect(list([first, makeFinding({ ...later, ...within('web') })])).toHaveLength(1);
  expect(list([first, makeFinding(later)])).toHaveLength(1);
});
