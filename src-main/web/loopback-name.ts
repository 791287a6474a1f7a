import { lookup } from 'node:dns/promises';

/** True when this computer resolves a name to itself and to nothing else; not every system knows `*.localhost`. */
export async function isLoopbackName(name: string): Promise<boolean> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.length > 0 && found.every(({ address }) => address === '127.0.0.1' || address === '::1');
}
