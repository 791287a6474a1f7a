const CHANNEL = 'channelscope.session';
const MAX_WAIT_MS = 1_000;

/** As much of a broadcast channel as is used: it reaches the other tabs of the same place, and nobody else. */
type Channel = Pick<BroadcastChannel, 'postMessage' | 'close' | 'addEventListener'>;
export type OpenChannel = (name: string) => Channel;

type Message = { readonly asks: true } | { readonly token: string };

/** Asks the other tabs of this application for their session; null where none answers. */
export async function askForSession(openChannel: OpenChannel): Promise<string | null> {
  const channel = openChannel(CHANNEL);
  try {
    return await new Promise<string | null>((resolve) => {
      channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
        if ('token' in data) resolve(data.token);
      });
      setTimeout(() => resolve(null), MAX_WAIT_MS);
      channel.postMessage({ asks: true } satisfies Message);
    });
  } finally {
    channel.close();
  }
}

/**
 * Gives this tab's session to tabs that are opened beside it, or that the browser opens as an installed application.
 * `findToken` returns null while it is not certain who serves this place.
 */
export function shareSession(openChannel: OpenChannel, findToken: () => string | null): () => void {
  const channel = openChannel(CHANNEL);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const token = findToken();
    if ('asks' in data && token !== null) channel.postMessage({ token } satisfies Message);
  });
  return () => channel.close();
}
