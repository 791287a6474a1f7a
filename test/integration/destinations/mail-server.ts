import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { MadeCertificate } from '../../support/network/make-certificate.ts';

/** One message as it was taken. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
  readonly user: string;
  readonly isSecure: boolean;
}

export interface MailRig {
  readonly port: number;
  readonly taken: TakenMail[];
  /** What the next messages are answered with; null takes them. */
  answer: { readonly code: number; readonly text: string } | null;
  /** The connection is cut once a message is there. */
  cutsAfterData: boolean;
  close(): Promise<void>;
}

/** Starts a real SMTP server on this computer. */
export async function startMailServer(
  options: {
    readonly certificate?: MadeCertificate;
    readonly login?: { user: string; password: string };
  } & Pick<SMTPServerOptions, 'secure' | 'hideSTARTTLS'>,
): Promise<MailRig> {
  const { certificate, login, ...own } = options;
  const taken: TakenMail[] = [];
  const sockets = new Set<{ destroy(): void }>();
  const rig = { answer: null as MailRig['answer'], cutsAfterData: false };
  const server = new SMTPServer({
    ...own,
    ...(certificate === undefined ? {} : { key: certificate.key, cert: certificate.cert }),
    ...(login === undefined ? { disabledCommands: ['AUTH'] } : { allowInsecureAuth: true }),
    logger: false,
    onAuth: (auth, _session, done) => {
      const isRight = auth.username === login?.user && auth.password === login?.password;
      // As some servers do, it repeats what it was told.
      const error = Object.assign(new Error(`5.7.8 Wrong password ${auth.password} for ${auth.username}`), {
        responseCode: 535,
      });
      if (isRight) done(null, { user: auth.username });
      else done(error);
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        if (rig.answer !== null) {
          const { code, text } = rig.answer;
          done(Object.assign(new Error(text), { responseCode: code }));
          return;
        }
        taken.push({
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(parts).toString('utf8'),
          user: String(session.user ?? ''),
          isSecure: session.secure,
        });
        if (rig.cutsAfterData) for (const socket of sockets) socket.destroy();
        else done();
      });
    },
  });
  // Wrong certificates and cut connections are what is tested.
  server.on('error', () => undefined);
  server.server.on('connection', (socket: { destroy(): void }) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return Object.assign(rig, {
    taken,
    port: (server.server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}
