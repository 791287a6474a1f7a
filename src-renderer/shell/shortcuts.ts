/** What a key does in the shell. Screens mark the control that a key presses with `data-shortcut`. */
export type ShellCommand =
  | { readonly kind: 'palette' | 'settings' | 'sidebar' | 'inspector' | 'theme' | 'switch-connection' }
  | { readonly kind: 'view'; readonly index: number }
  | { readonly kind: 'control'; readonly control: 'period' | 'refresh' | 'export' | 'search' };

type KeyLike = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

const PLAIN: Readonly<Record<string, ShellCommand>> = {
  k: { kind: 'palette' },
  ',': { kind: 'settings' },
  b: { kind: 'sidebar' },
  i: { kind: 'inspector' },
  o: { kind: 'switch-connection' },
  p: { kind: 'control', control: 'period' },
  r: { kind: 'control', control: 'refresh' },
  e: { kind: 'control', control: 'export' },
  f: { kind: 'control', control: 'search' },
};

/** Returns the command of a key press; `isTyping` means that the focus is in a field. */
export function toShellCommand(event: KeyLike, isMac: boolean, isTyping: boolean): ShellCommand | null {
  const key = event.key.toLowerCase();
  const hasModifier = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (event.altKey) return null;
  if (!hasModifier) {
    return key === '/' && !isTyping && !event.ctrlKey && !event.metaKey
      ? { kind: 'control', control: 'search' }
      : null;
  }
  if (event.shiftKey) return key === 'l' ? { kind: 'theme' } : null;
  if (/^[1-8]$/.test(key)) return { kind: 'view', index: Number(key) - 1 };
  return PLAIN[key] ?? null;
}

/** Presses the control that the current screen offers for a key; returns true when there is one. */
export function pressControl(control: string, root: ParentNode = document): boolean {
  const element = root.querySelector<HTMLElement>(`[data-shortcut="${control}"]`);
  if (element === null) return false;
  const field = element.matches('input') ? element : element.querySelector<HTMLElement>('input');
  if (field === null) element.click();
  else field.focus();
  return true;
}
