import type { HandlersOf } from '../../common/contract/index.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import type { FollowingService } from './create-following.ts';

/** The handlers of `following/…`. */
export function createFollowingHandlers(parts: {
  readonly connections: Pick<ConnectionStore, 'saveFollowed'>;
  readonly following: Pick<FollowingService, 'list' | 'wake'>;
}): HandlersOf<'following'> {
  const { connections, following } = parts;
  return {
    'following/list': () => following.list(),
    'following/switch': async ({ connectionId, followed }) => {
      await connections.saveFollowed(connectionId, followed);
      return following.wake(connectionId);
    },
  };
}
