import type { MessageTree } from '../../support/languages/read-window-messages.ts';

/** Returns what the window says for a key, in the language that it speaks; the first of plural forms. */
export type Say = (key: string, values?: Readonly<Record<string, string>>) => string;

/** Makes the words of a window whose messages are known. A key without a message is a fault of the test. */
export function createSay(messages: MessageTree): Say {
  return (key, values = {}) => {
    const [form = ''] = findMessage(messages, key).split(' | ');
    return form.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
  };
}

function findMessage(messages: MessageTree, key: string): string {
  let found: string | MessageTree | undefined = messages;
  for (const name of key.split('.')) found = typeof found === 'object' ? found[name] : undefined;
  if (typeof found !== 'string') throw new Error(`The window has no message ${key}.`);
  return found;
}
