import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorInfo } from '../../common/contract/errors.ts';
import type { Output } from '../../common/contract/index.ts';
import type { Envelope } from '../../common/contract/operation.ts';
import { writeFileAtomically } from '../../node/files.ts';
import type { Core } from '../create-core.ts';
import type { Dispatch } from '../dispatch/create-dispatcher.ts';
import type { Host } from '../host.ts';

const FILE_NAME = 'first-answers.json';
/** What a window can't be drawn without. */
const NAMES = ['app/get-info', 'settings/get', 'connections/list'] as const;
/** What the answers follow from: where another program changed it, nothing is answered from before. */
const SOURCES = ['settings.json', 'connections.json'] as const;
/** Events after which one of them is another. */
const CHANGES: readonly string[] = ['settings/changed', 'connections/changed', 'app/keychain-changed'];
const PAUSE_MS = 500;

type Answers = ReadonlyMap<string, Envelope<unknown>>;
type WindowHost = Pick<Host, 'kind' | 'version' | 'dataFolder' | 'listLanguages'>;
type WindowCore = Pick<Core, 'on' | 'callFromWindow'>;

const isFirst = (name: string): boolean => (NAMES as readonly string[]).includes(name);

/**
 * Answers the calls of windows. Until the core is there they wait, and they get the error of one that can't be created; but
 * what the last window of this data folder began with is answered at once, so that the next one is drawn meanwhile. Each of
 * these is answered so once: who asks again wants to know whether it still holds. `onWait` is called when the core is needed.
 */
export function serveWindow(
  core: Promise<WindowCore>,
  host: WindowHost,
  { now, onWait = () => undefined }: { readonly now: () => number; readonly onWait?: () => void },
): Dispatch {
  const early = new Map(readKept(host));
  let keepSoon = (): void => undefined;
  core.then(
    (created) => {
      early.clear();
      keepSoon = keepAnswers(created, host);
    },
    () => undefined,
  );
  return async (name, input) => {
    const kept = early.get(name);
    early.delete(name);
    if (kept?.ok === true) {
      if (name !== 'app/get-info') return kept;
      const info = kept.value as Output<'app/get-info'>;
      return { ok: true, value: { ...info, systemLanguages: [...host.listLanguages()], nowMs: now() } };
    }
    onWait();
    return core.then(
      ({ callFromWindow }) => {
        if (isFirst(name)) keepSoon();
        return callFromWindow(name, input);
      },
      (error: unknown) => ({ ok: false, error: toErrorInfo(error) }),
    );
  };
}

/** Keeps the answers as they change, for the next start; returns a function that keeps them soon. */
function keepAnswers(core: WindowCore, host: WindowHost): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let written = '';
  const keep = async (): Promise<void> => {
    timer = null;
    const ground = describeGround(host);
    const answers = await Promise.all(NAMES.map((name) => core.callFromWindow(name, null)));
    const [info] = answers as Envelope<Output<'app/get-info'>>[];
    // A safe start is for once.
    if (!answers.every(({ ok }) => ok) || info?.ok !== true || info.value.isSafe) return;
    const list = answers.map((answer, index) => [NAMES[index], answer]);
    const text = JSON.stringify({ ground, answers: list });
    if (text === written || describeGround(host) !== ground) return;
    written = text;
    await writeFileAtomically(join(host.dataFolder, FILE_NAME), text);
  };
  // On a full disk the next window waits for the core.
  const keepSoon = (): void => {
    timer ??= setTimeout(() => void keep().catch(() => undefined), PAUSE_MS).unref();
  };
  core.on((...[name]) => {
    if (CHANGES.includes(name)) keepSoon();
  });
  return keepSoon;
}

/** What was kept; empty where it is missing, damaged, or of another state of the folder. */
function readKept(host: WindowHost): Answers {
  try {
    const text = readFileSync(join(host.dataFolder, FILE_NAME), 'utf8');
    const kept = JSON.parse(text) as { ground: unknown; answers: [string, Envelope<unknown>][] };
    return new Map(kept.ground === describeGround(host) ? kept.answers : []);
  } catch {
    return new Map();
  }
}

/** What has to be as it was for the answers to hold. */
function describeGround({ kind, version, dataFolder }: WindowHost): string {
  const states = SOURCES.map((name) => statSync(join(dataFolder, name), { throwIfNoEntry: false }));
  return JSON.stringify([kind, version, dataFolder, ...states.map((state) => [state?.mtimeMs, state?.size])]);
}
