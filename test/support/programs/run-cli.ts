/** A command in a process of its own, as `npm run cli` runs it, with bundled threads. Arguments: the command's words. */
import { flushOutput } from '../../../src-main/cli/output.ts';
import { runCli } from '../../../src-main/cli/run-cli.ts';
import { createNodeNetwork } from '../../../src-main/node/node-network.ts';
import { findBuiltWorkers } from '../../../src-main/node/worker-scripts.ts';

const network = createNodeNetwork(process.env);
process.exitCode = await runCli(process.argv.slice(2), {
  version: '0.0.0-test',
  process,
  now: Date.now,
  useNetwork: network.useNetwork,
  createFetch: network.createFetch,
  workers: findBuiltWorkers(process.env['BUNDLED_SCRIPTS'] ?? ''),
});
await flushOutput(process);
process.exit();
