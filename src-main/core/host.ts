import type { ChildProcess } from '../node/fork-process.ts';

/** Everything that the core needs of the program it runs in. Two hosts fulfil it: the desktop and the web. */
export interface Host {
  readonly kind: 'desktop' | 'web';
  readonly platform: 'macos' | 'windows' | 'linux';
  readonly version: string;
  /** Absolute path of this profile's folder; exists, and only its owner can read it. */
  readonly dataFolder: string;
  /** Network access: the desktop's follows the system's proxy and certificates. Never follows redirects by itself. */
  readonly fetch: typeof globalThis.fetch;
  /** Scripts of the threads and processes that the core starts; a built host and one run from source keep them elsewhere. */
  readonly workers: { readonly cache: URL; readonly service: URL; readonly engine: URL };
  /** Starts a script in a process of its own, with one argument. */
  startProcess(script: URL, argument: string): ChildProcess;
  /** Absolute path to write an export to, or null when the user closed the dialog. */
  chooseExportTarget(suggestedName: string): Promise<string | null>;
  /** Shows a finished export; returns a path to download it from where the window is in a browser, else null. */
  revealExport(path: string): Promise<string | null>;
  /** Shows a folder of the profile; false where the system has no program for that. */
  revealFolder(path: string): Promise<boolean>;
  /** Puts text on the system's clipboard; false where only the page of a browser can. */
  copyText(text: string): Promise<boolean>;
  /**
   * A file of records to import: the one that the browser sent under `uploadId`, or (null) one that the
   * user chooses in a dialog. Null when nothing was chosen or nothing was sent.
   */
  chooseImportFile(uploadId: string | null): Promise<ImportFile | null>;
}

/** A file that the core may read until it releases it. */
export interface ImportFile {
  readonly path: string;
  /** The file's name as the user knows it. */
  readonly name: string;
  /** Removes what was only made for the import. */
  release(): Promise<void>;
}
