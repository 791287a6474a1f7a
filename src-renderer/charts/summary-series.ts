import { CODE_CLASSES, type CodeClass } from '../../src-main/common/model/records/record.ts';

/** Returns whether a class is of failures: with a code of 400 to 499, and all others. */
function isErrorClass(codeClass: CodeClass): boolean {
  return codeClass === '4xx' || codeClass === '5xx';
}

/** Returns the failing requests among counts in the order of CODE_CLASSES. */
export function countErrors(counts: readonly number[]): number {
  return CODE_CLASSES.reduce(
    (sum, codeClass, index) => (isErrorClass(codeClass) ? sum + (counts[index] ?? 0) : sum),
    0,
  );
}

/** Returns whether a share of errors is well above the whole's, which deserves the alert colour. */
export function isStandingOut(errorShare: number, overallShare: number): boolean {
  return errorShare > 0.005 && errorShare > overallShare * 1.5;
}
