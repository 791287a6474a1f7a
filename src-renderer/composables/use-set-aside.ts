import type { Ref } from 'vue';
import type { SetAsideConnections } from '../../src-main/common/model/connections/connection.ts';
import { useBackend } from '../backend/backend.ts';
import { useQuery } from './use-query.ts';

/** Saved connections that can't be used; null until that is known. They only change when the application starts. */
export function useSetAside(): Readonly<Ref<SetAsideConnections | null>> {
  const backend = useBackend();
  return useQuery(
    () => null,
    () => backend.call('connections/list-set-aside', null),
  ).value;
}
