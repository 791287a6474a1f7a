import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type * as Electron from 'electron';
import {
  emitNative,
  FakeEvent,
  record,
  requireEarly,
  requireReady,
  state,
  utilityProcessIds,
} from './state.ts';

interface Closable {
  close(): void;
  isDestroyed(): boolean;
}
/** The windows that are open; kept here since quitting closes them. */
export const openWindows = new Set<Closable>();

type AppMethods =
  | 'enableSandbox'
  | 'requestSingleInstanceLock'
  | 'setAppUserModelId'
  | 'setPath'
  | 'getVersion'
  | 'getAppMetrics'
  | 'getPreferredSystemLanguages'
  | 'getAppPath'
  | 'getPath'
  | 'whenReady'
  | 'quit'
  | 'exit'
  | 'relaunch'
  | 'setBadgeCount'
  | 'setAsDefaultProtocolClient'
  | 'setJumpList'
  | 'getJumpListSettings';

/**
 * Whether Electron starts at all with these words under Windows: it ends with -1, and says nothing, where a word follows one
 * that looks like an address, unless `--` comes before both.
 */
export function startsUnderWindows(words: readonly string[]): boolean {
  let hasAddress = false;
  for (const word of words) {
    if (word === '--') return true;
    if (hasAddress) return false;
    // A drive is one letter.
    hasAddress = /^[a-z][a-z\d+.-]+:/iu.test(word);
  }
  return true;
}

class FakeApp extends EventEmitter implements Pick<Electron.App, AppMethods> {
  hasLock = true;
  isPackaged = false;
  readonly name = 'Channelscope';
  /** What it was started with, by name and without a value. */
  readonly switches = new Set<string>();
  /** The values of those that have one. */
  readonly switchValues = new Map<string, string>();
  readonly commandLine = {
    hasSwitch: (name: string): boolean => this.switches.has(name) || this.switchValues.has(name),
    getSwitchValue: (name: string): string => this.switchValues.get(name) ?? '',
  };
  #becomeReady: () => void = () => undefined;
  #ready = Promise.resolve();
  constructor() {
    super();
    this.reset();
  }
  reset(): void {
    this.removeAllListeners();
    this.hasLock = true;
    this.isPackaged = false;
    this.switches.clear();
    this.switchValues.clear();
    this.removedItems.length = 0;
    this.dock = undefined;
    this.#ready = new Promise((resolve) => {
      this.#becomeReady = resolve;
    });
    Object.assign(state, { isReady: false, isQuitting: false, paintsHidden: false });
    openWindows.clear();
  }
  /** For the test: what must come before was called by now, or throws from now on. */
  makeReady(): void {
    record('(ready)');
    state.isReady = true;
    this.#becomeReady();
  }
  enableSandbox(): void {
    requireEarly('app.enableSandbox()');
    record('app.enableSandbox');
  }
  requestSingleInstanceLock(): boolean {
    record('app.requestSingleInstanceLock');
    return this.hasLock;
  }
  setAppUserModelId(id: string): void {
    requireEarly('app.setAppUserModelId()');
    record('app.setAppUserModelId', id);
  }
  setPath(name: string, path: string): void {
    if (!isAbsolute(path)) throw new Error('Path must be absolute');
    record('app.setPath', name, path);
  }
  /** Of this process and of the utility processes that run; the memory of each as the system says it. */
  getAppMetrics(): Electron.ProcessMetric[] {
    return [process.pid, ...utilityProcessIds].map((pid) => {
      const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      const memory = { workingSetSize: Number(kilobytes ?? 0), peakWorkingSetSize: 0 };
      const cpu = { percentCPUUsage: 0, idleWakeupsPerSecond: 0 };
      return { pid, type: pid === process.pid ? 'Browser' : 'Utility', creationTime: 0, cpu, memory };
    });
  }
  getVersion(): string {
    return '1.2.3';
  }
  getPreferredSystemLanguages(): string[] {
    return ['en-US'];
  }
  getAppPath(): string {
    return '/nowhere';
  }
  getPath(name: string): string {
    return `/nowhere/${name}`;
  }
  whenReady(): Promise<void> {
    record('app.whenReady');
    return this.#ready;
  }
  /** As Electron quits: it asks everybody, closes the windows, and only then says that it will. */
  quit(): void {
    record('app.quit');
    const before = new FakeEvent();
    emitNative(this, 'before-quit', before);
    if (before.defaultPrevented) return;
    state.isQuitting = true;
    for (const window of [...openWindows]) {
      window.close();
      if (!window.isDestroyed()) {
        state.isQuitting = false;
        return;
      }
    }
    const will = new FakeEvent();
    emitNative(this, 'will-quit', will);
    if (will.defaultPrevented) return;
    emitNative(this, 'quit', new FakeEvent(), 0);
    record('(ended)', 0);
  }
  /** At once, and without asking. */
  exit(code = 0): void {
    record('app.exit', code);
    record('(ended)', code);
  }
  setBadgeCount(count?: number): boolean {
    record('app.setBadgeCount', count);
    return true;
  }
  setAsDefaultProtocolClient(scheme: string): boolean {
    record('app.setAsDefaultProtocolClient', scheme);
    return true;
  }
  /** What the person took out of the jump list. */
  readonly removedItems: Electron.JumpListItem[] = [];
  /** Only macOS has one. */
  dock: Pick<Electron.Dock, 'setMenu' | 'hide'> | undefined = undefined;
  getJumpListSettings(): Electron.JumpListSettings {
    return { minItems: 10, removedItems: this.removedItems };
  }
  /** As Windows does, which refuses a category without entries, and one with an entry that was taken out. */
  setJumpList(
    categories: Electron.JumpListCategory[] | null,
  ): 'ok' | 'error' | 'customCategoryAccessDeniedError' {
    requireReady('app.setJumpList()');
    record('app.setJumpList', categories);
    const custom = (categories ?? []).filter(({ type }) => type === 'custom');
    if (custom.some(({ items = [], name }) => items.length === 0 || name === undefined)) return 'error';
    const removed = new Set(this.removedItems.map(({ args }) => args));
    return custom.some(({ items = [] }) => items.some(({ args }) => removed.has(args))) ? 'error' : 'ok';
  }
  relaunch(options?: Electron.RelaunchOptions): void {
    record('app.relaunch', options);
  }
}
export const app = new FakeApp();
