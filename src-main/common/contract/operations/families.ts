import { Type } from 'typebox';
import { FamilyAct } from '../../model/connections/family-changes.ts';
import { FamilyPage } from '../../model/records/family-page.ts';
import { PeriodScope } from '../../model/records/record-scope.ts';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { ConnectionId, operation } from '../operation.ts';

const OfDirection = Type.Object({
  ...ConnectionId.properties,
  direction: Type.Enum(DIRECTIONS),
  /** Returns once all cached records follow, not as soon as the change is saved. */
  wait: Type.Optional(Type.Boolean()),
});
/** The family that a page goes on with. */
const Changed = Type.Object({ changeId: Type.String(), family: Type.String() });

export const familiesOperations = {
  /** Everything about one family of errors; a name of before is that of what it has become. */
  'families/read': operation(
    Type.Object({ scope: PeriodScope, family: Type.String({ minLength: 1, maxLength: 2_000 }) }),
    FamilyPage,
  ),
  /** Merges, splits or renames a family. Rejects with `families.…` where that isn't possible. */
  'families/change': operation(Type.Object({ ...OfDirection.properties, act: FamilyAct }), Changed),
  /** Takes a change back. Rejects with `families.not-last` where a later one builds on it. */
  'families/undo': operation(Type.Object({ ...OfDirection.properties, changeId: Type.String() }), Changed),
};
