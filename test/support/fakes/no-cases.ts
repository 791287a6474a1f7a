import { AppError } from '../../../src-main/common/contract/errors.ts';
import type { CaseSource } from '../../../src-main/core/exports/cases/prepare-case.ts';

/** For exporters of tests that export no case. */
export const NO_CASES: CaseSource = {
  read: (caseId) => {
    throw new AppError('cases.not-found', 'There is no such case.', { caseId });
  },
  readPart: () => Promise.reject(new AppError('cases.no-part', 'There is no such part.')),
};
