import type { Input } from '../../../src-main/common/contract/index.ts';
import { ENGLISH } from '../../../src-main/common/words/words.ts';
import {
  createDestinations,
  type Destinations,
  type OutgoingAlert,
} from '../../../src-main/core/destinations/create-destinations.ts';
import { createInMemorySecretStore, type SecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createKnownSecrets } from '../../../src-main/core/secrets/secret-cleaner.ts';
import { createSilentLogger } from '../../support/fakes/silent-logger.ts';

/** Opens the destinations of a folder over the real network. */
export function openDestinations(
  folder: string,
  options: {
    readonly now: () => number;
    readonly secrets?: SecretStore;
    readonly isMuted?: (alert: { readonly ruleId: string; readonly value?: unknown }) => boolean;
    readonly readRecords?: Parameters<typeof createDestinations>[0]['readRecords'];
    readonly isPlanned?: (alert: { readonly ruleId: string }) => boolean;
  },
): Promise<Destinations> {
  return createDestinations({
    host: { dataFolder: folder, fetch: globalThis.fetch },
    secrets: createInMemorySecretStore(),
    knownSecrets: createKnownSecrets(),
    emit: () => undefined,
    logger: createSilentLogger(),
    random: () => 1,
    isMuted: () => false,
    readRecords: () => Promise.resolve([]),
    isPlanned: () => false,
    readWords: () => ENGLISH,
    ...options,
  });
}

export function toInput(address: string, change: Partial<Input<'destinations/save'>['draft']> = {}) {
  return {
    destinationId: null,
    address,
    draft: {
      name: 'Operations',
      isActive: true,
      kind: 'webhook' as const,
      connectionId: null,
      text: '',
      remindMinutes: null,
      ...change,
    },
  };
}

export function toAlert(place: number, change: Partial<OutgoingAlert> = {}): OutgoingAlert {
  return {
    ruleId: `rule-${place}`,
    connectionId: 'one',
    kind: 'fired',
    name: `Rule ${place}`,
    text: 'Error share 12% for 10 minutes.',
    connection: 'Production',
    sinceMs: place,
    atMs: place,
    ...change,
  };
}
