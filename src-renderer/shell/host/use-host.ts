import { ref, shallowRef, type Ref } from 'vue';
import { useRoute } from 'vue-router';
import { useBackend } from '../../backend/backend.ts';
import { useStatusStore } from '../../stores/connections/status.ts';

/** Whether the host still responds. */
export interface HostState {
  readonly isGone: Readonly<Ref<boolean>>;
  /** How often it came back: what was read before may be out of date. */
  readonly returns: Readonly<Ref<number>>;
}

/** Watches the host, and reads everything again with `load` when it is back after a gap. */
export function useHost(load: () => Promise<void>): HostState {
  const backend = useBackend();
  const route = useRoute();
  const status = useStatusStore();
  const isGone = ref(false);
  const returns = shallowRef(0);

  async function readAgain(): Promise<void> {
    // A failure shows on the screens, and the next gap comes back here.
    await load().catch(() => undefined);
    void status.refresh();
    // Typed secrets are kept nowhere but in their form.
    if (route.name !== 'connections') returns.value += 1;
  }
  backend.watchHost?.((isThere, hasMissed) => {
    isGone.value = !isThere;
    if (!isThere) return;
    // After a short silence the events go on where they were: what is shown is up to date, and stays.
    if (hasMissed) void readAgain();
    else void status.refresh();
  });
  return { isGone, returns };
}
