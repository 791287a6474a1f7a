import { openEngineDatabase } from '../../../src-main/core/analysis/engine/engine-database.ts';
import { createEngineFeed } from '../../../src-main/core/analysis/engine/feed/create-engine-feed.ts';
import { createNumberedSource } from './plain-cache.ts';

// Feeds an engine's file over and over, until it is killed.
const [file = '', ...sizes] = process.argv.slice(2);
const database = await openEngineDatabase({ file, cacheIdentity: 'cache', memoryLimitMb: 256, threads: 1 });
const connection = await database.connect();
const feed = await createEngineFeed(connection, createNumberedSource(sizes.map(Number)));
process.stdout.write('feeding\n');
await feed.follow();
process.stdout.write('whole\n');
database.close();
