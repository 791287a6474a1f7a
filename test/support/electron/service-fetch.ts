import type { Session } from 'electron';
import { createNetworkFetch } from '../../../src-main/electron/network/network-fetch.ts';
import { app } from './app.ts';
import { session } from './session.ts';
import { state } from './state.ts';

function createDesktopFetch(): typeof globalThis.fetch {
  if (!state.isReady) app.makeReady();
  return createNetworkFetch(session.fromPartition('faults', { cache: false }) as unknown as Session);
}

/** The network that tests of faults send their requests over: Node's, or the desktop's own code where they run again. */
export const isDesktopNetwork = process.env['CHANNELSCOPE_TEST_NETWORK'] === 'desktop';
export const serviceFetch: typeof globalThis.fetch = isDesktopNetwork
  ? createDesktopFetch()
  : (...input) => globalThis.fetch(...input);
