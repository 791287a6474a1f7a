import { HELP, projectRoot, readStartOptions, runGuarded } from './read-options.ts';
import { startApplication } from './start-application.ts';

runGuarded(async () => {
  const options = readStartOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else await startApplication(projectRoot, options);
});
