import { AppError, toErrorInfo, type ErrorCode } from '../../common/contract/errors.ts';
import { formatMoment } from '../../common/time/format-moment.ts';
import { EXIT, toCommandError } from '../exit-codes.ts';
import { CONNECTION_OPTION, prepareConnection, SECRET_OPTIONS } from '../session/find-connections.ts';
import type { Command } from '../words/command.ts';

export const statusCommand: Command = {
  name: 'status',
  summary: 'shows the status of platform and connector',
  operands: '',
  maxOperands: 0,
  options: [CONNECTION_OPTION, ...SECRET_OPTIONS],
  async run(context) {
    const { out } = context;
    context.args.require('connection');
    const session = await context.open();
    const connection = await prepareConnection(context, session);
    const sample = await session.call('status/refresh', { connectionId: connection.id });
    const { platform, connector, sessions, internalResponseTimeMs, roundTripMs, failure, checkedAtMs } =
      sample;
    if (failure !== null) {
      const error = new AppError(failure as ErrorCode, `The status could not be read (${failure}).`);
      throw toCommandError(toErrorInfo(error));
    }
    const traffic = sample.traffic.map((group) => ({
      division: group.Division,
      channel: group.Channel,
      service: group.Service,
      sessions: group.Sessions,
    }));
    const checkedAt = new Date(checkedAtMs).toISOString();
    await out.json({
      platform,
      connector,
      sessions,
      internalResponseTimeMs,
      roundTripMs,
      checkedAt,
      traffic,
    });
    await out.table(
      ['', ''],
      [
        ['platform', platform],
        ['connector', connector],
        ['sessions', sessions === null ? '' : String(sessions)],
        ['internal response time', internalResponseTimeMs === null ? '' : `${internalResponseTimeMs} ms`],
        ['checked', `${formatMoment(checkedAtMs, connection.serviceZone)} (${connection.serviceZone})`],
      ],
    );
    return EXIT.done;
  },
};
