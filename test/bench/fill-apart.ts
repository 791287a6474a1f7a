import { parseArgs } from 'node:util';
import { openFilledCache } from './filled-cache.ts';

// Fills a cache in a process of its own, so that what the filling leaves in memory is not counted for what is measured.
const { positionals } = parseArgs({ allowPositionals: true });
const { close } = await openFilledCache(Number(positionals[1]), positionals[0]);
await close();
