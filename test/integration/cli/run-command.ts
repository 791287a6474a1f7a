import { PassThrough } from 'node:stream';
import { runCli } from '../../../src-main/cli/run-cli.ts';
import type { OpenSecretStore } from '../../../src-main/core/secrets/create-keychain.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { bundledScript } from '../../support/programs/bundled-script.ts';

/** What a command left behind. */
export interface CommandRun {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
  /** The objects of the lines, with `--json`. */
  readonly objects: readonly Record<string, unknown>[];
}

/** Runs commands in this process, over one data folder and one stand-in for the keychain. */
export interface CommandRunner {
  run(...words: string[]): Promise<CommandRun>;
  /** The same; `onError` sees what is written to standard error, and may call `interrupt`, as Ctrl+C does. */
  runWatched(
    words: readonly string[],
    onError: (text: string, interrupt: () => void) => void,
    onOutput?: (text: string, interrupt: () => void) => void,
  ): Promise<CommandRun>;
  /** Variables of the environment of later commands. */
  readonly environment: Record<string, string>;
}

export function createCommandRunner(dataFolder: string): CommandRunner {
  const store = { ...createInMemorySecretStore(), kind: 'keychain' as const };
  const openSecretStore: OpenSecretStore = () => Promise.resolve({ store, failure: null });
  const environment: Record<string, string> = {};

  const runWatched: CommandRunner['runWatched'] = async (words, onError, onOutput) => {
    const listeners = new Set<() => void>();
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    const texts = { stdout: '', stderr: '' };
    const interrupt = (): void => {
      for (const tell of listeners) tell();
    };
    streams.stdout.on('data', (chunk: Buffer) => {
      texts.stdout += chunk.toString();
      onOutput?.(texts.stdout, interrupt);
    });
    streams.stderr.on('data', (chunk: Buffer) => {
      texts.stderr += chunk.toString();
      onError(texts.stderr, interrupt);
    });
    const code = await runCli([...words, '--data', dataFolder], {
      version: '0.0.0-test',
      workers: {
        cache: bundledScript('cache-thread'),
        service: bundledScript('service-thread'),
        engine: bundledScript('engine-process'),
        imports: bundledScript('import-thread'),
        rows: bundledScript('rows-thread'),
      },
      process: {
        ...streams,
        stdin: { isTTY: false },
        env: environment,
        platform: process.platform,
        cwd: () => dataFolder,
        on: (_signal: string, tell: () => void) => listeners.add(tell),
      } as never,
      now: Date.now,
      openSecretStore,
    });
    const lines = words.includes('--json') ? texts.stdout.split('\n').slice(0, -1) : [];
    return {
      code,
      output: texts.stdout,
      errors: texts.stderr,
      objects: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    };
  };
  return {
    environment,
    runWatched,
    run: (...words) => runWatched(words, () => undefined),
  };
}
