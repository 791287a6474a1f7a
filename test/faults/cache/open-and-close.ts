/** Opens a file, which brings it up to date, and closes it. Argument: file. */
import { writeSync } from 'node:fs';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';

const { database, damage } = openFile(process.argv[2] ?? '', 1);
writeSync(1, `open ${damage}\n`);
database.prepare('UPDATE cache_state SET was_closed = 1').run();
database.close();
writeSync(1, 'closed\n');
