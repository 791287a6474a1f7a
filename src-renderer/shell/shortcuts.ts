/** What a key does in the shell. Screens mark the control that a key presses with `data-shortcut`. */
export type ShellCommand =
  | {
      readonly kind:
        'palette' | 'settings' | 'help' | 'sidebar' | 'theme' | 'switch-connection' | 'shortcuts';
    }
  | { readonly kind: 'history'; readonly by: -1 | 1 }
  | { readonly kind: 'view'; readonly index: number }
  | {
      readonly kind: 'control';
      readonly control: 'period' | 'refresh' | 'export' | 'search' | 'inspector' | 'fields';
    };

type KeyLike = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

const PLAIN: Readonly<Record<string, ShellCommand>> = {
  k: { kind: 'palette' },
  ',': { kind: 'settings' },
  b: { kind: 'sidebar' },
  i: { kind: 'control', control: 'inspector' },
  j: { kind: 'control', control: 'fields' },
  o: { kind: 'switch-connection' },
  p: { kind: 'control', control: 'period' },
  r: { kind: 'control', control: 'refresh' },
  e: { kind: 'control', control: 'export' },
  '[': { kind: 'history', by: -1 },
  ']': { kind: 'history', by: 1 },
  f: { kind: 'control', control: 'search' },
};

/** Without Ctrl or Cmd, where nothing is being typed. */
const BARE: Readonly<Record<string, ShellCommand>> = {
  '/': { kind: 'control', control: 'search' },
  '?': { kind: 'shortcuts' },
};

/** Returns the command of a key press; `isTyping` means that the focus is in a field. */
export function toShellCommand(event: KeyLike, isMac: boolean, isTyping: boolean): ShellCommand | null {
  const key = event.key.toLowerCase();
  const hasModifier = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (event.altKey) return null;
  if (key === 'f1') return { kind: 'help' };
  if (!hasModifier) {
    return isTyping || event.ctrlKey || event.metaKey ? null : (BARE[key] ?? null);
  }
  if (event.shiftKey) return key === 'l' ? { kind: 'theme' } : null;
  if (/^[1-9]$/.test(key)) return { kind: 'view', index: Number(key) - 1 };
  const command = PLAIN[key] ?? null;
  // Editors indent by these keys.
  return command?.kind === 'history' && isTyping ? null : command;
}

/** Presses the control that the current screen offers for a key; returns true when there is one. */
export function pressControl(control: string): boolean {
  const element = document.querySelector<HTMLElement>(`[data-shortcut="${control}"]`);
  if (element === null) return false;
  const field = element.matches('input') ? element : element.querySelector<HTMLElement>('input');
  if (field === null) element.click();
  else field.focus();
  return true;
}
