/** Opens a file, which brings it up to date, and closes it. Arguments: file; steps to add to the schema. */
import { writeSync } from 'node:fs';
import { openFile } from '../../../src-main/core/cache/file/open-file.ts';
import { withSteps } from './added-steps.ts';

const migrations = withSteps(Number(process.argv[3] ?? 0));
const { database, damage } = openFile(process.argv[2] ?? '', 1, { migrations });
writeSync(1, `open ${damage}\n`);
database.prepare('UPDATE cache_state SET was_closed = 1').run();
database.close();
writeSync(1, 'closed\n');
