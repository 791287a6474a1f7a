import { onScopeDispose } from 'vue';
import { useRouter } from 'vue-router';
import { useBackend } from '../../backend/backend.ts';

/** Goes to the places of links that are opened elsewhere. Nothing is done there but shown. */
export function useOpenedPlaces(): void {
  const backend = useBackend();
  const router = useRouter();
  onScopeDispose(backend.on('app/place-opened', ({ place }) => void router.push(place)));
}
