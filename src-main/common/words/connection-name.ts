import { LOCAL_CONNECTION_NAME, type Connection } from '../model/connections/connection.ts';
import type { Words } from './words.ts';

/** Names a connection outside of the window: the built-in one in the language of `words` until a person renames it. */
export function nameConnection(
  { kind, name }: Pick<Connection, 'kind' | 'name'>,
  { t }: Pick<Words, 't'>,
): string {
  return kind === 'local' && name === LOCAL_CONNECTION_NAME ? t('desktop.localService') : name;
}
