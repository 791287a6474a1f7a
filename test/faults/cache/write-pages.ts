/**
 * Stores pages in this thread from where the file's snapshot stands, and says the number of each page after it is
 * committed. Arguments: file, records of a page, pages. Without a number of pages it goes on until it is killed.
 */
import { writeSync } from 'node:fs';
import { AppError } from '../../../src-main/common/contract/errors.ts';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import { toCacheError } from '../../../src-main/core/cache/file/open-database.ts';
import { createWriter } from '../../../src-main/core/cache/threads/writer-operations.ts';
import { createDocument, toBody, toNewSnapshot, toPage } from '../../integration/cache/cache-fixture.ts';

const [file = '', size = '50', pages = 'Infinity'] = process.argv.slice(2);
/** Longer than any run of this script stores records for, one each second. */
const LONG_S = 10_000_000;
const pageSize = Number(size);

try {
  const opened = openFile(file, 1);
  const writer = createWriter(opened, file, true);
  const found = opened.database
    .prepare<[], { id: number; count: number }>(
      'SELECT snapshot_id AS id, record_count AS count FROM snapshots',
    )
    .get();
  const { id, count } = found ?? {
    id: writer.operations.createSnapshot(toNewSnapshot({}, LONG_S)).id,
    count: 0,
  };
  const { signal } = new AbortController();
  const context = { signal, pause: () => Promise.resolve(), progress: () => undefined };
  writeSync(1, `open ${opened.damage}\n`);
  for (let page = count / pageSize; page < Number(pages); page += 1) {
    const from = page * pageSize;
    const documents = Array.from({ length: pageSize }, (_, offset) => createDocument(from + offset));
    const bytes = toBody(documents, String(from + pageSize), 100_000_000);
    writer.operations.storePage({ page: toPage(id, from === 0 ? '' : String(from)), bytes }, context);
    writeSync(1, `${page + 1}\n`);
  }
  writer.close(false);
  writeSync(1, 'closed\n');
} catch (thrown) {
  const error = toCacheError(thrown);
  writeSync(
    1,
    error instanceof AppError ? `${error.code} ${error.details['sqlite'] ?? ''}\n` : `${String(error)}\n`,
  );
  process.exit(3);
}
