import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';
import type * as Electron from 'electron';
import { emitNative, record, requireReady, utilityProcessIds } from './state.ts';

const host = new URL('utility-host.ts', import.meta.url);

/** Of the flags that it is given only those of V8 are heeded, and only as a switch of Chromium. */
function readFlags(given: readonly string[]): string[] {
  return given.flatMap((word) => /^--js-flags=(.*)$/u.exec(word)?.[1]?.split(' ') ?? []);
}

type ProcessMethods = 'postMessage' | 'kill' | 'pid';

/** A utility process that is a real process of Node: messages are cloned, and it ends for itself. */
class FakeUtilityProcess extends EventEmitter implements Pick<Electron.UtilityProcess, ProcessMethods> {
  readonly #child: ChildProcess;
  constructor(child: ChildProcess) {
    super();
    this.#child = child;
    child.on('message', (message) => void emitNative(this, 'message', message));
    child.once('exit', (code) => void emitNative(this, 'exit', code ?? 1));
  }
  get pid(): number | undefined {
    return this.#child.pid;
  }
  postMessage(message: unknown): void {
    if (this.#child.connected) this.#child.send(structuredClone(message) as object);
  }
  kill(): boolean {
    return this.#child.kill();
  }
}

export const utilityProcess = {
  fork(modulePath: string, args: string[] = [], options: Electron.ForkOptions = {}): FakeUtilityProcess {
    requireReady('utilityProcess cannot be created');
    record('utilityProcess.fork', modulePath, options);
    const child = fork(host, [pathToFileURL(modulePath).href, ...args], {
      execArgv: readFlags(options.execArgv ?? []),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    if (child.pid !== undefined) utilityProcessIds.add(child.pid);
    child.once('exit', () => utilityProcessIds.delete(child.pid ?? 0));
    return new FakeUtilityProcess(child);
  },
} satisfies Record<keyof Pick<typeof Electron.utilityProcess, 'fork'>, unknown>;
