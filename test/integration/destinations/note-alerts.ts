import { createInMemorySecretStore } from '../../../src-main/core/secrets/in-memory-secret-store.ts';
import { openDestinations, toAlert, toInput } from './destination-rig.ts';

/** Notes so many alerts, one after the other, and sends them until somebody kills it. */
const [folder = '', address = '', count = '0'] = process.argv.slice(2);
const secrets = createInMemorySecretStore();
// Seconds pass in milliseconds.
const destinations = await openDestinations(folder, { now: () => Date.now() * 1000, secrets });
const known = (await destinations.list())[0];
if (known === undefined) await destinations.save(toInput(address));
else await secrets.set(`destination ${known.destination.id}`, 'destinationAddress', address);
process.stdout.write('ready\n');
for (let place = 1; place <= Number(count); place += 1) {
  await destinations.note([toAlert(place)]);
  await new Promise((resolve) => setTimeout(resolve, 12));
  await destinations.look();
}
for (;;) {
  await destinations.look();
  const waiting = (await destinations.list())[0]?.deliveries.some(({ state }) => state === 'waiting');
  if (waiting !== true) break;
  await new Promise((resolve) => setTimeout(resolve, 5));
}
