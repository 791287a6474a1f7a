import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** False on a Linux without a session bus, over which every keychain there is reached. Other systems need none. */
export function mayHaveKeychain(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  if (platform === 'win32' || platform === 'darwin') return true;
  const { DBUS_SESSION_BUS_ADDRESS: address = '', XDG_RUNTIME_DIR: folder = '' } = environment;
  return address !== '' || (folder !== '' && existsSync(join(folder, 'bus')));
}
