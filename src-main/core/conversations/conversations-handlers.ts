import type { HandlersOf } from '../../common/contract/index.ts';
import { AppError } from '../../common/contract/errors.ts';
import { toConversationSpan, toKnownTime, type KnownTime } from '../../common/model/records/conversation.ts';
import { DETAIL_KINDS } from '../../common/reporting/reports.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import type { ConnectionStore } from '../connections/create-connections.ts';
import { listRead } from '../coverage/read-holdings.ts';
import type { Ledger } from '../coverage/create-ledger.ts';

/** The handlers of `conversations/…`: all of them work with the network gone. */
export function createConversationsHandlers({
  ledger,
  engine,
  connections,
}: {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly engine: Pick<
    Engine,
    | 'openConversations'
    | 'readConversations'
    | 'countConversationClients'
    | 'listConversationClients'
    | 'measureConversationTimes'
    | 'closeConversations'
  >;
  readonly connections: Pick<ConnectionStore, 'get'>;
}): HandlersOf<'conversations'> {
  /** The ledger is read before the engine is: what it says is known has been fed when the engine answers. */
  const readKnown = async (
    connectionId: string,
    period: { readonly fromMs: number; readonly toMs: number },
  ): Promise<KnownTime> => {
    const span = toConversationSpan(period);
    const read = await Promise.all(DETAIL_KINDS.map((report) => ledger.read({ connectionId, report }, span)));
    return toKnownTime(
      span,
      read.map(({ spans }) => listRead(spans)),
    );
  };
  return {
    'conversations/open': async (question) => {
      const { connectionId, fromMs, toMs } = question;
      connections.get(connectionId);
      if (toMs <= fromMs)
        throw new AppError('app.invalid-input', 'Conversations need a period.', { fromMs, toMs });
      const known = await readKnown(connectionId, { fromMs, toMs });
      return engine.openConversations({ ...question, known });
    },
    'conversations/read-rows': (place) => engine.readConversations(place),
    'conversations/count-clients': (view) => engine.countConversationClients(view),
    'conversations/list-clients': (question) => engine.listConversationClients(question),
    'conversations/read-times': (question) => engine.measureConversationTimes(question),
    'conversations/close': async (view) => {
      await engine.closeConversations(view);
      return null;
    },
  };
}
