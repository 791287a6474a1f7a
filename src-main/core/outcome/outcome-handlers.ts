import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import { findReversedRange, toRules } from '../../common/reporting/outcome.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { Logger } from '../logging/logger.ts';

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
