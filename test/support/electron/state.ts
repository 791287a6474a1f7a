/** What the stand-in for `electron` remembers between calls: one state for a process, as Electron's own. */
export interface RecordedCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

export const calls: RecordedCall[] = [];
/** What listeners of native events threw: Electron shows a modal box for each. */
export const uncaught: unknown[] = [];

/** The utility processes that run, as `app.getAppMetrics()` lists them. */
export const utilityProcessIds = new Set<number>();

export const state = {
  isReady: false,
  isQuitting: false,
  /** On Wayland a hidden window never paints, so `ready-to-show` comes only after `show()`. */
  paintsHidden: false,
};

export function record(name: string, ...args: unknown[]): void {
  calls.push({ name, args });
}

export function namesOfCalls(): string[] {
  return calls.map((call) => call.name);
}

export function requireReady(what: string): void {
  if (!state.isReady) throw new Error(`${what} before the app is ready`);
}

export function requireEarly(what: string): void {
  if (state.isReady) throw new Error(`${what} can only be called before app is ready`);
}

/** An Electron event: remembers whether its default was prevented. */
export class FakeEvent {
  defaultPrevented = false;
  readonly url: string;
  readonly isMainFrame: boolean;
  constructor(url = '', isMainFrame = true) {
    this.url = url;
    this.isMainFrame = isMainFrame;
  }
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

interface Emitter {
  emit(name: string, ...args: unknown[]): boolean;
}

/** Emits as native code does: nobody catches what a listener throws, nor an error that has no listener. */
export function emitNative(emitter: Emitter, name: string, ...args: unknown[]): boolean {
  try {
    return emitter.emit(name, ...args);
  } catch (error) {
    uncaught.push(error);
    return true;
  }
}
