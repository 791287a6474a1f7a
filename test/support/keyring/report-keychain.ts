import { spawnSync } from 'node:child_process';
import { openSecretStore } from '../../../src-main/core/secrets/open-secret-store.ts';
import { createSilentLogger } from '../fakes/silent-logger.ts';

/*
 * Prints, as JSON, what the secret store says in the session it is started in. The session's bus is fixed
 * when a process starts, so each kind of session needs a process of its own. With the argument `lock`, the
 * keyring is locked after a secret was stored.
 */
const words = process.argv.slice(2);
const logger = createSilentLogger();
const options = { service: 'Channelscope report', timeoutMs: 5000, logger };

const { store, failure } = await openSecretStore(options);
const report: Record<string, unknown> = { kind: store.kind, failure: failure?.code ?? null };
if (words.includes('lock')) {
  await store.set('c1', 'accessToken', 'kept');
  lockKeyring();
  report['get'] = await readCode(store.get('c1', 'accessToken'));
  report['getAbsent'] = await readCode(store.get('c2', 'accessToken'));
  report['set'] = await readCode(store.set('c1', 'accessToken', 'new'));
  report['delete'] = await readCode(store.delete('c1', 'accessToken'));
  const again = await openSecretStore(options);
  report['reopened'] = { kind: again.store.kind, failure: again.failure?.code ?? null };
  report['reopenedGet'] = await readCode(again.store.get('c1', 'accessToken'));
}
process.stdout.write(`${JSON.stringify(report)}\n`);

async function readCode(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => ({ value: value ?? null }),
    (error: unknown) => (error as { code?: string }).code,
  );
}

function lockKeyring(): void {
  const method = 'org.freedesktop.Secret.Service.Lock';
  const keyring = 'array:objpath:/org/freedesktop/secrets/collection/login';
  const destination = '--dest=org.freedesktop.secrets';
  const { status } = spawnSync(
    'dbus-send',
    ['--session', '--print-reply', destination, '/org/freedesktop/secrets', method, keyring],
    { stdio: 'ignore' },
  );
  if (status !== 0) throw new Error('The keyring could not be locked.');
}
