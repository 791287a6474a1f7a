import { AppError } from '../../common/contract/errors.ts';
import {
  MAX_CASE_PARTS,
  type CaseAct,
  type CaseChange,
  type CasePart,
  type CaseRevision,
} from '../../common/model/cases/case.ts';

/** What a version of a case says. */
export type PageContent = Pick<CaseRevision, 'title' | 'parts' | 'isDeleted'>;

/** A change, and what it makes of a page. */
export interface ChangedPage {
  readonly act: CaseAct;
  readonly partId: string | null;
  readonly page: PageContent;
  /** Is over words that whoever made it hasn't seen. */
  readonly isApart?: boolean;
}

/** Returns what a change makes of a page. Throws `cases.no-part` and `cases.too-many-parts`. */
export function changePage(page: PageContent, change: CaseChange, newId: () => string): ChangedPage {
  if (change.kind === 'rename')
    return { act: 'rename', partId: null, page: { ...page, title: change.title.trim() || page.title } };
  if (change.kind === 'add-text') {
    const part: CasePart = { kind: 'text', id: newId(), text: '', isFolded: false };
    return addPart(page, part, change.place, 'add-text');
  }
  const { kind, partId } = change;
  const part = findPart(page, partId);
  const others = page.parts.filter(({ id }) => id !== partId);
  const put = (next: CasePart): ChangedPage => ({
    act: kind,
    partId,
    page: { ...page, parts: page.parts.map((own) => (own.id === partId ? next : own)) },
  });
  switch (change.kind) {
    case 'set-text':
      if (part.kind !== 'text') throw noPart(partId);
      return { ...put({ ...part, text: change.text }), isApart: part.text !== change.over };
    case 'retitle':
      if (part.kind !== 'pinned') throw noPart(partId);
      return put({ ...part, title: change.title.trim() || part.title });
    case 'fold':
      return put({ ...part, isFolded: change.isFolded });
    case 'move':
      return { act: kind, partId, page: { ...page, parts: others.toSpliced(change.place, 0, part) } };
    case 'remove':
      return { act: kind, partId, page: { ...page, parts: others } };
  }
}

/** Adds a part at a place. Throws `cases.too-many-parts`. */
export function addPart(
  page: PageContent,
  part: CasePart,
  place: number,
  act: 'add-text' | 'pin',
): ChangedPage {
  if (page.parts.length >= MAX_CASE_PARTS)
    throw new AppError('cases.too-many-parts', `A case has at most ${MAX_CASE_PARTS} parts.`, {
      most: MAX_CASE_PARTS,
    });
  return { act, partId: part.id, page: { ...page, parts: page.parts.toSpliced(place, 0, part) } };
}

/** Returns a part. Throws `cases.no-part`. */
export function findPart({ parts }: Pick<PageContent, 'parts'>, partId: string): CasePart {
  const part = parts.find(({ id }) => id === partId);
  if (part === undefined) throw noPart(partId);
  return part;
}

function noPart(partId: string): AppError {
  return new AppError('cases.no-part', 'The case has no such part.', { partId });
}
