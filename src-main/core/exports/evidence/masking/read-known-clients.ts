import type { RecordScope } from '../../../../common/model/records/record-scope.ts';
import type { Engine } from '../../../analysis/engine/create-engine.ts';
import { createKnownClients, type KnownClients } from './known-clients.ts';

const PAGE_CLIENTS = 50_000;

/** Reads every client of some scopes, a page of them at a time. Throws `analysis.*`. */
export async function readKnownClients(
  engine: Pick<Engine, 'listClients'>,
  scopes: readonly RecordScope[],
  signal: AbortSignal,
): Promise<KnownClients> {
  const known = createKnownClients();
  for (const scope of scopes) {
    let after: string | null = null;
    for (;;) {
      signal.throwIfAborted();
      const clients: readonly string[] = await engine.listClients(
        { scope, after, limit: PAGE_CLIENTS },
        { signal },
      );
      for (const client of clients) known.add(client);
      const last = clients.at(-1);
      if (last === undefined || last === after || clients.length < PAGE_CLIENTS) break;
      after = last;
    }
  }
  return known;
}
