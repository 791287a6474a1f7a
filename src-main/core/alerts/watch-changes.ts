import type { AlertRule } from '../../common/model/alerts/alert-rule.ts';
import type { Events } from '../events.ts';

/** Pages come many times a second: what they change is judged together. */
const SOON_MS = 5_000;
const EVERY_MS = 60_000;
/** Events after which records may be new or gone. */
const CHANGES_OF_RECORDS = /^(?:snapshots|downloads|tasks)\//;

export interface ChangeWatch {
  /** Has the rules of a connection judged soon. */
  request(connectionId: string): void;
  stop(): void;
}

/** Calls `check` soon after records or samples came, and once a minute: then for all rules. */
export function watchChanges(options: {
  readonly events: Pick<Events, 'onAny'>;
  listConnections(): Promise<readonly { readonly id: string }[]>;
  check(isDue: (rule: AlertRule) => boolean): Promise<void>;
  /** Connections that were there and are no longer. */
  forget(connectionIds: ReadonlySet<string>): Promise<void>;
}): ChangeWatch {
  let there: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | null = null;
  let recordsOfAll = false;
  const touched = new Set<string>();
  const checked = new Set<string>();

  const run = (): void => {
    timer = null;
    const [all, records, status] = [recordsOfAll, new Set(touched), new Set(checked)];
    recordsOfAll = false;
    touched.clear();
    checked.clear();
    void options.check(({ connectionId, condition: { kind } }) => {
      const isOfRecords = kind !== 'down' && (all || records.has(connectionId));
      return isOfRecords || ((kind === 'down' || kind === 'finding') && status.has(connectionId));
    });
  };
  const request = (): void => {
    timer ??= setTimeout(run, SOON_MS).unref();
  };
  const follow = (now: ReadonlySet<string>): void => {
    const gone = new Set([...there].filter((id) => !now.has(id)));
    there = now;
    if (gone.size > 0) void options.forget(gone);
  };
  void options.listConnections().then((list) => {
    if (there.size === 0) follow(new Set(list.map(({ id }) => id)));
  });
  const stopListening = options.events.onAny((...event) => {
    const [name, payload] = event;
    if (name === 'connections/changed') follow(new Set(payload.map(({ id }) => id)));
    else if (name === 'status/checked') checked.add(payload.connectionId);
    else if (name === 'snapshots/changed') touched.add(payload.connectionId);
    else if (CHANGES_OF_RECORDS.test(name)) recordsOfAll = true;
    else return;
    request();
  });
  const minutes = setInterval(() => void options.check(() => true), EVERY_MS).unref();

  return {
    request: (connectionId) => {
      touched.add(connectionId);
      checked.add(connectionId);
      request();
    },
    stop() {
      stopListening();
      clearInterval(minutes);
      if (timer !== null) clearTimeout(timer);
    },
  };
}
