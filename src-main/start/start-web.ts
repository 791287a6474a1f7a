import { HELP, readStartOptions } from './read-options.ts';
import { runBuiltWeb } from './run-built-web.ts';
import { projectRoot, runGuarded } from './run-guarded.ts';

runGuarded(async () => {
  const options = readStartOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  // Checked before anything is loaded: the database's module crashes in a Node that is too old for it.
  if (Number.parseInt(process.versions.node, 10) < 22) {
    throw new Error(
      `Channelscope needs Node 22 or later, this is ${process.versions.node}. Start it with "npm run start:web".`,
    );
  }
  await runBuiltWeb(projectRoot, options);
});
