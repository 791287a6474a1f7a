import type { CallContext } from '../../calls/calls.ts';
import type { PortableRecords } from '../../exports/portable/portable-manifest.ts';
import { openPortable, type PortableFile } from '../files/open-portable.ts';
import { openRecordFile, type RecordFile } from '../files/open-record-file.ts';
import { surveyRecords, type SaidOfFile, type Survey, type SurveyedFile } from '../files/survey-records.ts';
import { writeImportedPages, type PageOrigin, type WrittenPage } from '../files/write-imported-pages.ts';

/** A page, with the bytes of the file that were read for it. */
export interface ReadPage extends WrittenPage {
  readonly readBytes: number;
}

export type ReadingOperations = ReturnType<typeof createReadingOperations>;

/** Everything that is done with the bytes of one file that is imported. Progress is the bytes read since the one before. */
export function createReadingOperations() {
  let surveyed: Awaited<ReturnType<typeof surveyRecords>> | null = null;
  let pages: AsyncGenerator<WrittenPage> | null = null;
  let portable: PortableFile | null = null;
  let readBytes = 0;

  return {
    /** Finds out what a file is. Throws as `openRecordFile`. */
    openFile: (path: string, { signal, progress }: CallContext<number>): Promise<RecordFile> =>
      openRecordFile(path, signal, progress),
    /** Reads the file from end to end. Throws as `surveyRecords`. */
    surveyFile: async (
      { file, said }: { readonly file: SurveyedFile; readonly said: SaidOfFile },
      { signal, progress }: CallContext<number>,
    ): Promise<Survey> => {
      surveyed = await surveyRecords(file, said, signal, progress);
      return surveyed.survey;
    },
    /** Reads the records of a file that was surveyed once more, and returns their next page; null after the last one. */
    readPage: async (origin: PageOrigin, { signal }: CallContext): Promise<ReadPage | null> => {
      if (surveyed === null) throw new Error('No file was surveyed.');
      signal.throwIfAborted();
      pages ??= writeImportedPages(
        // The thread ends with the import; a signal of one call would not outlive it.
        surveyed.read(new AbortController().signal, (bytes) => {
          readBytes += bytes;
        }),
        origin,
      );
      const next = await pages.next();
      if (next.done === true) return null;
      const page = { ...next.value, readBytes };
      readBytes = 0;
      return page;
    },
    /** Opens a portable file, and returns its manifest. Throws as `openPortable`. */
    openPortable: async ({ path, size }: Pick<RecordFile, 'path' | 'size'>) => {
      portable = await openPortable(path, size);
      return portable.manifest;
    },
    /** Checks the records beside the pages of the open portable file. Throws as its `checkRecords`. */
    checkPortableRecords: async (
      records: PortableRecords,
      { signal, progress }: CallContext<number>,
    ): Promise<void> => {
      if (portable === null) throw new Error('No portable file is open.');
      await portable.checkRecords(records, signal, progress);
    },
    /** Returns the bytes of a page of the open portable file. Throws as its `readPage`. */
    readPortablePage: async (
      page: Parameters<PortableFile['readPage']>[0],
    ): Promise<{ readonly bytes: ArrayBuffer }> => {
      if (portable === null) throw new Error('No portable file is open.');
      const { buffer } = await portable.readPage(page);
      return { bytes: buffer };
    },
  };
}
