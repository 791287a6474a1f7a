import {
  createPackSigner,
  type PackSigner,
} from '../../../src-main/core/exports/evidence/signing/pack-signature.ts';
import { createInMemorySecretStore, type SecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { createSilentLogger } from './silent-logger.ts';

/** A signer whose key is kept as long as the test: as by a keychain, or as where there is none. */
export function openPackSigner(
  kind: SecretStore['kind'] = 'keychain',
  change: Partial<SecretStore> = {},
): PackSigner {
  const secrets = { ...createInMemorySecretStore(), kind, ...change };
  return createPackSigner({ secrets, logger: createSilentLogger(), noteSecret: () => undefined });
}
