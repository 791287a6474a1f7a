import { AppError } from '../../common/contract/errors.ts';
import type { HandlersOf } from '../../common/contract/index.ts';
import { isTimeZone } from '../../common/time/civil-time.ts';
import type { Engine } from './engine/create-engine.ts';

/** The handlers of `analysis/…`: what is computed from cached records, with the network gone too. */
export function createAnalysisHandlers({ engine }: { readonly engine: Engine }): HandlersOf<'analysis'> {
  return {
    'analysis/group-records': (question) => engine.groupRecords(question),
    'analysis/read-series': (question) => {
      const { edges } = question;
      if (edges.some((edge, place) => edge <= (edges[place - 1] ?? -Infinity)))
        throw new AppError('app.invalid-input', 'The edges of a series must rise.', {});
      return engine.readSeries(question);
    },
    'analysis/read-heat-map': (question) => {
      const { zone } = question;
      if (!isTimeZone(zone)) throw new AppError('app.invalid-input', 'There is no such time zone.', { zone });
      return engine.readHeatMap(question);
    },
    'analysis/read-distribution': (question) => engine.readDistribution(question),
    'analysis/explain': (question) => engine.explain(question),
  };
}
