import type { Emit } from '../../../../common/contract/index.ts';
import type { Engine } from '../create-engine.ts';

/** The engine takes about a second for as many records. */
const MIN_SHOWN_BEHIND = 100_000;

/** Sends how far the engine is, while it is so far behind that a person may notice. */
export function showFeed(engine: Engine, emit: Emit): void {
  let isShown = false;
  engine.watchFeed((progress) => {
    const isBehind = progress !== null && progress.total - progress.fed > MIN_SHOWN_BEHIND;
    if (!isBehind && !isShown) return;
    isShown = isBehind;
    emit('records/feed-changed', isBehind ? { fed: progress.fed, total: progress.total } : null);
  });
}
