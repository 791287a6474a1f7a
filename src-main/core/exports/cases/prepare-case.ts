import { randomBytes } from 'node:crypto';
import { AppError, toErrorInfo } from '../../../common/contract/errors.ts';
import type { Input } from '../../../common/contract/index.ts';
import type {
  CaseFormat,
  CaseRevision,
  PartAnswer,
  PinnedContent,
  PartQuestion,
} from '../../../common/model/cases/case.ts';
import {
  type EvidenceMasking,
  type PackSignature,
  RFC_4180,
} from '../../../common/model/exports/export-options.ts';
import type { RecordScope } from '../../../common/model/records/record-filter.ts';
import { createQueryClock } from '../../../common/query/query-values.ts';
import { writeQuery } from '../../../common/query/write-query.ts';
import { createCaseSentences } from '../../../common/words/case-words.ts';
import type { SpokenKey } from '../../../common/words/messages.ts';
import type { Words } from '../../../common/words/words.ts';
import type { Host } from '../../host.ts';
import type { EvidenceParts } from '../evidence/evidence-question.ts';
import { createMasks } from '../evidence/masking/create-masks.ts';
import { createKnownClients, createPseudonyms } from '../evidence/masking/known-clients.ts';
import { maskFilter, type Masks } from '../evidence/masking/masks.ts';
import { describeMasking } from '../evidence/masking/export-masks.ts';
import { closePack, writeCertificates } from '../evidence/close-pack.ts';
import type { PackThread } from '../evidence/packing/pack-operations.ts';
import { type PreparedDocument, readExportSubject } from '../export-subject.ts';
import { createCsvWriter } from '../formats/export-writer.ts';
import { type FileSum, toSafeFileName } from '../partial-file.ts';
import { printReport } from '../report/read-report.ts';
import type { WrittenCase, WrittenPart } from './write-case-page.ts';

/** Rows that the short form writes of a table. */
const BRIEF_ROWS = 5;
/** Words of a drawing; its numbers are no text. */
const DRAWN_TEXT = />([^<]+)</g;
const ENDINGS: Readonly<Record<CaseFormat, string>> = {
  html: 'html',
  pdf: 'pdf',
  markdown: 'md',
  evidence: 'zip',
};

/** Where an exported case is read from. */
export interface CaseSource {
  /** Throws `cases.not-found`. */
  read(caseId: string): CaseRevision;
  /** Throws `cases.no-part`. */
  readPart(caseId: string, partId: string): Promise<PinnedContent>;
}

/** Prepares a case as a document. Throws `cases.not-found`. */
export function prepareCase(
  parts: CasePackParts & {
    readonly cases: CaseSource;
    readonly host: Pick<Host, 'printPdf'>;
    readWords(): Words;
  },
  { caseId, format, isMasked, isBrief }: Input<'exports/start-case'>,
): Omit<PreparedDocument, 'preview' | 'format'> & { readonly format: CaseFormat } {
  const revision = parts.cases.read(caseId);
  return {
    format,
    connectionId: '',
    snapshotId: null,
    recordCount: null,
    missing: [],
    suggestedName: toSafeFileName(revision.title, ENDINGS[format]),
    async write(file, task) {
      const { signal } = task;
      const pinned = new Map<string, PinnedContent>();
      for (const part of revision.parts)
        if (part.kind === 'pinned') pinned.set(part.id, await parts.cases.readPart(caseId, part.id));
      const pseudonymKey = randomBytes(32);
      const written = toWrittenCase(parts, { revision, pinned, isMasked, isBrief, pseudonymKey });
      signal.throwIfAborted();
      if (format === 'evidence') {
        const questions = written.parts.flatMap((part) =>
          part.kind === 'text' ? [] : [part.taken.question],
        );
        const clients = [...pinned.values()].flatMap((part) => part.clients);
        const question = { written, revision, questions, clients, isMasked, pseudonymKey };
        return file.fill((path) =>
          parts.rowWriter.withPack(signal, (pack) => writeCasePack(parts, question, { pack, path, signal })),
        );
      }
      const { writeCaseMarkdown, writeCasePage } = await import('./write-case-page.ts');
      if (format === 'markdown') await file.write(writeCaseMarkdown(written));
      else {
        const page = writeCasePage(written);
        await file.write(format === 'pdf' ? await printReport(parts.host, page, signal) : page);
      }
      return { recordCount: written.parts.length };
    },
  };
}

/** Masks a case and puts its parts into words. */
function toWrittenCase(
  { version, readWords, now }: Pick<Parameters<typeof prepareCase>[0], 'version' | 'readWords' | 'now'>,
  given: {
    readonly revision: CaseRevision;
    readonly pinned: ReadonlyMap<string, PinnedContent>;
    readonly isMasked: boolean;
    readonly isBrief: boolean;
    readonly pseudonymKey: Uint8Array;
  },
): WrittenCase {
  const { revision, pinned, isMasked, isBrief, pseudonymKey } = given;
  const words = readWords();
  const { t, formats } = words;
  const masks = isMasked ? openMasks([...pinned.values()], pseudonymKey) : null;
  const mask = (text: string): string => masks?.text(text) ?? text;
  const zone = [...pinned.values()][0]?.question.zone ?? 'UTC';
  const at = (epochMs: number): string => `${formats.formatExact(epochMs, zone)} ${zone}`;
  const shown = revision.parts.filter(({ isFolded }) => !isBrief || !isFolded);
  return {
    title: mask(revision.title),
    parts: shown.map((part) => {
      if (part.kind === 'text') return { kind: 'text', text: mask(part.text) };
      const own = pinned.get(part.id);
      if (own === undefined) throw new AppError('cases.no-part', 'What a part showed is missing.');
      return toWrittenPart({ ...own, title: part.title }, part.answer, { words, masks, isBrief });
    }),
    facts: [
      t('casefile.facts.made', { time: at(now()), version }),
      t('casefile.facts.version', {
        revision: formats.formatCount(revision.number),
        time: at(revision.savedAtMs),
      }),
      t('casefile.facts.basis'),
      t(isMasked ? 'casefile.facts.masked' : 'casefile.facts.received'),
      ...(isBrief ? [t('casefile.facts.brief', { count: formats.formatCount(BRIEF_ROWS) }, BRIEF_ROWS)] : []),
    ],
    words,
    applicationVersion: version,
  };
}

function toWrittenPart(
  part: PinnedContent,
  answer: PartAnswer | null,
  how: { readonly words: Words; readonly masks: Masks | null; readonly isBrief: boolean },
): WrittenPart {
  const { words, masks, isBrief } = how;
  const { t, formats } = words;
  const sentences = createCaseSentences({
    t: (key, values, count) => t(key as SpokenKey, values ?? {}, count),
    formats,
  });
  const masked = masks === null ? part : maskPart(part, masks);
  const { table } = masked.content;
  const cut = table === null || !isBrief ? table : { ...table, rows: table.rows.slice(0, BRIEF_ROWS) };
  const content = { ...masked.content, table: cut };
  const isSame = masks === null || JSON.stringify(masked.question) === JSON.stringify(part.question);
  return {
    kind: 'pinned',
    title: masked.title,
    of: t(`casefile.kinds.${part.kind}`),
    line: sentences.toLine({ ...masked, content }),
    answer: answer === null ? null : sentences.toAnswer(part, answer).sentences.join(' '),
    failed: (part.figures?.failures ?? 0) > 0 ? sentences.toFigures(part.figures) : null,
    isCut: masks !== null && hasBodies(part.content),
    content,
    taken: masked,
    place: isSame ? toPlace(part, masks) : null,
  };
}

/** An address says what it filters by. */
function toPlace({ question: { place } }: PinnedContent, masks: Masks | null): string | null {
  if (masks === null) return place;
  const said = readAddress(place);
  return said !== null && masks.text(said) === said ? place : null;
}

function readAddress(place: string): string | null {
  try {
    return decodeURIComponent(place.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

function hasBodies({ facts, table }: PinnedContent['content']): boolean {
  return [...facts, ...(table?.columns ?? [])].some(({ role }) => role === 'body');
}

/** Pseudonyms that are the same in the whole document, by a key that nobody keeps. */
function openMasks(pinned: readonly PinnedContent[], pseudonymKey: Uint8Array): Masks {
  const known = createKnownClients();
  for (const { clients } of pinned) for (const client of clients) known.add(client);
  const masking = { client: 'pseudonym', payload: 'left-out', errors: 'received' } as const;
  const masks = createMasks(masking, known, createPseudonyms(pseudonymKey));
  // A family is a text that was folded: what is known of clients is replaced in it, as in any other.
  return { ...masks, errorFamily: (pattern) => masks.text(pattern) };
}

function maskPart(part: PinnedContent, masks: Masks): PinnedContent {
  const { question, content } = part;
  const { facts, table, picture, statement } = content;
  const filter = maskFilter(question.filter, masks);
  const isFilterSame = JSON.stringify(filter) === JSON.stringify(question.filter);
  const draw = (svg: string): string =>
    svg.replace(DRAWN_TEXT, (_whole, text: string) => `>${masks.text(text)}<`);
  const maskValue = (value: string, role: 'client' | 'body' | undefined): string =>
    role === 'client' && value !== '' ? masks.client(value) : masks.text(value);
  const places = (table?.columns ?? []).flatMap(({ role }, place) => (role === 'body' ? [] : [place]));
  return {
    ...part,
    title: masks.text(part.title),
    question: {
      ...question,
      filter,
      query: isFilterSame ? masks.text(question.query) : writeQuery(filter, createQueryClock(question.zone)),
    },
    content: {
      facts: facts
        .filter(({ role }) => role !== 'body')
        .map((fact) => ({ ...fact, value: maskValue(fact.value, fact.role) })),
      table:
        table === null || places.length === 0
          ? null
          : {
              ...table,
              columns: places.flatMap((place) => table.columns[place] ?? []),
              rows: table.rows.map((row) =>
                places.map((place) => maskValue(row[place] ?? '', table.columns[place]?.role)),
              ),
            },
      picture: picture === null ? null : { light: draw(picture.light), dark: draw(picture.dark) },
      statement: statement === null ? null : masks.text(statement),
    },
  };
}

/** What packs of cases are made from. */
type CasePackParts = Pick<EvidenceParts, 'cache' | 'ledger' | 'rowWriter' | 'packSigner' | 'version' | 'now'>;

/** A case that is packed: as it is written, and the questions of its parts. */
interface CasePackQuestion {
  readonly written: WrittenCase;
  readonly revision: Pick<CaseRevision, 'number' | 'savedAtMs'>;
  /** Of the parts that are written. */
  readonly questions: readonly PartQuestion[];
  /** What is looked for in remarks of certificates. */
  readonly clients: readonly string[];
  readonly isMasked: boolean;
  readonly pseudonymKey: Uint8Array;
}

type PinnedPart = Extract<WrittenPart, { kind: 'pinned' }>;
type Table = NonNullable<PinnedPart['content']['table']>;

/**
 * Writes the evidence pack of a case into the file at `path`: what its parts showed when they were taken, and nothing else
 * of the cache but the certificates of the snapshots behind them. Throws `cache.*`, `exports.*`, and the signal's reason.
 */
async function writeCasePack(
  parts: CasePackParts,
  question: CasePackQuestion,
  { pack, path, signal }: { readonly pack: PackThread; readonly path: string; readonly signal: AbortSignal },
): Promise<FileSum & { readonly recordCount: number; readonly signature: PackSignature }> {
  const { written, revision, isMasked, pseudonymKey } = question;
  const client = isMasked ? 'pseudonym' : 'received';
  const masking: EvidenceMasking = {
    client,
    payload: isMasked ? 'left-out' : 'received',
    errors: 'received',
  };
  const nowMs = parts.now();
  const seal = await parts.packSigner.open();
  // As with a filter: remarks of a certificate may quote any record of its download.
  await pack.beginPack({ path, masking, pseudonymKey, modifiedMs: nowMs, isFiltered: true });
  await pack.addClients(question.clients);
  // It comes when a page is written: the library that reads Markdown is nothing for a start.
  const { writeCaseMarkdown, writeCasePage } = await import('./write-case-page.ts');
  await pack.addText({ file: 'case.html', text: writeCasePage(written) });
  await pack.addText({ file: 'case.md', text: writeCaseMarkdown(written) });
  const listed = [];
  for (const [place, part] of written.parts.entries()) {
    signal.throwIfAborted();
    if (part.kind === 'text') {
      listed.push({ kind: 'text', text: part.text });
      continue;
    }
    const { table } = part.content;
    const file = table === null ? null : `parts/${String(place + 1).padStart(3, '0')}.csv`;
    if (table !== null && file !== null) await pack.addText({ file, text: writeRows(part, table, nowMs) });
    listed.push({ ...describePart(part), file });
  }
  await pack.addText({ file: 'case.json', text: `${JSON.stringify(listed, null, 2)}\n` });
  const { snapshotIds, notCached } = await findSnapshots(parts, question);
  const certified = await writeCertificates(pack, parts.cache, snapshotIds, signal);
  const words = describeMasking(masking);
  const { signature } = seal;
  const manifest = {
    format: 'channelscope-evidence-pack',
    version: 1,
    of: 'case',
    application: 'Channelscope',
    applicationVersion: parts.version,
    title: written.title,
    exportedAt: toIso(nowMs),
    revision: revision.number,
    saved: toIso(revision.savedAtMs),
    parts: written.parts.length,
    masking: {
      client: { choice: client, meaning: words.client },
      payload: { choice: masking.payload, meaning: words.payload },
      errors: { choice: masking.errors, meaning: words.errors },
    },
    ...certified,
    // Scopes of parts of which nothing is cached any more: their snapshots are not known.
    scopesNotCached: notCached,
  };
  const readme = [
    `Case: ${written.title}`,
    '',
    'case.html       the case as it is read; opens in any browser, without network',
    'case.md         the same as Markdown',
    'case.json       its parts: texts, what was asked, when it was taken, what it showed',
    'parts/          rows of the tables, as CSV; texts that a spreadsheet would run as a formula have an apostrophe in front',
    `certificates/   what the downloads behind it requested and received: ${certified.certificates.length}`,
  ];
  const sum = await closePack(pack, seal, { readme, masking, manifest });
  return { ...sum, recordCount: written.parts.length, signature };
}

function describePart({ taken, title, line, answer, isCut, content, place }: PinnedPart): object {
  const { kind, connectionName, takenAtMs, coverage, figures, question } = taken;
  const { fromMs, toMs, zone, scopes, filter, query } = question;
  const { facts, table, statement } = content;
  return {
    kind,
    title,
    said: line,
    askedAgain: answer,
    connection: connectionName,
    taken: toIso(takenAtMs),
    from: toIso(fromMs),
    to: toIso(toMs),
    zone,
    scopes,
    filter,
    query,
    place,
    coverage,
    figures,
    facts: facts.map(({ name, value }) => ({ name, value })),
    statement,
    // Contents of records, which are in no file of the pack.
    isContentLeftOut: isCut,
    rows: table?.rows.length ?? 0,
    rowsThatThereWere: table?.rowCount ?? 0,
  };
}

function writeRows({ of, taken: { question } }: PinnedPart, { columns, rows }: Table, nowMs: number): string {
  const { fromMs, toMs } = question;
  const writer = createCsvWriter<readonly string[]>(
    columns.map(({ name }, place) => ({ name, type: 'text', read: (row) => row[place] ?? null })),
    {
      report: of,
      startDate: toIso(fromMs),
      endDate: toIso(toMs),
      zone: 'UTC',
      state: 'incomplete',
      recordCount: rows.length,
      exportedAt: toIso(nowMs),
    },
    { csv: RFC_4180 },
  );
  return [writer.begin(), writer.write(rows), writer.end()].join('');
}

/** The snapshots that hold the records of the parts, in their order. */
async function findSnapshots(
  parts: CasePackParts,
  { questions }: CasePackQuestion,
): Promise<{ readonly snapshotIds: readonly number[]; readonly notCached: readonly RecordScope[] }> {
  const found = new Set<number>();
  const notCached: RecordScope[] = [];
  for (const scope of questions.flatMap(({ scopes }) => scopes)) {
    try {
      const { provenance } = await readExportSubject(parts, scope);
      for (const snapshotId of provenance.snapshotIds) found.add(snapshotId);
    } catch (error) {
      if (toErrorInfo(error).code !== 'cache.snapshot-not-found') throw error;
      notCached.push(scope);
    }
  }
  return { snapshotIds: [...found].toSorted((a, b) => a - b), notCached };
}

function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
