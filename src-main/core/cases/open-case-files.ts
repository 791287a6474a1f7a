import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { AppError } from '../../common/contract/errors.ts';
import {
  type CaseAct,
  type CaseChange,
  type CasePart,
  CaseRevision,
  MAX_CASE_PARTS,
  MAX_CASES,
  PinnedContent,
} from '../../common/model/cases/case.ts';
import { DAY_MS, MINUTE_MS } from '../../common/time/durations.ts';
import { makePrivateFolder, removePatiently, tryToRemove } from '../../node/files.ts';
import { createWorkQueue } from '../../node/gate.ts';
import { keepAside, readJsonFile, writeJsonFile } from '../documents/json-file.ts';
import type { Logger } from '../logging/logger.ts';

/** How long a deleted case can be brought back. */
const DELETED_KEPT_MS = 30 * DAY_MS;
/** Versions that are kept of a case, and how many there may be before the older ones are removed. */
const KEPT_REVISIONS = 300;
const MAX_REVISIONS = 400;
/** What is typed within this time into one text is one version. */
const ONE_EDIT_MS = MINUTE_MS;
const REVISION_NAME = /^page-(\d{8})\.json$/u;
const PART_NAME = /^part-([\w-]{1,60})\.json$/u;
const CASE_NAME = /^[\w-]{1,60}$/u;

interface OpenCase {
  /** The versions on the disk, the oldest first. */
  numbers: number[];
  current: CaseRevision;
}

/** The cases in the data folder. */
export interface CaseFiles {
  list(): readonly { readonly id: string; readonly current: CaseRevision }[];
  /** Throws `cases.not-found`. */
  read(caseId: string): CaseRevision;
  /** Throws `cases.too-many`. */
  create(title: string): Promise<string>;
  /** Saves what `change` makes of the newest version; resolves once it is on the disk. */
  change(
    caseId: string,
    change: (current: CaseRevision) => ChangedPage | Promise<ChangedPage>,
  ): Promise<CaseRevision>;
  /** Goes back to the version before the last change, or forward again; does nothing where there is none. */
  step(caseId: string, to: 'undo' | 'redo'): Promise<CaseRevision>;
  /** Throws `cases.no-revision`. */
  readRevision(caseId: string, number: number): Promise<CaseRevision>;
  listRevisions(caseId: string): Promise<CaseRevision[]>;
  /** Keeps what a part showed; to be called before the version that names it is saved. */
  savePart(caseId: string, part: PinnedContent): Promise<void>;
  /** Throws `cases.no-part`. */
  readPart(caseId: string, partId: string): Promise<PinnedContent>;
}

/**
 * Opens the folder of cases. Each is a folder with a file for each version of its page, and one for what each pinned part
 * showed, which is written once. Every file is whole or not there, so that a crash leaves the version before.
 */
export async function openCaseFiles(options: {
  readonly dataFolder: string;
  readonly logger: Logger;
  newId(): string;
  now(): number;
}): Promise<CaseFiles> {
  const { dataFolder, logger, newId, now } = options;
  const folder = join(dataFolder, 'cases');
  const cases = new Map<string, OpenCase>();
  const inTurn = createWorkQueue();
  const toPageFile = (caseId: string, number: number): string =>
    join(folder, caseId, `page-${String(number).padStart(8, '0')}.json`);
  const toPartFile = (caseId: string, partId: string): string => join(folder, caseId, `part-${partId}.json`);

  async function load(caseId: string): Promise<OpenCase | null> {
    const numbers = (await readdir(join(folder, caseId)))
      .flatMap((name) => REVISION_NAME.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
    for (let number = numbers.at(-1); number !== undefined; number = numbers.at(-1)) {
      const current = await readPage(caseId, number);
      if (current !== null) return { numbers, current };
      logger.error('a version of a case was damaged', { caseId, number });
      await keepAside(toPageFile(caseId, number), now());
      numbers.pop();
    }
    return null;
  }

  /** Null where the file isn't a version of a case. */
  async function readPage(caseId: string, number: number): Promise<CaseRevision | null> {
    const found = await readJsonFile(toPageFile(caseId, number)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
      return null;
    });
    return Check(CaseRevision, found) && found.number === number ? found : null;
  }

  function find(caseId: string): OpenCase {
    const found = cases.get(caseId);
    if (found === undefined) throw new AppError('cases.not-found', 'There is no such case.', { caseId });
    return found;
  }

  async function save(caseId: string, revision: CaseRevision): Promise<void> {
    await writeJsonFile(toPageFile(caseId, revision.number), revision);
    const { numbers } = cases.get(caseId) ?? { numbers: [] };
    cases.set(caseId, { numbers: [...numbers, revision.number], current: revision });
  }

  const forget = (path: string): Promise<boolean> =>
    tryToRemove(path, (error) => logger.warn('a file of a case was not removed', { error }));

  /** What can't be undone to any more, and what only those versions showed. */
  async function prune(caseId: string): Promise<void> {
    const own = find(caseId);
    if (own.numbers.length <= MAX_REVISIONS) return;
    const old = own.numbers.slice(0, -KEPT_REVISIONS);
    own.numbers = own.numbers.slice(-KEPT_REVISIONS);
    for (const number of old) await forget(toPageFile(caseId, number));
    const used = new Set<string>();
    for (const number of own.numbers)
      for (const { id } of (await readPage(caseId, number))?.parts ?? []) used.add(id);
    for (const name of await readdir(join(folder, caseId))) {
      const partId = PART_NAME.exec(name)?.[1];
      if (partId !== undefined && !used.has(partId)) await forget(join(folder, caseId, name));
    }
  }

  const readRevision = async (caseId: string, number: number): Promise<CaseRevision> => {
    const page = find(caseId).numbers.includes(number) ? await readPage(caseId, number) : null;
    if (page === null)
      throw new AppError('cases.no-revision', 'This version of the case is not kept.', { number });
    return page;
  };

  makePrivateFolder(folder);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !CASE_NAME.test(entry.name)) continue;
    const found = await load(entry.name).catch((error: unknown) => {
      // One that can't be read now keeps no other from being opened.
      logger.error('a case could not be read', { caseId: entry.name, error });
      return null;
    });
    if (found === null) continue;
    const isOver = found.current.isDeleted && now() - found.current.savedAtMs > DELETED_KEPT_MS;
    if (isOver) await removePatiently(join(folder, entry.name), { isFolder: true });
    else cases.set(entry.name, found);
  }

  return {
    list: () => [...cases].map(([id, { current }]) => ({ id, current })),
    read: (caseId) => find(caseId).current,
    create: (title) =>
      inTurn(async () => {
        const count = [...cases.values()].filter(({ current }) => !current.isDeleted).length;
        if (count >= MAX_CASES)
          throw new AppError('cases.too-many', `At most ${MAX_CASES} cases are kept.`, { most: MAX_CASES });
        const caseId = newId();
        makePrivateFolder(join(folder, caseId));
        const savedAtMs = now();
        const made = { act: 'create', partId: null, undo: null, redo: null, isDeleted: false } as const;
        await save(caseId, { number: 1, savedAtMs, createdAtMs: savedAtMs, ...made, title, parts: [] });
        return caseId;
      }),
    change: (caseId, change) =>
      inTurn(async () => {
        const { current } = find(caseId);
        const { act, partId, page, isApart = false } = await change(current);
        const savedAtMs = now();
        // Typing goes on: undoing takes back the whole of it.
        const goesOn =
          act === 'set-text' &&
          !isApart &&
          current.act === 'set-text' &&
          current.partId === partId &&
          current.redo === null &&
          savedAtMs - current.savedAtMs < ONE_EDIT_MS;
        const { number, createdAtMs } = current;
        await save(caseId, {
          ...page,
          parts: [...page.parts],
          number: number + 1,
          savedAtMs,
          createdAtMs,
          act,
          partId,
          undo: goesOn ? current.undo : number,
          redo: null,
        });
        const own = find(caseId);
        if (goesOn) {
          own.numbers = own.numbers.filter((kept) => kept !== number);
          await forget(toPageFile(caseId, number));
        }
        await prune(caseId);
        return own.current;
      }),
    step: (caseId, to) =>
      inTurn(async () => {
        const { current } = find(caseId);
        const target = current[to];
        if (target === null) return current;
        const page = await readRevision(caseId, target);
        const { number, createdAtMs } = current;
        const way = to === 'undo' ? { undo: page.undo, redo: number } : { undo: page.undo, redo: page.redo };
        await save(caseId, {
          ...page,
          number: number + 1,
          savedAtMs: now(),
          createdAtMs,
          act: to,
          ...way,
        });
        await prune(caseId);
        return find(caseId).current;
      }),
    readRevision,
    listRevisions: async (caseId) => {
      const pages: CaseRevision[] = [];
      for (const number of find(caseId).numbers.toReversed()) {
        const page = await readPage(caseId, number);
        if (page !== null) pages.push(page);
      }
      return pages;
    },
    savePart: async (caseId, part) => {
      find(caseId);
      await writeJsonFile(toPartFile(caseId, part.id), part);
    },
    readPart: async (caseId, partId) => {
      find(caseId);
      const found = CASE_NAME.test(partId) ? await readJsonFile(toPartFile(caseId, partId)) : undefined;
      if (!Check(PinnedContent, found))
        throw new AppError('cases.no-part', 'What the part showed is not in the data folder.', { partId });
      return found;
    },
  };
}

/** What a version of a case says. */
type PageContent = Pick<CaseRevision, 'title' | 'parts' | 'isDeleted'>;

/** A change, and what it makes of a page. */
interface ChangedPage {
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
