import { randomUUID } from 'node:crypto';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import type { CasePage, CaseRevision } from '../../common/model/cases/case.ts';
import { addPart, changePage, findPart } from './change-page.ts';
import type { CaseFiles } from './open-case-files.ts';
import { askAgain, takePart, type PartSource } from './take-part.ts';

/** The handlers of `cases/…`. */
export function createCasesHandlers(
  parts: Omit<PartSource, 'findConnection'> & {
    readonly caseFiles: CaseFiles;
    readonly connections: { listSaved(): readonly NonNullable<ReturnType<PartSource['findConnection']>>[] };
    readonly emit: Emit;
  },
): HandlersOf<'cases'> {
  const { caseFiles: files, connections, emit } = parts;
  const source: PartSource = {
    ...parts,
    findConnection: (connectionId) => connections.listSaved().find(({ id }) => id === connectionId),
  };
  const show = async (caseId: string, changing: Promise<CaseRevision>): Promise<CasePage> => {
    const revision = await changing;
    emit('cases/changed', { caseId });
    return toPage(caseId, revision);
  };
  return {
    'cases/list': () =>
      files
        .list()
        .filter(({ current }) => !current.isDeleted)
        .sort((a, b) => b.current.savedAtMs - a.current.savedAtMs)
        .map(({ id, current: { title, createdAtMs, savedAtMs, number, parts } }) => ({
          id,
          title,
          createdAtMs,
          savedAtMs,
          revision: number,
          partCount: parts.length,
          pinnedCount: parts.filter(({ kind }) => kind === 'pinned').length,
        })),
    'cases/create': async ({ title }) => {
      const caseId = await files.create(title.trim() || title);
      return show(caseId, Promise.resolve(files.read(caseId)));
    },
    'cases/read': ({ caseId }) => toPage(caseId, files.read(caseId)),
    'cases/read-part': ({ caseId, partId }) => files.readPart(caseId, partId),
    'cases/change': ({ caseId, change }) =>
      show(
        caseId,
        files.change(caseId, (page) => changePage(page, change, randomUUID)),
      ),
    'cases/pin': async ({ caseId, part: draft }) => {
      files.read(caseId);
      const part = await takePart(source, draft, randomUUID());
      await files.savePart(caseId, part);
      const { id, kind: of, title } = part;
      const added = { kind: 'pinned', id, of, title, isFolded: false, answer: null } as const;
      return show(
        caseId,
        files.change(caseId, (page) => addPart(page, added, page.parts.length, 'pin')),
      );
    },
    'cases/ask': async ({ caseId, partId }) => {
      const answer = await askAgain(source, await files.readPart(caseId, partId));
      return show(
        caseId,
        files.change(caseId, (page) => {
          findPart(page, partId);
          const asked = page.parts.map((own) =>
            own.id === partId && own.kind === 'pinned' ? { ...own, answer } : own,
          );
          return { act: 'ask', partId, page: { ...page, parts: asked } };
        }),
      );
    },
    'cases/undo': ({ caseId }) => show(caseId, files.step(caseId, 'undo')),
    'cases/redo': ({ caseId }) => show(caseId, files.step(caseId, 'redo')),
    'cases/delete': ({ caseId }) =>
      show(
        caseId,
        files.change(caseId, (page) => ({ act: 'delete', partId: null, page: { ...page, isDeleted: true } })),
      ),
    'cases/list-revisions': async ({ caseId }) =>
      (await files.listRevisions(caseId)).map(({ number, savedAtMs, act, title, parts }) => ({
        number,
        savedAtMs,
        act,
        title,
        partCount: parts.length,
      })),
    'cases/restore': async ({ caseId, revision }) => {
      const page = await files.readRevision(caseId, revision);
      return show(
        caseId,
        files.change(caseId, () => ({ act: 'restore', partId: null, page })),
      );
    },
  };
}

function toPage(caseId: string, revision: CaseRevision): CasePage {
  const { number, savedAtMs, undo, redo, isDeleted, title, parts } = revision;
  return {
    id: caseId,
    revision: number,
    savedAtMs,
    canUndo: undo !== null,
    canRedo: redo !== null,
    isDeleted,
    title,
    parts,
  };
}
