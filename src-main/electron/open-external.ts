import { shell } from 'electron';
import { AppError } from '../common/contract/errors.ts';

/** Windows passes no longer ones on. */
const MOST_LINK_LENGTH = 2081;

/** Opens an https address in the person's browser. Throws `app.link-refused` for everything else (E-15). */
export async function openVettedLink(url: unknown): Promise<void> {
  const link = typeof url === 'string' && url.length <= MOST_LINK_LENGTH ? URL.parse(url) : null;
  const isVetted =
    link?.protocol === 'https:' &&
    link.username === '' &&
    link.password === '' &&
    // The parser drops tabs, line breaks and outer spaces, and turns backslashes: text that has them means to deceive.
    !/[\p{Cc} \\]/u.test(String(url));
  if (!isVetted) throw new AppError('app.link-refused', 'Only https links without credentials are opened.');
  await shell.openExternal(link.href);
}

/** Shows a file that this application wrote in its folder. */
export function showInFolder(path: string): void {
  shell.showItemInFolder(path);
}
