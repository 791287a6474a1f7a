import { inject, type InjectionKey, type Ref } from 'vue';

/** What every screen's toolbar needs of the shell around it. */
export interface ShellContext {
  readonly theme: Readonly<Ref<'system' | 'light' | 'dark'>>;
  readonly isMac: Readonly<Ref<boolean>>;
  cycleTheme(): void;
  openPalette(): void;
}

export const shellKey: InjectionKey<ShellContext> = Symbol('shell');

/** The shell around the component, or nothing when it is mounted alone. */
export function useShell(): ShellContext | null {
  return inject(shellKey, null);
}
