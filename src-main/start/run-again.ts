import type { DataLocation } from '../core/data-folder/locate-data-folder.ts';
import { readKeptPlace, writeKeptPlace } from '../web/web-sessions.ts';
import type { Launch } from '../web/web-server.ts';
import type { WebApplication } from '../web/start-web-application.ts';

/** An answer is sent by then. */
const ANSWER_MS = 300;

/** A server that is started anew in this process, with the data folder that was chosen meanwhile. */
export interface Rerun {
  readonly first: Promise<WebApplication>;
  /** Returns at once; whoever asked is told before it ends. */
  startAgain(): boolean;
  /** A way in to the one that runs. */
  createLaunch(): Promise<Launch>;
  stop(): Promise<void>;
}

/**
 * Starts a server. When it is started again it is served at the place that open pages know, with their sessions.
 * `onFailure` gets what keeps it from starting again.
 */
export function runAgain(
  start: (location: DataLocation) => Promise<WebApplication>,
  location: DataLocation,
  locate: () => DataLocation,
  onFailure: (error: unknown) => void,
): Rerun {
  let used = location;
  let isBusy = false;
  let isStopping = false;
  const first = start(location);
  let running = first;
  const renew = async (): Promise<WebApplication> => {
    await (await running).stop();
    const before = used;
    used = locate();
    // A copy of the data folder has the sessions of the moment in which it began.
    if (used.folder !== before.folder) writeKeptPlace(used.folder, readKeptPlace(before.folder));
    const application = await start(used);
    await application.whenReady;
    return application;
  };
  return {
    first,
    startAgain() {
      if (isBusy) return true;
      isBusy = true;
      setTimeout(() => {
        if (isStopping) return;
        running = renew();
        running.then(
          () => {
            isBusy = false;
          },
          (error: unknown) => onFailure(error),
        );
      }, ANSWER_MS);
      return true;
    },
    createLaunch: async () => (await running).createLaunch(),
    async stop() {
      isStopping = true;
      await (await running).stop();
    },
  };
}
