import type { CommandLine } from '../../../src-main/common/model/alerts/destination.ts';
import { toCommandMark } from '../../../src-main/core/destinations/send-message.ts';
import { createInMemorySecretStore } from '../../../src-main/core/secrets/secret-store.ts';
import { openDestinations, toAlert, toInput } from './destination-rig.ts';

/** Notes so many alerts, one after the other, and sends them to an address or a command until somebody kills it. */
const [folder = '', place = '', count = '0'] = process.argv.slice(2);
const command = place.startsWith('{') ? (JSON.parse(place) as CommandLine) : null;
const secrets = createInMemorySecretStore();
// Seconds pass in milliseconds.
const destinations = await openDestinations(folder, { now: () => Date.now() * 1000, secrets });
const known = (await destinations.list())[0];
if (known === undefined)
  await destinations.save(toInput(place, command === null ? {} : { kind: 'command', command }));
else if (command === null)
  await secrets.set(`destination ${known.destination.id}`, 'destinationAddress', place);
else await secrets.set(`destination ${known.destination.id}`, 'destinationCommand', toCommandMark(command));
process.stdout.write('ready\n');
for (let number = 1; number <= Number(count); number += 1) {
  await destinations.note([toAlert(number)]);
  await new Promise((resolve) => setTimeout(resolve, 12));
  await destinations.look();
}
for (;;) {
  await destinations.look();
  const waiting = (await destinations.list())[0]?.deliveries.some(({ state }) => state === 'waiting');
  if (waiting !== true) break;
  await new Promise((resolve) => setTimeout(resolve, 5));
}
