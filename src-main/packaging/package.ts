import { projectRoot, runGuarded } from '../start/read-options.ts';
import { HELP, MissingRuntimeError, packageApplication, readPackageOptions } from './package-application.ts';

const MISSING_RUNTIME_CODE = 3;

runGuarded(async () => {
  const { platform, arch } = process;
  const options = readPackageOptions(process.argv.slice(2), { platform, arch, root: projectRoot });
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  try {
    await packageApplication(projectRoot, options);
  } catch (error) {
    if (!(error instanceof MissingRuntimeError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = MISSING_RUNTIME_CODE;
  }
});
