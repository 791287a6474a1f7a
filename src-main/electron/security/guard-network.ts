import { app, dialog, type BrowserWindow, type Certificate } from 'electron';
import type { Words } from '../../common/words/words.ts';
import type { Logger } from '../../core/logging/logger.ts';

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
