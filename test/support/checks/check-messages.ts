import { fileURLToPath } from 'node:url';
import { compareMessages, MESSAGE_LANGUAGES, readMessages } from './compare-messages.ts';

const FOLDERS = ['src-renderer/messages', 'src-main/common/words'];
const MAX_LISTED = 40;

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

let faults = 0;
for (const path of FOLDERS) {
  const folder = fileURLToPath(new URL(`../../../${path}`, import.meta.url));
  const english = readMessages(folder, 'en');
  for (const language of MESSAGE_LANGUAGES.slice(1)) {
    const differences = compareMessages(english, readMessages(folder, language));
    for (const [name, lines] of Object.entries(differences) as [string, readonly string[]][]) {
      faults += lines.length;
      if (lines.length > 0) say(`${path}/${language}: ${lines.length} ${name}`);
      for (const line of lines.slice(0, MAX_LISTED)) say(`  ${line}`);
      if (lines.length > MAX_LISTED) say(`  and ${lines.length - MAX_LISTED} more`);
    }
  }
}
if (faults === 0) say('Every message is there in every language.');
process.exitCode = faults === 0 ? 0 : 1;
