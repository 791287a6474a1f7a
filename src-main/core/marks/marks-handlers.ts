import type { Emit, HandlersOf } from '../../common/contract/index.ts';
import type { Cache } from '../cache/cache.ts';

/** The handlers of `marks/…`. */
export function createMarksHandlers(parts: {
  readonly cache: Pick<Cache, 'changeMarks'>;
  readonly emit: Emit;
  now(): number;
}): HandlersOf<'marks'> {
  const { cache, emit, now } = parts;
  return {
    'marks/change': async ({ records, change }) => {
      await cache.changeMarks({ records, change, nowMs: now() });
      emit('marks/changed', null);
      return null;
    },
  };
}
