import type { HandlersOf } from '../../common/contract/index.ts';
import type { Datasets } from './open-datasets.ts';

/** The handlers of `datasets/…`. */
export function createDatasetsHandlers({
  datasets,
}: {
  readonly datasets: Datasets;
}): HandlersOf<'datasets'> {
  return {
    'datasets/list': () => datasets.list(),
    'datasets/add': (input) => datasets.add(input),
    'datasets/switch': ({ datasetId, isKept }) => datasets.switch(datasetId, isKept),
    'datasets/update': ({ datasetId }) => datasets.update(datasetId),
    'datasets/remove': async ({ datasetId }) => {
      await datasets.remove(datasetId);
      return null;
    },
  };
}
