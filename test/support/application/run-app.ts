import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Starts the whole application on the web host; returns its address once it listens. The built-in service isn't followed
 * in a new data folder: what is cached is what a test downloads.
 */
export async function startApp(dataFolder: string): Promise<{ url: string; child: ChildProcess }> {
  const settingsFile = join(dataFolder, 'settings.json');
  if (!existsSync(settingsFile)) {
    mkdirSync(dataFolder, { recursive: true });
    writeFileSync(settingsFile, JSON.stringify({ followLocalService: false }));
  }
  const child = spawn(
    process.execPath,
    [join(root, 'src-main/start/start-web.js'), '--port', '0', '--no-open', '--data', dataFolder],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([
    once(lines, 'line').then(([line]) => String(line)),
    once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`The application ended with ${String(code)}.`)),
    ),
  ]);
  const { url } = JSON.parse(first) as { url: string };
  return { url, child };
}

/** Ends the application as its window's end would. */
export async function stopApp(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
