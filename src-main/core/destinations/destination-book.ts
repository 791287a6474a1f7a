import { join } from 'node:path';
import { AppError } from '../../common/contract/errors.ts';
import { Delivery, Destination } from '../../common/model/alerts/destination.ts';
import { openListFile } from '../documents/list-file.ts';
import type { Logger } from '../logging/logger.ts';

/** Messages that are kept of a destination; those that wait always are. */
export const KEPT_DELIVERIES = 100;

/** The destinations of a data folder, and their messages: those that wait, and what became of the last ones. */
export interface DestinationBook {
  list(): readonly Destination[];
  /** Throws `destinations.not-found`. */
  get(destinationId: string): Destination;
  save(destination: Destination): Promise<void>;
  /** Removes its messages as well. */
  remove(destinationId: string): Promise<void>;
  /** Oldest first. */
  listDeliveries(destinationId: string): readonly Delivery[];
  /** Puts several messages in the place of one. */
  split(deliveryId: string, parts: readonly Delivery[]): Promise<void>;
  /** Adds messages, or changes those with their ids; settles once they are on the disk. */
  note(deliveries: readonly Delivery[]): Promise<void>;
}

/** Opens `destinations.json` and `alert-deliveries.json`. */
export async function openDestinationBook(options: {
  readonly folder: string;
  readonly logger: Logger;
  now(): number;
}): Promise<DestinationBook> {
  const { folder } = options;
  const file = await openListFile({
    ...options,
    path: join(folder, 'destinations.json'),
    schema: Destination,
  });
  const deliveryFile = await openListFile({
    ...options,
    path: join(folder, 'alert-deliveries.json'),
    schema: Delivery,
  });
  let destinations = file.entries;
  let deliveries = deliveryFile.entries;

  const saveDestinations = async (next: readonly Destination[]): Promise<void> => {
    await file.save(next);
    destinations = next;
  };
  const saveDeliveries = async (next: readonly Delivery[]): Promise<void> => {
    // Before the file is written: what is noted meanwhile builds on it.
    deliveries = next;
    await deliveryFile.save(next);
  };
  const listDeliveries = (destinationId: string): readonly Delivery[] =>
    deliveries.filter((delivery) => delivery.destinationId === destinationId);

  return {
    list: () => destinations,
    get(destinationId) {
      const found = destinations.find(({ id }) => id === destinationId);
      if (found !== undefined) return found;
      throw new AppError('destinations.not-found', 'There is no such destination.', { destinationId });
    },
    save: (destination) =>
      saveDestinations(
        [...destinations.filter(({ id }) => id !== destination.id), destination].toSorted(byName),
      ),
    async remove(destinationId) {
      await saveDestinations(destinations.filter(({ id }) => id !== destinationId));
      await saveDeliveries(deliveries.filter((delivery) => delivery.destinationId !== destinationId));
    },
    listDeliveries,
    split: (deliveryId, parts) =>
      saveDeliveries(deliveries.flatMap((delivery) => (delivery.id === deliveryId ? parts : [delivery]))),
    async note(noted) {
      const changed = new Map(noted.map((delivery) => [delivery.id, delivery]));
      const known = new Set(deliveries.map(({ id }) => id));
      const next = [
        ...deliveries.map((delivery) => changed.get(delivery.id) ?? delivery),
        ...noted.filter(({ id }) => !known.has(id)),
      ];
      const dropped = new Set<Delivery>();
      for (const own of Map.groupBy(next, ({ destinationId }) => destinationId).values()) {
        const done = own.filter(({ state }) => state !== 'waiting');
        for (const delivery of done.slice(0, -KEPT_DELIVERIES)) dropped.add(delivery);
      }
      await saveDeliveries(next.filter((delivery) => !dropped.has(delivery)));
    },
  };
}

function byName(a: Destination, b: Destination): number {
  return a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1);
}
