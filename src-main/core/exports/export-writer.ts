import type { ExportColumn } from './export-columns.ts';

/** What a file states about itself, where its format has a place for it. */
export interface ExportAbout {
  readonly report: string;
  readonly tenant: number;
  readonly startDate: string;
  readonly endDate: string;
  readonly zone: string;
  readonly state: string;
  readonly recordCount: number;
  readonly exportedAt: string;
}

/** Writes one file as pieces of text: `begin`, then rows in any number of groups, then `end`. */
export interface ExportWriter<Row> {
  begin(): string;
  write(rows: readonly Row[]): string;
  end(): string;
  /** Characters that the format can't hold and that were replaced. */
  countReplaced(): number;
}

/** A format: makes the writer of one file. */
export type CreateExportWriter = <Row>(
  columns: readonly ExportColumn<Row>[],
  about: ExportAbout,
) => ExportWriter<Row>;
