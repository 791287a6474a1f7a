import { toErrorInfo } from '../../common/contract/errors.ts';
import { DAY_MS } from '../../common/time/durations.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { Dispatch } from '../dispatch/create-dispatcher.ts';
import type { Events } from '../events.ts';
import { listClients } from '../exports/evidence/masking/export-masks.ts';
import { createCallMasks } from './mask-calls.ts';

/** How often clients that came since are listed again; those of an answer are known with it. */
const RENEW_MS = 10_000;

/**
 * Returns the calls as windows make them: while the setting is on, no answer names a client or says what a body holds,
 * and what a window sends back means what was masked in it. Calls of the command line are answered as ever.
 */
export function createMaskedWindow(parts: {
  readonly settings: { get(): { readonly maskTexts: boolean } };
  readonly engine: Pick<Engine, 'listClients'>;
  readonly events: Pick<Events, 'on'>;
  readonly pseudonymKey: Uint8Array;
  listConnectionIds(): readonly string[];
  now(): number;
}): (call: Dispatch) => Dispatch {
  const { settings, engine, events, pseudonymKey, listConnectionIds, now } = parts;
  const masks = createCallMasks(pseudonymKey);
  let isStale = true;
  let listedAtMs = 0;
  let listing: Promise<void> | null = null;
  events.on('snapshots/changed', () => void (isStale = true));

  async function listAll(): Promise<void> {
    isStale = false;
    const span = { fromMs: 0, toMs: now() + DAY_MS };
    try {
      for (const connectionId of listConnectionIds())
        for (const report of DETAIL_KINDS)
          for await (const clients of listClients(engine, { connectionId, report, ...span }))
            masks.addClients(clients);
      listedAtMs = now();
    } catch (error) {
      isStale = true;
      throw error;
    }
  }

  async function renew(): Promise<void> {
    const isDue = listedAtMs === 0 || (isStale && now() - listedAtMs > RENEW_MS);
    if (isDue) listing ??= listAll().finally(() => (listing = null));
    await listing;
  }

  return (call) => {
    const guarded = masks.guard(call);
    return async (name, input) => {
      if (!settings.get().maskTexts) return call(name, input);
      try {
        if (masks.isMasked(name)) await renew();
      } catch (error) {
        return { ok: false, error: toErrorInfo(error) };
      }
      return guarded(name, input);
    };
  };
}
