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
import { operation, Nothing } from '../operation.ts';

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
