import type { ExportFormat, ExportLayout } from '../../common/model/exports/export-options.ts';
import type { EngineFile } from '../analysis/engine/files/write-file.ts';
import type { CallOptions } from '../calls/pair-calls.ts';
import type { ExportSource } from './export-source.ts';
import type { ExportAbout } from './formats/export-writer.ts';

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

/** An export that only needs a target: what it is of, and how its rows are read. */
export interface PreparedExport {
  readonly format: ExportFormat;
  readonly layout: ExportLayout;
  readonly suggestedName: string;
  readonly connectionId: string;
  readonly snapshotId: number | null;
  /** Null while the number of rows is not known. */
  readonly recordCount: number | null;
  describe(recordCount: number, nowMs: number): ExportAbout;
  readonly provenance: ExportProvenance;
  /** For formats that the engine writes. */
  readonly inEngine: EngineExport | null;
  /** Opens the rows and hands them to `use`; what was opened is closed however that ends. */
  withSource(signal: AbortSignal, use: <Row>(source: ExportSource<Row>) => Promise<void>): Promise<void>;
}
