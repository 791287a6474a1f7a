/** Moves a data folder and says each phase; run as a process of its own with the standard folder and the new one. */
import { openMoved } from './open-moved.ts';

const [, , defaultFolder = '', target = ''] = process.argv;
const { core, ask } = await openMoved(defaultFolder);
core.on((name, payload) => {
  if (name === 'data-folder/move-changed') process.stdout.write(`${payload.phase}\n`);
});
await ask('data-folder/start-move', { folder: target });
