import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import { MAX_CASE_TITLE, type CasePage } from '../../../src-main/common/model/cases/case.ts';
import { useBackend } from '../../backend/backend.ts';
import type { CaseOffer } from '../../composables/case-door.ts';

/** What was done with a case last, which a notice says and offers to undo. */
interface CaseNews {
  readonly act: 'added' | 'removed' | 'deleted';
  readonly caseId: string;
  /** Of the case. */
  readonly title: string;
  readonly part: string;
}

/** What is about to be added to a case, and what was done last. */
export const useCasesStore = defineStore('cases', () => {
  const backend = useBackend();
  const offered = shallowRef<CaseOffer | null>(null);
  const news = shallowRef<CaseNews | null>(null);

  function offer(next: CaseOffer | null): void {
    offered.value = next;
  }

  /** Adds what is offered to a case, or to a new one of a title. Rejects with the core's error. */
  async function add(
    to: { readonly caseId: string } | { readonly newTitle: string },
    title: string,
  ): Promise<void> {
    const { value: own } = offered;
    if (own === null) return;
    const { kind, question } = own;
    const content = await own.readContent();
    const caseId =
      'caseId' in to ? to.caseId : (await backend.call('cases/create', { title: to.newTitle })).id;
    const name = title.trim().slice(0, MAX_CASE_TITLE) || own.title.slice(0, MAX_CASE_TITLE);
    const part = { kind, question, content, title: name };
    const page = await backend.call('cases/pin', { caseId, part });
    note('added', page, name);
    offered.value = null;
  }

  function note(act: CaseNews['act'], { id, title }: Pick<CasePage, 'id' | 'title'>, part = ''): void {
    news.value = { act, caseId: id, title, part };
  }

  async function undo(): Promise<void> {
    const { value: last } = news;
    if (last === null) return;
    await backend.call('cases/undo', { caseId: last.caseId });
    if (news.value === last) news.value = null;
  }

  function dismiss(): void {
    news.value = null;
  }

  return { offered, news, offer, add, note, undo, dismiss } as const;
});
