import { Type } from 'typebox';
import { Connection } from '../../model/connections/connection.ts';
import { OutcomeAdvice, OutcomePreview } from '../../model/analysis/outcome-suggestion.ts';
import { ConnectionOutcomes, OutcomeRules } from '../../reporting/outcome.ts';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { ConnectionId, operation } from '../operation.ts';

const OfDirection = Type.Object({ ...ConnectionId.properties, direction: Type.Enum(DIRECTIONS) });

export const outcomeOperations = {
  /** What some rules make of everything cached of a report, beside those in use. */
  'outcome/preview': operation(
    Type.Object({ ...OfDirection.properties, rules: OutcomeRules }),
    OutcomePreview,
  ),
  /** What the cached records suggest; nothing is changed. */
  'outcome/advise': operation(
    Type.Object({ ...OfDirection.properties, rules: Type.Optional(OutcomeRules) }),
    OutcomeAdvice,
  ),
  /**
   * Replaces the rules of a connection; a direction that is left out has the default ones. Returns once they are saved, or
   * with `wait` once all cached records are decided by them.
   */
  'outcome/save': operation(
    Type.Object({
      ...ConnectionId.properties,
      outcomes: ConnectionOutcomes,
      wait: Type.Optional(Type.Boolean()),
    }),
    Connection,
  ),
};

export const outcomeEvents = {
  /** Records of a connection are being decided again, or (at the end) have been: every figure of failures is another one. */
  'outcome/changed': Type.Object({ ...ConnectionId.properties, isDeciding: Type.Boolean() }),
};
