import { comeBack } from './come-back.ts';
import { HELP, projectRoot, readStartOptions, runGuarded } from './read-options.ts';
import { runBuiltWeb } from './build-application.ts';

runGuarded(async () => {
  const options = readStartOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else if (options.selfTestFile !== null || !(await comeBack(options)))
    await runBuiltWeb(projectRoot, options);
});
