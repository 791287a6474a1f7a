import { onMounted, onScopeDispose, shallowRef } from 'vue';
import type { ProxyChallenge } from '../../../src-main/common/contract/operations/app.ts';
import { useBackend } from '../../backend/backend.ts';

/** The proxy that waits for a login, and whether its dialog is open: it opens by itself at each new question. */
export function useProxyLogin() {
  const backend = useBackend();
  const challenge = shallowRef<ProxyChallenge | null>(null);
  const isOpen = shallowRef(false);

  const show = (next: ProxyChallenge | null): void => {
    challenge.value = next;
    isOpen.value = next !== null;
  };
  onScopeDispose(backend.on('app/proxy-challenge-changed', show));
  // Without an answer nothing is known to wait.
  onMounted(() => void backend.call('app/read-proxy-challenge', null).then(show, () => undefined));

  async function signIn(userName: string, password: string): Promise<void> {
    if (challenge.value === null) return;
    await backend.call('app/sign-in-to-proxy', { proxy: challenge.value.proxy, userName, password });
  }

  return { challenge, isOpen, signIn };
}
