/** What the desktop's main process tells the command that started it, until its window is there. */
export type StartMessage =
  /** It runs, and is still at it. */
  | { readonly channelscope: 'alive' }
  /** Its window is on the screen. */
  | { readonly channelscope: 'shown' }
  /** It can't start, and has told the person why in a dialog. */
  | { readonly channelscope: 'explained' };

/** Returns what was said, or null for a message of another kind. */
export function readStartMessage(message: unknown): StartMessage['channelscope'] | null {
  const said = (message as Partial<StartMessage> | null)?.channelscope;
  return said === 'alive' || said === 'shown' || said === 'explained' ? said : null;
}
