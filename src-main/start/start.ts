import { spawn } from 'node:child_process';
import { build, needsBuild } from './build-window.ts';
import { findElectron, installElectron } from './electron-runtime.ts';
import { projectRoot, runGuarded } from './run-guarded.ts';

/** Runs the desktop application until its window is closed; its exit code becomes this process's. */
async function runElectron(program: string): Promise<void> {
  if (needsBuild(projectRoot, 'everything')) {
    process.stderr.write('Building Channelscope …\n');
    await build(projectRoot);
  }
  const environment = { ...process.env };
  delete environment['ELECTRON_RUN_AS_NODE'];
  const child = spawn(program, [projectRoot], { stdio: 'inherit', env: environment });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.exitCode = code ?? 1;
      resolve();
    });
  });
}

runGuarded(async () => {
  let reason: string | null = null;
  if (findElectron(projectRoot) === null) {
    process.stderr.write("Fetching Electron's runtime …\n");
    reason = await installElectron(projectRoot);
  }
  const program = findElectron(projectRoot);
  if (program !== null) {
    await runElectron(program);
    return;
  }
  process.stderr.write(
    `Electron's runtime can't be had (${reason ?? 'unknown reason'}); opening Channelscope in the browser.\n`,
  );
  const { runWeb } = await import('./run-web.ts');
  await runWeb(projectRoot, { port: 0, opensBrowser: true, dataFolder: null, help: false });
});
