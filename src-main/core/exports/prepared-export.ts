import type { ExportFormat, ExportLayout } from '../../common/model/exports/export-options.ts';
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
  /** Opens the rows and hands them to `use`; what was opened is closed however that ends. */
  withSource(signal: AbortSignal, use: <Row>(source: ExportSource<Row>) => Promise<void>): Promise<void>;
}
