import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { findSourceWorkers } from '../node/worker-scripts.ts';
import { projectRoot, readStartOptions, runGuarded, say } from './read-options.ts';
import { runWeb } from './run-web.ts';
import { provideElectron } from './start-application.ts';

async function takeFreePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

/** Rebuilds the main process and reloads the window as they are changed, until the application is closed. */
async function runDesktop(program: string): Promise<void> {
  const environment: NodeJS.ProcessEnv = { ...process.env, ELECTRON_EXEC_PATH: program };
  delete environment['ELECTRON_RUN_AS_NODE'];
  // The bundler would start Electron without its sandbox for it.
  delete environment['NO_SANDBOX'];
  const script = join(projectRoot, 'node_modules/electron-vite/bin/electron-vite.js');
  const child = spawn(process.execPath, [script, 'dev', '--watch'], {
    cwd: projectRoot,
    stdio: 'inherit',
    env: environment,
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
}

/** Starts the server that rebuilds the window, and the application in the browser over it. */
async function runBrowser(args: readonly string[]): Promise<void> {
  const { createServer: createWindowServer } = await import('vite');
  const { default: config } = (await import('../../electron.vite.config.ts')) as {
    default: { renderer: object };
  };
  const server = await createWindowServer({ ...config.renderer, configFile: false });
  await server.listen();
  await runWeb(projectRoot, readStartOptions(args), {
    workers: findSourceWorkers(),
    developmentServer: `http://127.0.0.1:${server.config.server.port}`,
  });
}

runGuarded(async () => {
  const args = process.argv.slice(2).filter((arg) => arg !== '--web');
  process.env['CHANNELSCOPE_WINDOW_PORT'] ??= String(await takeFreePort());
  if (!process.argv.includes('--web')) {
    const found = await provideElectron(projectRoot);
    if (found.program !== null) {
      await runDesktop(found.program);
      return;
    }
    say(`${found.reason} The window opens in the browser instead.`);
  }
  await runBrowser(args);
});
