import { inject, type InjectionKey, type Ref } from 'vue';
import type { Clock } from '../../src-main/common/model/clock.ts';
import type { Settings } from '../../src-main/common/model/settings/settings.ts';

/** The clocks of the active connection, and the one that its times are shown in. */
export interface ShellClock {
  readonly choice: Clock;
  readonly zones: Readonly<Record<Clock, string>>;
  readonly nowMs: number;
}

/** What every screen's toolbar needs of the shell around it. */
export interface ShellContext {
  readonly theme: Readonly<Ref<'system' | 'light' | 'dark'>>;
  readonly isMac: Readonly<Ref<boolean>>;
  readonly weekStart: Readonly<Ref<Settings['weekStart']>>;
  /** Null without a connection. */
  readonly clock: Readonly<Ref<ShellClock | null>>;
  chooseClock(choice: Clock): void;
  /** The address names a connection that isn't saved here; another one is shown. */
  readonly unknownConnection: Readonly<Ref<boolean>>;
  /** Names the connection that is shown in its place. */
  keepConnection(): void;
  cycleTheme(): void;
  /** Says which screen is shown, for the title of the window. */
  nameScreen(name: string): void;
  openPalette(): void;
  /** Shows what Help says of an error code. */
  explainError(code: string): void;
}

export const shellKey: InjectionKey<ShellContext> = Symbol('shell');

/** The shell around the component, or nothing when it is mounted alone. */
export function useShell(): ShellContext | null {
  return inject(shellKey, null);
}
