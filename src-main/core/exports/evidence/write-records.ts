import { RFC_4180 } from '../../../common/model/exports/export-options.ts';
import type { RecordDetail } from '../../../common/model/records/record.ts';
import { watchDirectionMarks } from '../direction-marks.ts';
import type { ExportSource } from '../export-source.ts';
import type { ExportAbout } from '../formats/export-writer.ts';
import { WRITERS } from '../formats/writers.ts';
import { writeExport } from '../write-export.ts';
import type { Masks } from './masking/masks.ts';
import { maskColumns } from './masking/mask-columns.ts';
import type { PackWriter } from './pack-writer.ts';

/** The forms that the records of a pack have. */
export const RECORD_FILES = [
  { path: 'records.csv', format: 'csv' },
  { path: 'records.ndjson', format: 'ndjson' },
] as const;

/** What is worth knowing about the records as they were written. */
export interface WrittenRecords {
  readonly columns: readonly string[];
  /** Characters that CSV can't hold; NDJSON has them. */
  readonly replacedCharacters: number;
  readonly directionMarks: readonly string[];
}

/** Writes the records of a source in each form, masked. `onProgress` is told of records, those of all forms together. */
export async function writeRecords(
  pack: PackWriter,
  source: ExportSource<RecordDetail>,
  masks: Masks,
  about: ExportAbout,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<WrittenRecords> {
  const { columns, list } = watchDirectionMarks(maskColumns(source.columns, masks));
  let replacedCharacters = 0;
  for (const [place, { path, format }] of RECORD_FILES.entries()) {
    const writer = WRITERS[format](columns, about, { csv: RFC_4180 });
    const before = place * source.rowCount;
    await pack.add(path, (write) =>
      writeExport({
        source: { ...source, columns },
        writer,
        file: { write },
        signal,
        onProgress: (done) => onProgress(before + done),
      }),
    );
    replacedCharacters += writer.countReplaced();
  }
  return { columns: columns.map(({ name }) => name), replacedCharacters, directionMarks: list() };
}
