/** Entry of `npm run cli`. The database driver crashes Node before 22, so everything is loaded after the check. */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 22) {
  process.stderr.write(`Channelscope needs Node 22 or newer, not ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  const { keepCompiled } = await import('../node/keep-compiled.js');
  keepCompiled();
  const { readFile } = await import('node:fs/promises');
  const { SYSTEM_NETWORK } = await import('../common/model/settings/network.ts');
  const { createNodeNetwork } = await import('../node/node-network.ts');
  const { findSourceWorkers } = await import('../node/worker-scripts.ts');
  const { endOnSecondSignal } = await import('./output.ts');
  const { flushOutput } = await import('./output.ts');
  const { runCli } = await import('./run-cli.ts');
  const network = createNodeNetwork(process.env);
  if (!network.use(SYSTEM_NETWORK)) {
    process.stderr.write("The proxy of HTTP_PROXY or HTTPS_PROXY can't be used.\n");
  }
  endOnSecondSignal(process);
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const exitCode = await runCli(process.argv.slice(2), {
    version,
    process,
    now: Date.now,
    useNetwork: network.useNetwork,
    createFetch: network.createFetch,
    workers: findSourceWorkers(),
  });
  process.exitCode = exitCode;
  // Whatever is left must not keep the command from ending.
  await flushOutput(process);
  process.exit();
}
