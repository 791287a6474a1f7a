import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import { type CasePage, MAX_CASE_TITLE } from '../../../src-main/common/model/cases/case.ts';
import type { FamilyAct } from '../../../src-main/common/model/connections/family-changes.ts';
import type { Direction } from '../../../src-main/common/reporting/reports.ts';
import { useBackend } from '../../backend/backend.ts';
import type { CaseOffer } from '../../composables/surroundings.ts';

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

/** Where a family of errors is. */
interface FamilyPlace {
  readonly connectionId: string;
  readonly direction: Direction;
}

interface MadeChange {
  readonly place: FamilyPlace;
  readonly changeId: string;
  readonly act: FamilyAct;
}

/** What a person does to families of errors, and the last of it, which a notice offers to undo. */
export const useFamilyChangesStore = defineStore('family-changes', () => {
  const backend = useBackend();
  const latest = shallowRef<MadeChange | null>(null);

  /** Merges, splits or renames a family; returns the one that it has become. Rejects with the core's error. */
  async function change(place: FamilyPlace, act: FamilyAct): Promise<string> {
    const { changeId, family } = await backend.call('families/change', { ...place, act });
    latest.value = { place, changeId, act };
    return family;
  }

  /** Takes a change back; returns the family that it was about. Rejects with the core's error. */
  async function undo(place: FamilyPlace, changeId: string): Promise<string> {
    const { family } = await backend.call('families/undo', { ...place, changeId });
    if (latest.value?.changeId === changeId) latest.value = null;
    return family;
  }

  function dismiss(): void {
    latest.value = null;
  }

  return { latest, change, undo, dismiss } as const;
});
