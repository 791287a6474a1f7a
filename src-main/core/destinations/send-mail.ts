import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection, { type SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import type { MailServer } from '../../common/model/alerts/destination.ts';
import { toVisible } from '../../common/words/visible-text.ts';
import { rejectOnAbort } from '../calls/calls.ts';
import { mapNetworkError } from '../client/map-network-error.ts';
import { MAX_ANSWER_CHARACTERS, type PostResult } from './send-message.ts';

/** From the start until the server has taken the message. */
const LIMIT_MS = 30_000;
const MAX_SUBJECT_CHARACTERS = 150;
/** Most bytes of one answer of a server that are read. */
const MAX_ANSWER_BYTES = 4096;

interface Mail {
  readonly server: MailServer;
  /** Null for a server that takes messages from everybody. */
  readonly login: { readonly user: string; readonly password: string } | null;
  /** The same however often it is tried. */
  readonly id: string;
  readonly text: string;
  readonly notedAtMs: number;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  readonly cleanText: (text: string) => string;
}

/**
 * Sends an e-mail once, over TLS that is checked unless the server is on this computer. A temporary refusal (4xx) and an
 * error of the network are tried again, a refusal for good (5xx) isn't. Rejects only when aborted.
 */
export async function sendMail(mail: Mail): Promise<PostResult> {
  const { server, cleanText } = mail;
  const { host, port, security } = server;
  const isPlain = security === 'plain';
  const connection = new SMTPConnection({
    // What is called localhost is looked up nowhere: nothing that isn't encrypted leaves this computer.
    host: isPlain && host === 'localhost' ? '127.0.0.1' : host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: isPlain,
    // The name of this computer is nobody's business.
    name: '[127.0.0.1]',
    socketCloseTimeout: 0,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
  const signal = AbortSignal.any([mail.signal, AbortSignal.timeout(mail.limitMs ?? LIMIT_MS)]);
  const toAnswer = (text: string): string =>
    toVisible(cleanText(text).replace(/\s+/gu, ' ').trim()).slice(0, MAX_ANSWER_CHARACTERS);
  try {
    const message = await compose(mail);
    const sent = await rejectOnAbort(talk(connection, mail, message), signal);
    const rejected = sent.rejected.length === 0 ? '' : `; refused: ${sent.rejected.join(', ')}`;
    connection.quit();
    return { outcome: 'sent', answer: toAnswer(`${sent.response}${rejected}`), retryAfterMs: null };
  } catch (error) {
    if (mail.signal.aborted) throw error;
    const { response, responseCode, code, originalCode } = toFault(error);
    if (responseCode !== undefined && responseCode >= 400) {
      const outcome = responseCode < 500 ? 'retry' : 'failed';
      return { outcome, answer: toAnswer(response ?? String(responseCode)), retryAfterMs: null };
    }
    // A server that offers no TLS today may be another one.
    const cause = code === 'ETLS' ? { code: originalCode ?? 'EPROTO' } : { code: originalCode ?? code };
    const { code: answer } = mapNetworkError(
      signal.aborted ? signal.reason : Object.assign(new Error(), cause),
    );
    return { outcome: 'retry', answer, retryAfterMs: null };
  } finally {
    connection.close();
  }
}

function compose({ server, id, text, notedAtMs }: Mail): Promise<Buffer> {
  const [first = '', ...others] = text.split('\n');
  const more = others.length === 0 ? '' : ` (+${others.length})`;
  const composer = new MailComposer({
    from: { name: 'Channelscope', address: server.from },
    to: server.to.map((address) => ({ name: '', address })),
    subject: `${toLine(first).slice(0, MAX_SUBJECT_CHARACTERS)}${more}`,
    text,
    messageId: `<${id}@channelscope.invalid>`,
    date: new Date(notedAtMs),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Channelscope-Delivery': id },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Names are written by people: what would end a line is none of a header's. */
function toLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

function talk(
  connection: SMTPConnection,
  { server, login }: Pick<Mail, 'server' | 'login'>,
  message: Buffer,
): Promise<SMTPConnectionSendInfo> {
  return new Promise((resolve, reject) => {
    connection.on('error', reject);
    connection.on('end', () =>
      reject(Object.assign(new Error('The connection ended.'), { code: 'ECONNRESET' })),
    );
    const send = (): void =>
      connection.send({ from: server.from, to: [...server.to] }, message, (error, sent) => {
        if (error === null) resolve(sent);
        else reject(error);
      });
    connection.connect((refused) => {
      if (refused) reject(refused);
      else if (login === null) send();
      else
        connection.login({ user: login.user, pass: login.password }, (error) => {
          if (error === null) send();
          else reject(error);
        });
    });
  });
}

interface Fault {
  readonly code?: string;
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

function toFault(error: unknown): Fault {
  return error instanceof Error ? (error as Error & Fault) : {};
}
