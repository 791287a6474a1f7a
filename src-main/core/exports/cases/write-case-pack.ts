import type { CaseRevision, PartQuestion } from '../../../common/model/cases/case.ts';
import type { EvidenceMasking, PackSignature } from '../../../common/model/exports/evidence-options.ts';
import { RFC_4180 } from '../../../common/model/exports/export-options.ts';
import type { RecordScope } from '../../../common/model/records/record-scope.ts';
import { toErrorInfo } from '../../../common/contract/errors.ts';
import { describeMasking } from '../evidence/masking/masking-words.ts';
import type { EvidenceParts } from '../evidence/evidence-parts.ts';
import { closePack } from '../evidence/packing/close-pack.ts';
import type { PackThread } from '../evidence/packing/pack-thread.ts';
import { writeCertificates } from '../evidence/write-certificates.ts';
import { readExportSubject } from '../export-subject.ts';
import { createCsvWriter } from '../formats/csv.ts';
import type { FileSum } from '../partial-file.ts';
import { writeCaseMarkdown } from './write-case-markdown.ts';
import { writeCasePage } from './write-case-page.ts';
import type { WrittenCase, WrittenPart } from './written-case.ts';

/** What packs of cases are made from. */
export type CasePackParts = Pick<
  EvidenceParts,
  'cache' | 'ledger' | 'rowWriter' | 'packSigner' | 'version' | 'now'
>;

/** A case that is packed: as it is written, and the questions of its parts. */
export interface CasePackQuestion {
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
export async function writeCasePack(
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
