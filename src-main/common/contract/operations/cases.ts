import { Type } from 'typebox';
import {
  CASE_ACTS,
  CaseChange,
  CasePage,
  CaseSummary,
  MAX_CASE_TITLE,
  PartDraft,
  PinnedContent,
} from '../../model/cases/case.ts';
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

const CaseId = Type.Object({ caseId: Type.String({ maxLength: 60 }) });
const PartOfCase = Type.Object({ ...CaseId.properties, partId: Type.String({ maxLength: 60 }) });

export const casesOperations = {
  /** The cases, the one that was changed last first. */
  'cases/list': operation(Nothing, Type.Array(CaseSummary)),
  /** Rejects with `cases.too-many`. */
  'cases/create': operation(
    Type.Object({ title: Type.String({ minLength: 1, maxLength: MAX_CASE_TITLE }) }),
    CasePage,
  ),
  'cases/read': operation(CaseId, CasePage),
  /** A pinned part as it was taken, which never changes. */
  'cases/read-part': operation(PartOfCase, PinnedContent),
  /** Resolves once the change is on the disk: a crash loses nothing that this resolved for. */
  'cases/change': operation(Type.Object({ ...CaseId.properties, change: CaseChange }), CasePage),
  /** Adds what is shown to the end of a case, with what is cached of it now. */
  'cases/pin': operation(Type.Object({ ...CaseId.properties, part: PartDraft }), CasePage),
  /** Asks the question of a part again. Rejects with `cases.not-askable` where it has none. */
  'cases/ask': operation(PartOfCase, CasePage),
  'cases/undo': operation(CaseId, CasePage),
  'cases/redo': operation(CaseId, CasePage),
  /** Deletes a case; `cases/undo` brings it back for 30 days. */
  'cases/delete': operation(CaseId, CasePage),
  /** The versions that are kept, the newest first. */
  'cases/list-revisions': operation(
    CaseId,
    Type.Array(
      Type.Object({
        number: Type.Integer(),
        savedAtMs: Type.Integer(),
        act: Type.Enum([...CASE_ACTS]),
        title: Type.String(),
        partCount: Type.Integer(),
      }),
    ),
  ),
  /** Makes an earlier version the newest one; those between stay. */
  'cases/restore': operation(
    Type.Object({ ...CaseId.properties, revision: Type.Integer({ minimum: 1 }) }),
    CasePage,
  ),
};

/** A case was changed, added or deleted. */
export const casesEvents = { 'cases/changed': CaseId };

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
