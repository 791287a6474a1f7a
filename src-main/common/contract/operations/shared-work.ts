import { Type } from 'typebox';
import { Nullable } from '../../model/nullable.ts';
import {
  CONFLICT_CHOICES,
  KeptVersion,
  SharedChoice,
  SharedOutcome,
  SharedPlan,
  SharedWork,
} from '../../model/shared/shared-work.ts';
import { Nothing, operation } from '../operation.ts';

const { folder } = SharedChoice.properties;
const Ids = Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 100_000 });

export const sharedWorkOperations = {
  'shared-work/read': operation(Nothing, SharedWork),
  /** Asks the person for a folder; null when none was chosen, or where the host has no dialog for it. */
  'shared-work/choose-folder': operation(Nothing, Type.Object({ folder: Nullable(Type.String()) })),
  /**
   * Links a folder, or changes what is shared in it; from then on both sides follow each other. Rejects with
   * `shared-work.folder-unfit`, and with `connections.not-found`.
   */
  'shared-work/link': operation(SharedChoice, SharedWork),
  /** Ends it. What is here and what is in the folder stay as they are. */
  'shared-work/unlink': operation(Nothing, SharedWork),
  /** Looks at both sides now; resolves once what could be done is done. */
  'shared-work/look': operation(Nothing, SharedWork),
  /** Rejects with `shared-work.changed` where a version is another one by now: it is shown again. */
  'shared-work/resolve': operation(
    Type.Object({ conflictId: Type.String(), choice: Type.Enum([...CONFLICT_CHOICES]) }),
    SharedWork,
  ),
  /** Writes the version from here over a file that can't be read, which is kept. */
  'shared-work/replace-file': operation(Type.Object({ file: Type.String({ maxLength: 1_000 }) }), SharedWork),
  /** Answers for items that are gone at once: deletes them on the other side, or brings them back. */
  'shared-work/answer-removals': operation(
    Type.Object({ answer: Type.Union([Type.Literal('delete'), Type.Literal('restore')]) }),
    SharedWork,
  ),
  /** What exporting would write. Changes nothing. */
  'shared-work/plan-export': operation(SharedChoice, SharedPlan),
  /** Writes what is new to the folder, and over what differs those of `replace`, which are kept. */
  'shared-work/export': operation(Type.Object({ choice: SharedChoice, replace: Ids }), SharedOutcome),
  /** What importing would change. Changes nothing. */
  'shared-work/plan-import': operation(SharedChoice, SharedPlan),
  /** Takes the items of `take`; what they replace is kept. */
  'shared-work/import': operation(Type.Object({ choice: SharedChoice, take: Ids }), SharedOutcome),
  /** Newest first. */
  'shared-work/list-kept': operation(Nothing, Type.Array(KeptVersion)),
  /** Brings a kept version back; what it replaces is kept in turn. Rejects with `shared-work.not-kept`. */
  'shared-work/restore': operation(Type.Object({ keptId: Type.String({ maxLength: 300 }) }), SharedWork),
  /** Shows the folder; false where the system has no program for that. */
  'shared-work/reveal-folder': operation(Type.Object({ folder }), Type.Object({ isShown: Type.Boolean() })),
};

export const sharedWorkEvents = { 'shared-work/changed': SharedWork };
