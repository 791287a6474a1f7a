import type { RecordScope } from '../../../../common/model/records/record-scope.ts';
import type { Engine } from '../../../analysis/engine/create-engine.ts';

const PAGE_CLIENTS = 50_000;

/** Lists every client of a scope, a page of them at a time. Throws `analysis.*`. */
export async function* listClients(
  engine: Pick<Engine, 'listClients'>,
  scope: RecordScope,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  let after: string | null = null;
  for (;;) {
    const clients: readonly string[] = await engine.listClients(
      { scope, after, limit: PAGE_CLIENTS },
      { signal },
    );
    yield clients;
    const last = clients.at(-1);
    if (last === undefined || last === after || clients.length < PAGE_CLIENTS) return;
    after = last;
  }
}
