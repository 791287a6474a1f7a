import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundledScript } from '../programs/bundled-script.ts';
import { portOf } from '../network/raw-socket.ts';

const MAIN = fileURLToPath(bundledScript('service-main'));
const TRY_AGAIN_MS = 200;

/** A service process at one address, whichever process that is at the moment. */
export interface ServiceProcess {
  /** Base address. */
  readonly url: string;
  /** Kills it at once and starts another at the same address, again and again until one is up. */
  replace(): Promise<void>;
  /** The longest time that a request took by what the processes have logged. */
  readLongestMs(): number;
  stop(): Promise<void>;
}

/** Starts the service on a database, as the command does. Throws with what it said when it does not get up. */
export async function startServiceProcess(
  databaseUrl: string,
  args: readonly string[],
): Promise<ServiceProcess> {
  let child: ChildProcess;
  let isStopped = false;
  let longestMs = 0;
  const start = async (port: number): Promise<string> => {
    const env = { ...process.env, DATABASE_URL: databaseUrl };
    const all = [MAIN, '--port', String(port), ...args];
    child = spawn(process.execPath, all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error('The process has no output.');
    let lastWords = '';
    createInterface(stderr).on('line', (line) => {
      lastWords = line;
      longestMs = Math.max(longestMs, Number(/"durationMs":([\d.]+)/.exec(line)?.[1] ?? 0));
    });
    const [line] = (await Promise.race([once(stdout, 'data'), once(child, 'close')])) as [unknown];
    if (!Buffer.isBuffer(line)) throw new Error(`The service did not start: ${lastWords}`);
    return (JSON.parse(line.toString()) as { url: string }).url;
  };
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  };
  const url = await start(0);
  return {
    url,
    replace: async () => {
      await kill('SIGKILL');
      for (let attempt = 0; !isStopped; attempt += 1) {
        try {
          await start(portOf({ url }));
          return;
        } catch (error) {
          if (attempt === 150) throw error;
          await delay(TRY_AGAIN_MS);
        }
      }
    },
    readLongestMs: () => longestMs,
    stop: async () => {
      isStopped = true;
      await kill('SIGKILL');
    },
  };
}
