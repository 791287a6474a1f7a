import { randomBytes } from 'node:crypto';
import type { Input } from '../../../common/contract/index.ts';
import { AppError } from '../../../common/contract/errors.ts';
import type {
  CaseFormat,
  CaseRevision,
  PartAnswer,
  PinnedContent,
} from '../../../common/model/cases/case.ts';
import { createQueryClock } from '../../../common/query/query-clock.ts';
import { writeQuery } from '../../../common/query/write-query.ts';
import { createCaseSentences } from '../../../common/words/case-words.ts';
import type { SpokenKey } from '../../../common/words/messages.ts';
import type { Words } from '../../../common/words/words.ts';
import type { Host } from '../../host.ts';
import { createKnownClients } from '../evidence/masking/known-clients.ts';
import { createMasks } from '../evidence/masking/create-masks.ts';
import { maskFilter } from '../evidence/masking/mask-filter.ts';
import type { Masks } from '../evidence/masking/masks.ts';
import { createPseudonyms } from '../evidence/masking/pseudonyms.ts';
import type { PreparedDocument } from '../prepared-export.ts';
import { printReport } from '../report/print-report.ts';
import { toSafeFileName } from '../safe-file-name.ts';
import { writeCaseMarkdown } from './write-case-markdown.ts';
import { writeCasePack, type CasePackParts } from './write-case-pack.ts';
import { writeCasePage } from './write-case-page.ts';
import type { WrittenCase, WrittenPart } from './written-case.ts';

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
