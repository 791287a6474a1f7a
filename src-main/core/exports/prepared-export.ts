import type { Output } from '../../common/contract/index.ts';
import type {
  DocumentFormat,
  ExportLayout,
  PackSignature,
  RecordFormat,
} from '../../common/model/exports/export-options.ts';
import type { TimeSpan } from '../../common/time/time-span.ts';
import type { EngineFile } from '../analysis/engine/files/write-file.ts';
import type { CallOptions } from '../calls/calls.ts';
import type { TaskHandle } from '../tasks/task-registry.ts';
import type { ExportMasks } from './evidence/masking/masks.ts';
import type { ExportAbout } from './formats/export-writer.ts';
import type { PartialFile } from './partial-file.ts';
import type { RowFeed } from './rows/row-batch.ts';

/** What of a file's content its manifest tells besides the file's own words. */
export interface ExportProvenance {
  readonly connectionId: string;
  /** The snapshots that the records came from. */
  readonly snapshotIds: readonly number[];
  /** What of the period is not cached, or not settled yet. */
  readonly gaps: readonly { readonly fromMs: number; readonly toMs: number; readonly state: string }[];
}

/** A file that the engine writes, into its own folder. */
export interface EngineExport {
  /** Names of the file's columns. */
  readonly columns: readonly string[];
  /** Writes it; null where it has to be written row by row. `about` is what the file says of itself, as JSON. Its progress is a `FileProgress`. */
  write(about: string, options: CallOptions): Promise<EngineFile | null>;
}

/** What a task and a dialog need to know of any export. */
interface PreparedTarget {
  readonly suggestedName: string;
  readonly connectionId: string;
  readonly snapshotId: number | null;
  /** Null while the number of rows is not known. */
  readonly recordCount: number | null;
  /** What of its period was not read to its end. */
  readonly missing: readonly TimeSpan[];
}

/** What became of a document. */
export interface WrittenDocument {
  readonly recordCount: number;
  /** Of an evidence pack. */
  readonly signature?: PackSignature;
}

/** A document that only needs a target: it is made of records as a whole, and tells itself what it holds. */
export interface PreparedDocument extends PreparedTarget {
  readonly format: DocumentFormat;
  /** Writes the document; resolves to the number of records that it is about. */
  write(
    file: Pick<PartialFile, 'write' | 'fill'>,
    task: Pick<TaskHandle, 'signal' | 'progress'>,
  ): Promise<WrittenDocument>;
  preview(): Promise<Output<'exports/preview'>>;
}

/** An export of rows that only needs a target: what it is of, and how its rows are read. */
export interface PreparedExport extends PreparedTarget {
  readonly format: RecordFormat;
  readonly layout: ExportLayout;
  describe(recordCount: number, nowMs: number): ExportAbout;
  readonly provenance: ExportProvenance;
  /** For formats that the engine writes. */
  readonly inEngine: EngineExport | null;
  /** For formats that are written row by row, and for a preview of any. */
  readonly rows: RowFeed;
  /** What its rows leave out; then the engine, which knows no masks, only turns their cells into a file of its own. */
  readonly masked: {
    readonly masks: ExportMasks;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
  } | null;
}
