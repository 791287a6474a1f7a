import { HELP, readStartOptions } from './read-options.ts';
import { projectRoot, runGuarded } from './run-guarded.ts';
import { startApplication } from './start-application.ts';

runGuarded(async () => {
  const options = readStartOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else await startApplication(projectRoot, options);
});
