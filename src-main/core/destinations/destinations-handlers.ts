import type { HandlersOf } from '../../common/contract/index.ts';
import type { Destinations } from './create-destinations.ts';

/** The handlers of `destinations/…`. */
export function createDestinationsHandlers({
  destinations,
}: {
  readonly destinations: Destinations;
}): HandlersOf<'destinations'> {
  return {
    'destinations/list': () => destinations.list(),
    'destinations/save': (input) => destinations.save(input),
    'destinations/remove': async ({ destinationId }) => {
      await destinations.remove(destinationId);
      return null;
    },
    'destinations/send-test': ({ destinationId }) => destinations.sendTest(destinationId),
    'destinations/preview': ({ draft }) => destinations.preview(draft),
  };
}
