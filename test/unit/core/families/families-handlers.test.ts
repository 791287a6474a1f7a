import { expect, it } from 'vitest';
import type { EventArguments } from '../../../../src-main/common/contract/index.ts';
import {
  listHistory,
  MAX_FAMILY_CHANGES,
  type ConnectionFamilies,
  type FamilyAct,
} from '../../../../src-main/common/model/connections/family-changes.ts';
import type { SavedConnection } from '../../../../src-main/core/connections/connection-file.ts';
import { createFamiliesHandlers } from '../../../../src-main/core/families/families-handlers.ts';
import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';

const PLACE = { connectionId: 'one', direction: 'outbound' } as const;

/** Handlers over a connection and an engine whose records have some families. */
function createRig(families: readonly string[], partCount = 2) {
  let saved: ConnectionFamilies = {};
  const events: EventArguments[] = [];
  let isFailing = false;
  const handlers = createFamiliesHandlers({
    connections: {
      get: () => ({ families: saved }) as SavedConnection,
      saveFamilies: (_id, change) => {
        saved = change(saved);
        return Promise.resolve({} as never);
      },
    },
    engine: {
      readFamily: () => Promise.reject(new Error('not asked')),
      checkFamilies: ({ act }) => {
        const target = 'into' in act ? act.into : 'name' in act ? act.name : '';
        const isKnown = families.includes(act.family);
        return Promise.resolve({ isKnown, isTargetKnown: families.includes(target), partCount });
      },
      noteRules: () => (isFailing ? Promise.reject(new Error('ended')) : Promise.resolve()),
    },
    emit: (...event) => void events.push(event),
    logger: createSilentLogger(),
    now: () => 7,
  });
  const change = (act: FamilyAct) => handlers['families/change']({ ...PLACE, act });
  return {
    events,
    change,
    undo: (changeId: string) => handlers['families/undo']({ ...PLACE, changeId }),
    list: () => saved.outbound ?? [],
    fill(count: number) {
      const act = { kind: 'rename', family: 'a', name: 'b' } as const;
      saved = { outbound: Array.from({ length: count }, (_, place) => ({ id: `${place}`, atMs: 0, act })) };
    },
    fail() {
      isFailing = true;
    },
  };
}

it('a change is kept with its connection and direction, and told to windows before and after records follow', async () => {
  const rig = createRig(['a', 'b']);
  const made = await rig.change({ kind: 'rename', family: 'a', name: '  The   usual ' });
  expect(made.family).toBe('The usual');
  const act = { kind: 'rename', family: 'a', name: 'The usual' };
  expect(rig.list()).toEqual([{ id: made.changeId, atMs: 7, act }]);
  await Promise.resolve();
  expect(rig.events.map(([name, payload]) => [name, payload])).toEqual([
    ['outcome/changed', { connectionId: 'one', isDeciding: true }],
    ['outcome/changed', { connectionId: 'one', isDeciding: false }],
  ]);
  rig.fail();
  // It holds all the same: the engine catches up before the next question that it answers.
  await rig.change({ kind: 'merge', family: 'b', into: 'a' });
  expect(rig.list()).toHaveLength(2);
});

it('what can’t be changed is said, and nothing is kept', async () => {
  const rig = createRig(['a', 'b'], 201);
  const split: Extract<FamilyAct, { kind: 'split' }> = {
    ...{ kind: 'split', family: 'a', parts: ['x ', ''], at: 0, variable: 'x' },
  };
  const refused: [FamilyAct, string][] = [
    [{ kind: 'rename', family: 'gone', name: 'c' }, 'families.not-found'],
    [{ kind: 'merge', family: 'a', into: 'gone' }, 'families.not-found'],
    [{ kind: 'rename', family: 'a', name: 'b' }, 'families.name-taken'],
    [{ kind: 'rename', family: 'a', name: ' \n ' }, 'families.no-name'],
    [{ kind: 'merge', family: 'a', into: 'a' }, 'app.invalid-input'],
    [{ ...split, at: 1 }, 'app.invalid-input'],
    [split, 'families.too-many-parts'],
  ];
  for (const [act, code] of refused) await expect(rig.change(act), code).rejects.toMatchObject({ code });
  await expect(createRig(['a'], 0).change(split)).rejects.toMatchObject({ code: 'families.no-part' });
  expect(rig.list()).toEqual([]);
  rig.fill(MAX_FAMILY_CHANGES);
  const one = rig.change({ kind: 'rename', family: 'a', name: 'c' });
  await expect(one).rejects.toMatchObject({ code: 'families.too-many' });
});

it('a change is undone once no later one builds on it', async () => {
  const rig = createRig(['a', 'b', 'c', 'd', 'A', 'x = 1 · a']);
  const split = await rig.change({ kind: 'split', family: 'a', parts: ['x ', ''], at: 0, variable: 'x' });
  const other = await rig.change({ kind: 'rename', family: 'c', name: 'C' });
  const later = await rig.change({ kind: 'merge', family: 'x = 1 · a', into: 'b' });
  await expect(rig.undo(split.changeId)).rejects.toMatchObject({ code: 'families.not-last' });
  expect(listHistory(rig.list(), 'b').map(({ id }) => id)).toEqual([later.changeId, split.changeId]);
  expect(listHistory(rig.list(), 'd')).toEqual([]);
  await rig.undo(other.changeId);
  await rig.undo(later.changeId);
  expect(await rig.undo(split.changeId)).toEqual({ changeId: split.changeId, family: 'a' });
  // The names that they gave go on to mean them.
  expect(rig.list()).toMatchObject([
    { id: split.changeId, isUndone: true },
    { id: other.changeId, isUndone: true },
  ]);
  await expect(rig.undo(other.changeId)).rejects.toMatchObject({ code: 'families.already-undone' });
  expect(listHistory(rig.list(), 'C')).toEqual([]);
  await expect(rig.undo(split.changeId)).rejects.toMatchObject({ code: 'families.already-undone' });
});
