import { randomUUID } from 'node:crypto';
import { AppError } from '../../common/contract/errors.ts';
import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import {
  type CasePage,
  type CaseRevision,
  MAX_PART_ROWS,
  type PartAnswer,
  type PartContent,
  type PartCoverage,
  type PartDraft,
  type PartFigures,
  type PartQuestion,
  type PinnedContent,
} from '../../common/model/cases/case.ts';
import type { RecordScope } from '../../common/model/records/record-filter.ts';
import type { SqlCell, SqlOutcome } from '../../common/model/records/sql.ts';
import { isDetailKind } from '../../common/reporting/reports.ts';
import { nameConnection, type Words } from '../../common/words/words.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { SavedConnection } from '../connections/connection-file.ts';
import { measureSpans } from '../coverage/read-holdings.ts';
import { createKnownClients } from '../exports/evidence/masking/known-clients.ts';
import { readExportSubject, type SubjectParts } from '../exports/export-subject.ts';
import { addPart, type CaseFiles, changePage, findPart } from './open-case-files.ts';

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

const PAGE_CLIENTS = 50_000;

/** What parts of cases are taken from. */
interface PartSource extends SubjectParts {
  readonly engine: Pick<Engine, 'groupRecords' | 'listClients' | 'closeSqlResult' | 'readSqlRows'>;
  /** Undefined for a connection that is gone. */
  findConnection(connectionId: string): SavedConnection | undefined;
  readWords(): Words;
  /** Runs a statement as the SQL screen does. */
  runSql(question: {
    readonly connectionId: string;
    readonly fromMs: number;
    readonly toMs: number;
    readonly zone: string;
    readonly text: string;
  }): Promise<SqlOutcome>;
}

/** Adds to a draft what is known of it now: the connection, the moment, what was cached, and whom it names. Throws `analysis.*`. */
async function takePart(source: PartSource, draft: PartDraft, id: string): Promise<PinnedContent> {
  const { question, content } = draft;
  const words = source.readWords();
  const connections = listConnections(question).flatMap((connectionId) => {
    const connection = source.findConnection(connectionId);
    return connection === undefined ? [] : [nameConnection(connection, words)];
  });
  const coverage = await readCoverage(source, question);
  const figures =
    content.statement === null
      ? await countRecords(source, question)
      : { records: null, failures: null, rows: content.table?.rowCount ?? 0 };
  return {
    id,
    ...draft,
    connectionName: connections.join(', '),
    takenAtMs: source.now(),
    coverage,
    figures,
    clients: await findClients(source, draft),
  };
}

/** Asks the question of a part once more. Throws `cases.not-askable`, `cases.query-failed` and `analysis.*`. */
async function askAgain(source: PartSource, part: PinnedContent): Promise<PartAnswer> {
  const { question, content } = part;
  if (part.figures === null)
    throw new AppError('cases.not-askable', 'What the part shows was computed of no records.');
  if (listConnections(question).some((id) => source.findConnection(id) === undefined))
    throw new AppError('connections.not-found', 'The connection of the part is gone.');
  const coverage = await readCoverage(source, question);
  const askedAtMs = source.now();
  if (content.statement !== null)
    return { askedAtMs, coverage, ...(await runAgain(source, question, content, content.statement)) };
  const figures = await countRecords(source, question);
  if (figures === null)
    throw new AppError('cases.not-askable', 'What the part shows was computed of no records.');
  return { askedAtMs, coverage, figures, newRows: null, goneRows: null };
}

/** The connections that a question asks: of two that are compared, that of the window first. */
function listConnections({ connectionId, scopes }: PartQuestion): string[] {
  const asked = scopes.flatMap((scope) => ('connectionId' in scope ? [scope.connectionId] : []));
  return [...new Set([connectionId, ...asked])];
}

async function readCoverage(source: PartSource, { scopes }: PartQuestion): Promise<PartCoverage[]> {
  const found: PartCoverage[] = [];
  for (const scope of scopes) {
    const subject = await readExportSubject(source, scope).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'cache.snapshot-not-found') return null;
      throw error;
    });
    if (subject !== null && isDetailKind(subject.report)) {
      const { report, state, missing } = subject;
      found.push({ report, state, missingMs: measureSpans(missing) });
    } else if (subject === null && 'report' in scope)
      found.push({ report: scope.report, state: 'incomplete', missingMs: scope.toMs - scope.fromMs });
  }
  return found;
}

/** Null where there are no records to count. */
async function countRecords(
  { engine }: PartSource,
  { scopes, filter }: PartQuestion,
): Promise<PartFigures | null> {
  if (scopes.length === 0) return null;
  let [records, failures] = [0, 0];
  for (const scope of scopes) {
    const { total } = await engine.groupRecords({ scope, filter, by: ['responseCode'] });
    records += total.count;
    failures += total.failures;
  }
  return { records, failures, rows: null };
}

async function runAgain(
  source: PartSource,
  { connectionId, fromMs, toMs, zone }: PartQuestion,
  content: PartContent,
  text: string,
): Promise<Pick<PartAnswer, 'figures' | 'newRows' | 'goneRows'>> {
  const outcome = await source.runSql({ connectionId, fromMs, toMs, zone, text });
  if (outcome.kind === 'failed')
    throw new AppError('cases.query-failed', 'The query has no result any more.', {
      reason: outcome.message === '' ? outcome.fault : outcome.message,
    });
  const { resultId, rowCount } = outcome;
  try {
    const rows =
      rowCount === 0
        ? []
        : await source.engine.readSqlRows({ resultId, offset: 0, limit: MAX_PART_ROWS, whole: false });
    const before = (content.table?.rows ?? []).map((row) => JSON.stringify(row));
    const after = rows.map((row) => JSON.stringify(row.map(toCellText)));
    return {
      figures: { records: null, failures: null, rows: rowCount },
      newRows: countMissing(after, before),
      goneRows: countMissing(before, after),
    };
  } finally {
    await source.engine.closeSqlResult(resultId);
  }
}

/** A value of a result as a part keeps it. */
function toCellText(cell: SqlCell): string {
  return cell === null ? '' : String(cell);
}

/** How many of some rows are not among others, each counted as often as it is there. */
function countMissing(rows: readonly string[], among: readonly string[]): number {
  const left = new Map<string, number>();
  for (const row of among) left.set(row, (left.get(row) ?? 0) + 1);
  let missing = 0;
  for (const row of rows) {
    const count = left.get(row) ?? 0;
    if (count > 0) left.set(row, count - 1);
    else missing += 1;
  }
  return missing;
}

/** The clients that a part names anywhere. They are kept with it: the records may be gone when it is exported. */
async function findClients(source: PartSource, draft: PartDraft): Promise<string[]> {
  const { question } = draft;
  const known = createKnownClients();
  const found = new Set<string>();
  for (const client of listOwnClients(draft.content)) {
    known.add(client);
    found.add(client);
  }
  const connection = source.findConnection(question.connectionId);
  for (const scope of connection === undefined ? [] : listScopes(question)) {
    for (let after: string | null = null; ;) {
      const clients: readonly string[] = await source.engine
        .listClients({ scope, after, limit: PAGE_CLIENTS })
        .catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'cache.snapshot-not-found') return [];
          throw error;
        });
      for (const client of clients) known.add(client);
      const last = clients.at(-1);
      if (last === undefined || clients.length < PAGE_CLIENTS) break;
      after = last;
    }
  }
  for (const text of listTexts(draft))
    for (const { fromAt, toAt } of known.find(text, '')) found.add(text.slice(fromAt, toAt));
  return [...found].filter((client) => client !== '');
}

/** A statement reads both directions, whatever its part is of. */
function listScopes({ connectionId, scopes, fromMs, toMs }: PartQuestion): RecordScope[] {
  const whole = (['inbound-detail', 'outbound-detail'] as const).map((report) => ({
    connectionId,
    report,
    fromMs,
    toMs,
  }));
  return [...scopes, ...whole];
}

function listOwnClients({ facts, table }: PartContent): string[] {
  const places = (table?.columns ?? []).flatMap(({ role }, place) => (role === 'client' ? [place] : []));
  return [
    ...facts.filter(({ role }) => role === 'client').map(({ value }) => value),
    ...(table?.rows ?? []).flatMap((row) => places.map((place) => row[place] ?? '')),
  ];
}

function listTexts({ title, question, content }: PartDraft): string[] {
  const { facts, table, picture, statement } = content;
  return [
    title,
    question.query,
    statement ?? '',
    ...facts.flatMap(({ name, value }) => [name, value]),
    ...(table === null ? [] : [...table.columns.map(({ name }) => name), ...table.rows.flat()]),
    // Numbers of a drawing are no clients: only its words are looked through.
    ...(picture === null ? [] : Array.from(picture.light.matchAll(/>([^<]+)</g), ([, text = '']) => text)),
  ];
}
