import type { Emit, EventArguments, EventName, EventPayload } from '../common/contract/index.ts';
import type { FoundUpdate, UpdateObstacle } from '../common/contract/operations/app.ts';
import type { OfferedFile } from '../common/contract/operations/files.ts';
import type { NetworkChoice } from '../common/model/settings/network.ts';
import type { ChildProcess } from '../node/fork-process.ts';
import type { DataLocation } from './data-folder/locate-data-folder.ts';

export type EventListener = (...event: EventArguments) => void;

/** Everything that happens in the core: features emit, features and carriers listen. */
export interface Events {
  readonly emit: Emit;
  /** Notifies `listener` of every event with this name, until the returned function is called. */
  on<Name extends EventName>(name: Name, listener: (payload: EventPayload<Name>) => void): () => void;
  /** Notifies `listener` of every event, until the returned function is called. */
  onAny(listener: EventListener): () => void;
  /** Ends all listening. */
  close(): void;
}

/** Creates the events of one core. Listeners are notified in the order in which they began to listen. */
export function createEvents(): Events {
  const listeners = new Set<EventListener>();
  const onAny = (listener: EventListener): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    emit: (...event) => {
      for (const listener of listeners) listener(...event);
    },
    on: (wanted, listener) =>
      onAny((name, payload) => {
        if (name === wanted) listener(payload as EventPayload<typeof wanted>);
      }),
    onAny,
    close: () => listeners.clear(),
  };
}

/** By then the first picture of a window is there, also on a slow computer. */
export const CALM_MS = 2_000;

/** Everything that the core needs of the program it runs in. Three hosts fulfil it: the desktop, the web, and the command line. */
export interface Host {
  readonly kind: 'desktop' | 'web' | 'cli';
  readonly platform: 'macos' | 'windows' | 'linux';
  readonly version: string;
  /** Absolute path of this profile's folder; exists, and only its owner can read it. */
  readonly dataFolder: string;
  /** Gives the folder up, where the host claimed it before the core; else the core claims it itself. */
  readonly releaseFolder?: () => void;
  /** How that folder was found. */
  readonly location: DataLocation;
  /** Languages that the person reads, as the system or the browser lists them (BCP 47, the preferred one first). */
  listLanguages(): readonly string[];
  /** Network access: the desktop's follows the system's proxy and certificates. Never follows redirects by itself. */
  readonly fetch: typeof globalThis.fetch;
  /** The same for one connection: what others wait for must not keep it waiting. */
  fetchFor(connectionId: string): typeof globalThis.fetch;
  /** Says who answers proxies that ask who is calling; a host whose network needs no such answers ignores it. */
  useProxyLogins(logins: ProxyLogins): void;
  /** Reaches services from now on as a person chose it; rejects where that can't be. */
  useNetwork(network: NetworkChoice): Promise<void>;
  /** Scripts of the threads and processes that the core starts; a built host and one run from source keep them elsewhere. */
  readonly workers: {
    readonly cache: URL;
    readonly service: URL;
    readonly engine: URL;
    /** Reads files that are imported. */
    readonly imports: URL;
    /** Writes files of rows. */
    readonly rows: URL;
  };
  /** Starts a script in a process of its own, with one argument. */
  startProcess(script: URL, argument: string): ChildProcess;
  /** Absolute path to write an export to, or null when the user closed the dialog. */
  chooseExportTarget(suggestedName: string): Promise<string | null>;
  /**
   * Prints an HTML file, which needs no script, to a PDF file. Rejects with `exports.no-browser` where nothing can, with
   * `exports.print-failed`, and with the signal's reason when aborted.
   */
  printPdf(source: string, target: string, signal: AbortSignal): Promise<void>;
  /** Absolute path of a folder that files are kept in from now on, or null when the user closed the dialog. */
  chooseFolder(
    suggestedName: string,
    purpose: 'datasets' | 'schedules' | 'shared' | 'data',
  ): Promise<string | null>;
  /** Shows a finished export; returns a path to download it from where the window is in a browser, else null. */
  revealExport(path: string): Promise<string | null>;
  /** Shows a folder of the profile; false where the system has no program for that. */
  revealFolder(path: string): Promise<boolean>;
  /** Puts text on the system's clipboard; false where only the page of a browser can. */
  copyText(text: string): Promise<boolean>;
  /**
   * Shows a notification of the system, and calls `onOpen` when the person clicks it, with the window in front. `page`
   * where the window's page has to show it. `onRefused` gets the system's reason where it turns out later that it shows none.
   */
  showNote(
    note: { readonly title: string; readonly body: string },
    onOpen: () => void,
    onRefused: (reason: string) => void,
  ): ShownNote;
  /** Shows how much needs attention on the application's icon, where the system has a place for it. */
  showBadge(count: number): void;
  /**
   * A file of records to import: the one that the browser sent under `uploadId`, or (null) one that the
   * user chooses in a dialog. Null when nothing was chosen or nothing was sent.
   */
  chooseImportFile(uploadId: string | null): Promise<ImportFile | null>;
  /** The file that the person last opened with the application, once, under an id for `chooseImportFile`; else null. */
  takeOpenedFile(): Promise<OfferedFile | null>;
  /** Opens one more window at a place of the router; false where windows are not the host's. */
  openWindow(place: string): boolean;
  /** Leads the person back who started the application once more while it runs; null where that is not the host's. */
  comeBack(): WayBack | null;
  /** Ends the application and starts it without `--safe`; false where only the person can. */
  startNormally(): boolean;
  /** Ends the application in order and starts it as before; false where only the person can. */
  startAgain(): boolean;
  /** Where newer versions of the application come from, or why none can be had here. */
  readonly updates: UpdateSource | UpdateObstacle;
}

/** Finds, downloads and installs newer versions. */
export interface UpdateSource {
  /** The newest version, where it is newer than this one. Rejects with `updates.unreachable`. */
  find(): Promise<FoundUpdate | null>;
  /**
   * Downloads what was found last, and checks that it is what the release names. Rejects with `updates.unreachable` or
   * `updates.refused`, also when aborted.
   */
  download(onProgress: (doneBytes: number, totalBytes: number) => void, signal: AbortSignal): Promise<void>;
  /** Ends the application in order, installs what was downloaded, and starts it. */
  install(): void;
}

/** What a proxy is told. */
export interface ProxyLogin {
  readonly userName: string;
  readonly password: string;
}

/** Knows the logins of proxies. */
export interface ProxyLogins {
  /** The login for a proxy (host and port) that asks a request for the `attempt`-th time, from 1; null gives none. */
  find(question: {
    readonly proxy: string;
    readonly realm: string;
    readonly attempt: number;
  }): Promise<ProxyLogin | null>;
  /** Says whether a proxy let a request through with the login that it was given, or that nobody knows. */
  note(proxy: string, outcome: 'accepted' | 'unknown'): void;
}

/** A file that the core may read until it releases it. */
export interface ImportFile {
  readonly path: string;
  /** The file's name as the user knows it. */
  readonly name: string;
  /** Removes what was only made for the import. */
  release(): Promise<void>;
}

/** A window that came to the front, or an address for a browser, which opens the application once. */
export type WayBack =
  | { readonly kind: 'window' }
  | { readonly kind: 'address'; readonly url: string; readonly isolatedUrl: string };

/** What became of a notification. */
export type ShownNote = 'computer' | 'page' | 'failed';
