import type { Following } from '../../common/contract/operations/unattended/following.ts';
import { formatMoment } from '../../common/time/format-moment.ts';
import { CommandError, EXIT, toCommandError } from '../exit-codes.ts';
import { CONNECTION_OPTION, prepareConnection, SECRET_OPTIONS } from '../session/find-connections.ts';
import type { Command } from '../words/command.ts';

export const followCommand: Command = {
  name: 'follow',
  summary: 'fetches new records of a connection until it is ended',
  operands: '',
  maxOperands: 0,
  options: [
    CONNECTION_OPTION,
    { name: 'once', value: null, summary: 'end as soon as everything is up to date' },
    ...SECRET_OPTIONS,
  ],
  about: `Prints a line each time it is up to date. Following ends with the command, unless it was on before.`,
  async run(context) {
    const { args, out, signal, open } = context;
    args.require('connection');
    const session = await open('following');
    const connection = await prepareConnection(context, session);
    const { id: connectionId, serviceZone } = connection;
    const wasFollowed = connection.followed === true;
    let writing: Promise<void> = Promise.resolve();
    let saidAtMs: number | null = null;
    const say = (state: Following): void => {
      const { lastTurnAtMs, behindMs } = state;
      out.progress(behindMs > 0 ? `${Math.ceil(behindMs / 60_000)} min to catch up` : `Now: ${state.state}`);
      if (lastTurnAtMs === null || lastTurnAtMs === saidAtMs) return;
      saidAtMs = lastTurnAtMs;
      writing = writing.then(async () => {
        out.endProgress();
        await out.json({ state: state.state, checkedAt: new Date(lastTurnAtMs).toISOString(), behindMs });
        await out.text(`${formatMoment(lastTurnAtMs, serviceZone)}  ${state.state}`);
      });
    };
    try {
      const end = await new Promise<Following | null>((resolve) => {
        const finish = (state: Following | null): void => {
          stopListening();
          signal.removeEventListener('abort', cancel);
          resolve(state);
        };
        const cancel = (): void => finish(null);
        const judge = (state: Following): void => {
          if (state.connectionId !== connectionId) return;
          say(state);
          const isOver = args.has('once') && state.state === 'following';
          const hasFailed = args.has('once') && ['unreachable', 'failing', 'paused'].includes(state.state);
          if (isOver || hasFailed || state.state === 'refused') finish(state);
        };
        const stopListening = session.on((name, payload) => {
          if (name === 'following/changed') judge(payload);
        });
        signal.addEventListener('abort', cancel);
        if (signal.aborted) cancel();
        session.call('following/switch', { connectionId, followed: true }).catch(cancel);
      });
      await writing;
      if (end === null) throw new CommandError(EXIT.cancelled, 'Following was ended.');
      if (end.failure !== null) throw toCommandError(end.failure);
      return EXIT.done;
    } finally {
      out.endProgress();
      if (!wasFollowed) await session.tryCall('following/switch', { connectionId, followed: false });
    }
  },
};
