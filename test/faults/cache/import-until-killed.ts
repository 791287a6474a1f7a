/** What `npm run cli` does, in one bundle with its threads: it is started several times, and only to be killed. */
import { runCli } from '../../../src-main/cli/run-cli.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  version: '0.0.0-test',
  process,
  now: Date.now,
  workers: {
    cache: bundledScript('cache-thread'),
    service: bundledScript('service-thread'),
    engine: bundledScript('engine-process'),
    imports: bundledScript('import-thread'),
    rows: bundledScript('rows-thread'),
  },
});
