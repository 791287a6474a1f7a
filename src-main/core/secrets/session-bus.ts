import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** False on a Linux without a session bus that is there, over which every keychain is reached. Other systems need none. */
export function mayHaveKeychain(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (platform === 'win32' || platform === 'darwin') return true;
  const { DBUS_SESSION_BUS_ADDRESS: address = '', XDG_RUNTIME_DIR: folder = '' } = environment;
  if (address === '') return folder !== '' && existsSync(join(folder, 'bus'));
  return address.split(';').some((each) => each !== '' && mayAnswer(each));
}

/** False for the socket of a session that is over: its address stays in shells and services that go on. */
function mayAnswer(address: string): boolean {
  const [, path] = /^unix:(?:.*,)?path=([^,]*)/.exec(address) ?? [];
  if (path === undefined) return true;
  try {
    return existsSync(decodeURIComponent(path));
  } catch {
    return true;
  }
}
