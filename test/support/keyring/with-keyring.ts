import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * Runs a command inside a session of its own with an unlocked, empty keyring:
 *   node test/support/keyring/with-keyring.ts vitest run …
 * The person's keyring is never touched. Without D-Bus or gnome-keyring the command runs as it is.
 */
// A keyring that is not yet on the bus when the session ends would outlive it, so the command waits for it.
const UNLOCK_AND_RUN = `
printf %s throwaway | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
tries=0
until dbus-send --session --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus \\
    org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets 2>/dev/null | grep -q true; do
  tries=$((tries + 1))
  [ $tries -gt 200 ] && { echo 'The keyring did not start.' >&2; exit 1; }
  sleep 0.05
done
exec "$@"`;

const command = process.argv.slice(2);
if (command.length === 0) {
  process.stderr.write('Usage: with-keyring.ts <command…>\n');
  process.exit(2);
}

const reason = findReasonAgainst();
if (reason === null) runWithKeyring(command);
else {
  process.stderr.write(`No keyring for tests: ${reason}.\n`);
  run(command, process.env, () => undefined);
}

function findReasonAgainst(): string | null {
  if (process.platform !== 'linux') return 'not Linux';
  const missing = ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon'].find(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error !== undefined,
  );
  return missing === undefined ? null : `${missing} is not installed`;
}

function runWithKeyring(words: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'channelscope-keyring-'));
  const environment: NodeJS.ProcessEnv = { ...process.env, CHANNELSCOPE_TEST_KEYCHAIN: '1' };
  // A prompt to unlock would wait for a person.
  delete environment['DISPLAY'];
  delete environment['WAYLAND_DISPLAY'];
  for (const name of ['DATA_HOME', 'CONFIG_HOME', 'CACHE_HOME', 'RUNTIME_DIR']) {
    const path = join(folder, name.toLowerCase());
    mkdirSync(path, { mode: 0o700 });
    environment[`XDG_${name}`] = path;
  }
  const session = ['dbus-run-session', '--', 'sh', '-c', UNLOCK_AND_RUN, 'sh', ...words];
  run(session, environment, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
}

/** Passes signals on, and the exit code back. */
function run([program = '', ...words]: string[], environment: NodeJS.ProcessEnv, cleanUp: () => void): void {
  // Windows starts no command file by a bare name, and another Node may come first there.
  const child = spawn(program === 'node' ? process.execPath : program, words, {
    stdio: 'inherit',
    env: environment,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    cleanUp();
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 127;
  });
  child.on('exit', (code, signal) => {
    cleanUp();
    process.exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  });
}
