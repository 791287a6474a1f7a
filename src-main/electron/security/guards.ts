import {
  app,
  type BrowserWindow,
  type Certificate,
  dialog,
  type Session,
  shell,
  type WebContents,
} from 'electron';
import { isKnownPlace } from '../../common/links.ts';
import type { Words } from '../../common/words/words.ts';
import type { Logger } from '../../core/logging/logger.ts';
import { APP_ORIGIN, isAppPage } from '../app-protocol.ts';

/** A list with more would not fit on a screen; the system offers those that match first. */
const MAX_OFFERED = 8;

interface NetworkGuard {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly findWindow: () => BrowserWindow | null;
  readonly readWords: () => Words;
}

function describe({ subjectName, issuerName, validExpiry }: Certificate, { t }: Words): string {
  return t('desktop.certificate.offered', {
    name: subjectName === '' ? t('desktop.certificate.unnamed') : subjectName,
    issuer: issuerName,
    date: new Date(validExpiry * 1000).toISOString().slice(0, 10),
  });
}

/**
 * Lets the person decide what a service may learn about them: Chromium would present the system's first client
 * certificate to any service that asks. A page never gets a login, and a certificate that doesn't hold is never
 * accepted.
 */
export function guardNetwork({ logger, findWindow, readWords }: NetworkGuard): void {
  app.on('select-client-certificate', (event, _contents, place, certificates, choose) => {
    event.preventDefault();
    // Never left without an answer: the request would wait for good.
    void askForCertificate(findWindow, readHost(place), certificates, readWords).then(
      (certificate) => {
        logger.info('client certificate', { isPresented: certificate !== null });
        choose(certificate ?? undefined);
      },
      (error: unknown) => {
        logger.warn('no client certificate was asked for', { error });
        choose();
      },
    );
  });
  app.on('login', (event, _contents, details, info, answer) => {
    event.preventDefault();
    // Requests of the core answer proxies by themselves; a page has nobody to sign in as.
    logger.warn('a login was refused', { isProxy: info.isProxy, host: readHost(details.url) });
    answer();
  });
  app.on('certificate-error', (event, _contents, _url, error, _certificate, answer) => {
    event.preventDefault();
    logger.warn('a certificate was refused', { error });
    answer(false);
  });
}

/** The host of an address; Electron names some places as `host:port`, which is none, and is taken as it is. */
function readHost(place: string): string {
  const host = URL.parse(place)?.host ?? '';
  return host === '' ? place : host;
}

async function askForCertificate(
  findWindow: NetworkGuard['findWindow'],
  host: string,
  certificates: readonly Certificate[],
  readWords: NetworkGuard['readWords'],
): Promise<Certificate | null> {
  const offered = certificates.slice(0, MAX_OFFERED);
  if (offered.length === 0) return null;
  const [window, words] = [findWindow(), readWords()];
  const options = {
    type: 'question' as const,
    message: words.t('desktop.certificate.question', { host }),
    detail: words.t('desktop.certificate.why'),
    buttons: [
      words.t('desktop.certificate.none'),
      ...offered.map((certificate) => describe(certificate, words)),
    ],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  };
  const { response } = await (window === null
    ? dialog.showMessageBox(options)
    : dialog.showMessageBox(window, options));
  return response === 0 ? null : (offered[response - 1] ?? null);
}

/**
 * Keeps a window's contents on the one page they were made for: no other page, window or embedded view (E-12, E-13,
 * E-14). A link for a window of its own is refused, and its address passed on to `onLink`, which decides what it is.
 */
export function guardContents(contents: WebContents, onLink: (address: string) => void): void {
  contents.setWindowOpenHandler(({ url }) => {
    onLink(url);
    return { action: 'deny' };
  });
  contents.on('will-navigate', (event) => {
    if (!isAppPage(event.url)) event.preventDefault();
  });
  contents.on('will-frame-navigate', (event) => {
    // The application's page has no frames, so any frame is foreign.
    if (!event.isMainFrame || !isAppPage(event.url)) event.preventDefault();
  });
  contents.on('will-redirect', (event) => {
    event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => {
    event.preventDefault();
  });
}

/** Copying text, and filling the screen for a wall, is all that the window needs. */
const GRANTED = new Set(['clipboard-sanitized-write', 'fullscreen']);

/**
 * Denies whatever a page could ask of a session; Electron's own default is to grant. Both handlers are needed:
 * each covers requests that the other doesn't see (E-05).
 */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, callback, details) => {
    callback(GRANTED.has(permission) && details.isMainFrame && isAppPage(details.requestingUrl));
  });
  session.setPermissionCheckHandler(
    (_contents, permission, origin, details) =>
      GRANTED.has(permission) &&
      details.isMainFrame &&
      (origin === APP_ORIGIN || origin === `${APP_ORIGIN}/`),
  );
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, callback) => {
    // An empty object throws for a page that asked for a video.
    callback(null);
  });
}

/**
 * Opens a page of others in the browser, if it is one that the window leads to, and once the person has seen its
 * address (E-15). Everything else is passed over in silence: whoever sent it learns nothing.
 */
export function createPlaceOpener(
  findWindow: () => BrowserWindow | null,
  readWords: () => Words,
): (address: unknown) => Promise<void> {
  let isAsking = false;
  return async (address) => {
    // A page that asks again and again must not fill the screen with questions.
    if (!isKnownPlace(address) || isAsking) return;
    isAsking = true;
    try {
      if (await confirm(findWindow(), address, readWords())) await shell.openExternal(address);
    } finally {
      isAsking = false;
    }
  };
}

async function confirm(window: BrowserWindow | null, address: string, { t }: Words): Promise<boolean> {
  const options = {
    type: 'question' as const,
    message: t('desktop.place.question'),
    detail: address,
    buttons: [t('desktop.place.open'), t('desktop.place.cancel')],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  };
  const { response } = await (window === null
    ? dialog.showMessageBox(options)
    : dialog.showMessageBox(window, options));
  return response === 0;
}
