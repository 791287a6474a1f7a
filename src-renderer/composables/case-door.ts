import type { InjectionKey } from 'vue';
import type { PartContent, PartDraft, PartQuestion } from '../../src-main/common/model/cases/case.ts';

/** What can be added to a case: what it is called, what it answers, and how what it shows is read. */
export interface CaseOffer extends Pick<PartDraft, 'kind' | 'title'> {
  readonly question: PartQuestion;
  /** Read when a person has chosen the case. */
  readContent(): PartContent | Promise<PartContent>;
}

/** Asks which case something is added to. */
export const caseDoorKey: InjectionKey<(offer: CaseOffer) => void> = Symbol('case door');

/** What the charts of a screen are of, so that each can be added to a case; null while it isn't known. */
export const caseQuestionKey: InjectionKey<() => PartQuestion | null> = Symbol('case question');
