/** What the desktop's main process tells the command that started it, until its window is there. */
export type StartMessage =
  /** It runs, and is still at it. */
  | { readonly channelscope: 'alive' }
  /** Its window is on the screen. */
  | { readonly channelscope: 'shown' }
  /** It can't start, and has told the person why in a dialog. */
  | { readonly channelscope: 'explained' };

/**
 * The variable that names a file where the same is said a second time, a line each: a start must not depend on the
 * channel of Node alone, which Electron has no duty to provide.
 */
export const START_FILE_VARIABLE = 'CHANNELSCOPE_START_FILE';

/** Returns the last that was said in such a file, or null. */
export function readStartFile(text: string): StartMessage['channelscope'] | null {
  const lines = text.split('\n').map((line) => readStartMessage({ channelscope: line.trim() }));
  return lines.findLast((said) => said !== null) ?? null;
}

/** Returns what was said, or null for a message of another kind. */
export function readStartMessage(message: unknown): StartMessage['channelscope'] | null {
  const said = (message as Partial<StartMessage> | null)?.channelscope;
  return said === 'alive' || said === 'shown' || said === 'explained' ? said : null;
}
