import { randomUUID } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import {
  type FamilyAct,
  type FamilyChange,
  isUndoable,
  MAX_FAMILY_CHANGES,
  withChange,
  withoutChange,
} from '../../common/model/connections/family-changes.ts';
import { findReversedRange, toRules } from '../../common/reporting/outcome.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';

/** The handlers of `families/…`. */
export function createFamiliesHandlers(parts: {
  readonly connections: Pick<ConnectionStore, 'get' | 'saveFamilies'>;
  readonly engine: Pick<Engine, 'readFamily' | 'checkFamilies' | 'noteRules'>;
  readonly emit: Emit;
  readonly logger: Logger;
  now(): number;
}): HandlersOf<'families'> {
  const { connections, engine, emit, logger, now } = parts;
  /** Tells windows and the engine; resolves once records follow, or at once. */
  const followChange = async (connectionId: string, wait: boolean): Promise<void> => {
    emit('outcome/changed', { connectionId, isDeciding: true });
    const followed = engine.noteRules().finally(() => {
      emit('outcome/changed', { connectionId, isDeciding: false });
    });
    if (wait) await followed;
    else followed.catch((error: unknown) => logger.warn('families not changed', { error }));
  };
  return {
    'families/read': ({ scope, family }) => {
      connections.get(scope.connectionId);
      return engine.readFamily({ scope, family });
    },
    'families/change': async ({ connectionId, direction, act: typed, wait = false }) => {
      const act = tidyAct(typed);
      const before = connections.get(connectionId).families?.[direction] ?? [];
      if (before.filter(({ isUndone }) => isUndone !== true).length >= MAX_FAMILY_CHANGES)
        throw new AppError('families.too-many', 'There are too many changes of families.', {
          most: MAX_FAMILY_CHANGES,
        });
      const name = act.kind === 'rename' || act.kind === 'split-text' ? act.name : null;
      const { family } = act;
      const into = act.kind === 'merge' ? act.into : null;
      const check = await engine.checkFamilies({ connectionId, direction, act });
      if (!check.isKnown || (into !== null && !check.isTargetKnown))
        throw new AppError('families.not-found', 'No cached record has the family.', {
          family: check.isKnown ? (into ?? family) : family,
        });
      if (name !== null && check.isTargetKnown)
        throw new AppError('families.name-taken', 'Another family has the name.', { name });
      if (act.kind === 'split' || act.kind === 'split-text') {
        if (check.partCount === 0)
          throw new AppError('families.no-part', 'No text of the family would go elsewhere.', { family });
        if (check.partCount > MAX_PARTS)
          throw new AppError('families.too-many-parts', 'The variable has too many values.', {
            count: check.partCount,
            most: MAX_PARTS,
          });
      }
      const change: FamilyChange = { id: randomUUID(), atMs: now(), act };
      await connections.saveFamilies(connectionId, (families) => ({
        ...families,
        [direction]: withChange(families[direction] ?? [], change),
      }));
      await followChange(connectionId, wait);
      return { changeId: change.id, family: act.kind === 'rename' ? act.name : (into ?? family) };
    },
    'families/undo': async ({ connectionId, direction, changeId, wait = false }) => {
      const changes = connections.get(connectionId).families?.[direction] ?? [];
      const change = changes.find(({ id }) => id === changeId);
      if (change === undefined || change.isUndone === true)
        throw new AppError('families.already-undone', 'The change is undone already.');
      if (!isUndoable(changes, changeId))
        throw new AppError('families.not-last', 'A later change builds on this one.');
      await connections.saveFamilies(connectionId, (families) => ({
        ...families,
        [direction]: withoutChange(families[direction] ?? [], changeId),
      }));
      await followChange(connectionId, wait);
      return { changeId, family: change.act.family };
    },
  };
}

/** The most families that a variable is split into. */
const MAX_PARTS = 200;

/** An act with the names as they are kept. */
function tidyAct(act: FamilyAct): FamilyAct {
  if (act.kind === 'merge' && act.into === act.family)
    throw new AppError('app.invalid-input', 'A family is merged with another one.', { family: act.family });
  if (act.kind === 'split' && act.at > act.parts.length - 2)
    throw new AppError('app.invalid-input', 'There is no such variable.', { at: act.at });
  if (act.kind !== 'rename' && act.kind !== 'split-text') return act;
  const name = act.name.replace(/\s+/gu, ' ').trim();
  if (name === '') throw new AppError('families.no-name', 'A family needs a name.');
  return { ...act, name };
}

/** The handlers of `outcome/…`. */
export function createOutcomeHandlers(parts: {
  readonly connections: Pick<ConnectionStore, 'get' | 'saveOutcomes'>;
  readonly engine: Pick<Engine, 'previewOutcomes' | 'adviseOutcomes' | 'noteRules'>;
  readonly emit: Emit;
  readonly logger: Logger;
}): HandlersOf<'outcome'> {
  const { connections, engine, emit, logger } = parts;
  return {
    'outcome/preview': (question) => {
      connections.get(question.connectionId);
      return engine.previewOutcomes(question);
    },
    'outcome/advise': ({ connectionId, direction, rules }) => {
      const { outcomes } = connections.get(connectionId);
      return engine.adviseOutcomes({ connectionId, direction, rules: rules ?? toRules(outcomes, direction) });
    },
    'outcome/save': async ({ connectionId, outcomes, wait = false }) => {
      for (const rules of Object.values(outcomes)) {
        const range = findReversedRange(rules);
        if (range !== null)
          throw new AppError('app.invalid-input', 'A range of codes ends before it begins.', { range });
      }
      const connection = await connections.saveOutcomes(connectionId, () => outcomes);
      emit('outcome/changed', { connectionId, isDeciding: true });
      const decided = engine.noteRules().finally(() => {
        emit('outcome/changed', { connectionId, isDeciding: false });
      });
      if (wait) await decided;
      // What could not be decided now is decided before the next question that the engine answers.
      else decided.catch((error: unknown) => logger.warn('outcomes not decided', { error }));
      return connection;
    },
  };
}
