import type { CertificateFile } from '../../../../common/model/cache/download.ts';
import type { Remark } from '../../../../common/model/cache/snapshot.ts';
import type { EvidenceMasking } from '../../../../common/model/exports/export-options.ts';
import type { RecordFilter } from '../../../../common/model/records/record-filter.ts';
import type { ThreadCalls } from '../../../cache/threads/thread-messages.ts';
import type { CallContext } from '../../../calls/calls.ts';
import type { ExportAbout } from '../../formats/export-writer.ts';
import type { FileSum } from '../../partial-file.ts';
import type { ReportContent } from '../../report/report-content.ts';
import { openRecordRows, type ReadRecords } from '../../rows/open-rows.ts';
import type { RowBatch, RowShape } from '../../rows/row-batch.ts';
import { openSummedFile, type SummedFile } from '../../rows/row-file.ts';
import { createMasks } from '../masking/create-masks.ts';
import { createKnownClients, createPseudonyms, type KnownClients } from '../masking/known-clients.ts';
import { maskFilter, type Masks, type NamedFamily } from '../masking/masks.ts';
import {
  beginRecords,
  createPackWriter,
  type PackedRecords,
  type PackedSession,
  type PackFile,
  type PackWriter,
  writeSession,
  type WrittenSession,
} from './write-records.ts';

/** A pack to write. */
export interface PackJob {
  /** A file that is there already, empty. */
  readonly path: string;
  readonly masking: EvidenceMasking;
  /** Kept in memory only. */
  readonly pseudonymKey: Uint8Array;
  /** The time that its files have. */
  readonly modifiedMs: number;
  /** A filter leaves records out: nothing of these may stand anywhere. */
  readonly isFiltered: boolean;
}

interface OpenPack {
  readonly file: SummedFile;
  readonly pack: PackWriter;
  readonly known: KnownClients;
  readonly masks: Masks;
  readonly isFiltered: boolean;
}

export type PackOperations = Omit<ReturnType<typeof createPackOperations>, 'close'>;

/**
 * Everything that is done with the content of an evidence pack: what leaves is masked here, and goes into the file.
 * `beginPack` comes first, and `close` at any time; the clients are told before anything is masked, the records before
 * what is made of them, since they tell what of an error family may be shown.
 */
export function createPackOperations(readRecords: ReadRecords, scratchFolder: string) {
  let open: OpenPack | null = null;
  let records: PackedRecords | null = null;
  const find = (): OpenPack => {
    if (open === null) throw new Error('No pack was begun.');
    return open;
  };
  const findRecords = (): PackedRecords => {
    if (records === null) throw new Error('No records were begun.');
    return records;
  };
  return {
    beginPack: async (job: PackJob): Promise<void> => {
      const { path, masking, pseudonymKey, modifiedMs, isFiltered } = job;
      const file = await openSummedFile(path);
      const known = createKnownClients();
      open = {
        file,
        pack: createPackWriter(file.put, new Date(modifiedMs), scratchFolder),
        known,
        masks: createMasks(masking, known, createPseudonyms(pseudonymKey), isFiltered),
        isFiltered,
      };
    },
    /** Clients that are looked for in texts of all kinds. */
    addClients: (clients: readonly string[]): void => {
      const { known } = find();
      for (const client of clients) known.add(client);
    },
    /** Patterns with the families that they are part of by now: these are what the report names. */
    addFamilies: (named: readonly NamedFamily[]): void => find().masks.addFamilies(named),
    maskFilter: (filter: RecordFilter): RecordFilter => maskFilter(filter, find().masks),
    beginRecords: async ({
      shape,
      about,
      isOther = false,
    }: {
      readonly shape: Extract<RowShape, { kind: 'records' }>;
      readonly about: ExportAbout;
      /** They are of the direction that the pack does not ask for. */
      readonly isOther?: boolean;
    }): Promise<void> => {
      const { pack, masks } = find();
      const rows = openRecordRows(shape, readRecords);
      records = await beginRecords(pack, rows, masks, { about, other: isOther ? shape.report : undefined });
    },
    writeRecords: (batch: RowBatch, context: CallContext<number>): Promise<void> =>
      findRecords().write(batch, context),
    endRecords: (): ReturnType<PackedRecords['end']> => findRecords().end(),
    maskReport: (report: MaskedReport): MaskedReport => maskReport(report, find().masks),
    addSession: (session: PackedSession, { pause }: CallContext): Promise<WrittenSession> => {
      const { pack, masks } = find();
      return writeSession(pack, session, { readRecords, masks, pause });
    },
    addCertificate: ({
      file,
      certificate,
    }: {
      readonly file: string;
      readonly certificate: CertificateFile;
    }): Promise<PackFile> => {
      const { pack, masks, isFiltered } = find();
      const masked = maskCertificate(certificate, masks, isFiltered);
      return pack.add(file, `${JSON.stringify(masked, null, 2)}\n`);
    },
    /** A text in which nothing has to be masked any more. */
    addText: ({ file, text }: { readonly file: string; readonly text: string }): Promise<PackFile> =>
      find().pack.add(file, text),
    /** The files that are whole. */
    listFiles: (): readonly PackFile[] => find().pack.files,
    /** Ends the ZIP but for its comment of so many bytes, and returns the SHA-256 of all that stands before that. */
    endPack: async (commentBytes: number): Promise<string> => {
      const { pack, file } = find();
      await pack.end(commentBytes);
      return file.sumSoFar();
    },
    /** Ends the file with the comment. */
    sealPack: async (comment: string): Promise<FileSum> => {
      const { file } = find();
      await file.put(comment);
      return file.finish();
    },
    close: async (): Promise<void> => {
      await open?.pack.close();
      await open?.file.close();
    },
  };
}

/** Remarks may quote what was odd in a response; of any record that was downloaded, whatever a filter leaves out. */
function maskCertificate(certificate: CertificateFile, masks: Masks, isFiltered: boolean): CertificateFile {
  const mask = (remarks: readonly Remark[]): Remark[] =>
    remarks.map(({ detail, ...remark }) =>
      detail === undefined || isFiltered ? remark : { ...remark, detail: masks.text(detail) },
    );
  const { coercions, remarks, reservations } = certificate;
  return {
    ...certificate,
    coercions: mask(coercions),
    remarks: mask(remarks),
    reservations: mask(reservations),
  };
}

/** What of a report's content tells of texts of records. */
export type MaskedReport = Pick<ReportContent, 'families' | 'findings'>;

/** Returns a report's content as a pack, or a masked report, has it. What it is filtered by is masked by whoever describes it. */
export function maskReport({ families, findings }: MaskedReport, masks: Masks): MaskedReport {
  return {
    families: {
      ...families,
      families: families.families.map((family) => ({
        ...family,
        pattern: masks.errorFamily(family.pattern),
        // Texts in full; a report lists none.
        examples: [],
      })),
    },
    findings: {
      ...findings,
      list: findings.list.map((finding) => ({
        ...finding,
        errorFamily: finding.errorFamily === null ? null : masks.errorFamily(finding.errorFamily),
        examples: finding.examples.map(({ direction, sessionId }) => ({
          direction,
          sessionId: masks.sessionId(sessionId),
        })),
      })),
    },
  };
}

/** An evidence pack that is written in a thread of its own. */
export type PackThread = ThreadCalls<PackOperations>;
