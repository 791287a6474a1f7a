import { app, clipboard, dialog, shell, type BrowserWindow, type OpenDialogOptions } from 'electron';
import { basename, extname } from 'node:path';
import { FORMATS, IMPORTED_EXTENSIONS, IMPORTED_FORMATS } from '../common/model/exports/export-options.ts';
import type { Words } from '../common/words/words.ts';
import type { DataLocation, HostPlatform } from '../core/data-folder/locate-data-folder.ts';
import type { Host, ImportFile } from '../core/host.ts';
import { createNotes } from './attention/show-notes.ts';
import type { OpenedFile } from './links/follow-links.ts';
import type { OfferedFiles } from './app-protocol.ts';
import { printDocument } from './window.ts';
import { startUtilityProcess } from './utility-process.ts';

/** Shows a dialog for the file of an export; null when the user closed it. */
async function askForTarget(window: BrowserWindow | null, suggestedName: string): Promise<string | null> {
  const extension = extname(suggestedName).slice(1);
  const options = {
    defaultPath: suggestedName,
    filters: extension === '' ? [] : [{ name: extension.toUpperCase(), extensions: [extension] }],
  };
  const choice =
    window === null ? await dialog.showSaveDialog(options) : await dialog.showSaveDialog(window, options);
  return choice.canceled || choice.filePath === '' ? null : choice.filePath;
}

/** Shows a dialog for a folder, one that is there or a new one; null when the user closed it. */
async function askForFolder(window: BrowserWindow | null): Promise<string | null> {
  const options: OpenDialogOptions = { properties: ['openDirectory', 'createDirectory'] };
  const choice =
    window === null ? await dialog.showOpenDialog(options) : await dialog.showOpenDialog(window, options);
  return choice.canceled ? null : (choice.filePaths[0] ?? null);
}

/** Shows a dialog for a file of records; null when the user closed it. */
async function askForImport(window: BrowserWindow | null): Promise<ImportFile | null> {
  const options: OpenDialogOptions = {
    properties: ['openFile'],
    filters: [
      {
        name: [...IMPORTED_FORMATS.map((format) => FORMATS[format].name), 'Channelscope'].join(', '),
        extensions: [...IMPORTED_EXTENSIONS],
      },
      { name: '*', extensions: ['*'] },
    ],
  };
  const choice =
    window === null ? await dialog.showOpenDialog(options) : await dialog.showOpenDialog(window, options);
  const path = choice.canceled ? undefined : choice.filePaths[0];
  if (path === undefined) return null;
  // The user's own file stays where it is.
  return { path, name: basename(path), release: () => Promise.resolve() };
}

/** The host that Electron provides: dialogs, the clipboard and the network of the system. */
export function createDesktopHost(options: {
  platform: HostPlatform;
  version: string;
  location: DataLocation;
  fetchFor: Host['fetchFor'];
  useProxyLogins: Host['useProxyLogins'];
  useNetwork: Host['useNetwork'];
  workers: Host['workers'];
  /** The window to show dialogs in, where one is open. */
  findWindow: () => BrowserWindow | null;
  /** Files that were dropped on it, or opened. */
  offered: Pick<OfferedFiles, 'find'>;
  /** The newest of those that were opened. */
  openedFile: Pick<OpenedFile, 'take'>;
  /** Brings the window to the front, and opens it where it was closed. */
  showWindow: () => void;
  /** What is said outside of the window. */
  readWords: () => Words;
  /** Opens one more window at a place. */
  openAnother: (place: string) => void;
  startNormally: () => void;
  startAgain: () => void;
  updates: Host['updates'];
}): Host {
  const { platform, version, location, fetchFor, useProxyLogins, useNetwork, workers } = options;
  const { findWindow, offered, openedFile } = options;
  return {
    kind: 'desktop',
    platform,
    version,
    dataFolder: location.folder,
    location,
    listLanguages: () => app.getPreferredSystemLanguages(),
    fetch: fetchFor(''),
    fetchFor,
    useProxyLogins,
    useNetwork,
    workers,
    startProcess: startUtilityProcess,
    chooseExportTarget: (suggestedName) => askForTarget(findWindow(), suggestedName),
    printPdf: printDocument,
    chooseFolder: () => askForFolder(findWindow()),
    revealExport: (path) => {
      shell.showItemInFolder(path);
      return Promise.resolve(null);
    },
    revealFolder: (path) => {
      shell.showItemInFolder(path);
      return Promise.resolve(true);
    },
    copyText: async (text) => {
      await clipboard.writeText(text);
      return true;
    },
    ...createNotes(options),
    chooseImportFile: (uploadId) =>
      uploadId === null ? askForImport(findWindow()) : Promise.resolve(offered.find(uploadId)),
    takeOpenedFile: () => openedFile.take(),
    openWindow: (place) => {
      options.openAnother(place);
      return true;
    },
    comeBack: () => {
      options.showWindow();
      return { kind: 'window' };
    },
    startNormally: () => {
      options.startNormally();
      return true;
    },
    startAgain: () => {
      options.startAgain();
      return true;
    },
    updates: options.updates,
  };
}
