import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Language } from '../../../src-main/common/model/settings/language.ts';
import { gatherMessages, type Messages } from '../../../src-renderer/messages/gather-messages.ts';

/** What the window says that the core says too. */
const SHARED = 'src-main/common/words';
const FOLDERS = ['src-renderer/messages', SHARED];
const SHARED_FILES = ['casefile.json', 'findings.json', 'importing.json', 'levels.json'];

/** A message, or messages by the parts of their keys. */
export interface MessageTree {
  readonly [name: string]: string | MessageTree;
}

/** Returns all that the window says in a language, as its build gathers it. */
export function readWindowMessages(language: Language): MessageTree {
  const files: Record<string, Messages> = {};
  for (const path of FOLDERS) {
    const folder = fileURLToPath(new URL(`../../../${path}/${language}`, import.meta.url));
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.json') || (path === SHARED && !SHARED_FILES.includes(file))) continue;
      files[file.replaceAll('\\', '/')] = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Messages;
    }
  }
  return gatherMessages(files) as MessageTree;
}
