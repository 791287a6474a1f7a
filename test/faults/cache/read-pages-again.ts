/** Reads the pages of the file's snapshot again, in another time zone, and says so before and after. Argument: file. */
import { writeSync } from 'node:fs';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import { createWriter } from '../../../src-main/core/cache/threads/writer-operations.ts';
import { toCorrectedPeriod } from './zoneless-pages.ts';

const [file = ''] = process.argv.slice(2);
const opened = openFile(file, 1);
const writer = createWriter(opened, file, true);
writeSync(1, `open ${opened.damage}\n`);
const { signal } = new AbortController();
const context = { signal, pause: () => Promise.resolve(), progress: () => undefined };
await writer.operations.readAgain(
  { snapshotId: 1, atMs: 1, period: toCorrectedPeriod(), stillOpen: false },
  context,
);
writer.close(false);
writeSync(1, 'closed\n');
