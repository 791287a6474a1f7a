import { Type } from 'typebox';
import {
  Conversation,
  CONVERSATION_OUTCOMES,
  ConversationClients,
  ConversationOrder,
  OpenedConversations,
  SLOWEST_PARTS,
} from '../../model/records/conversation.ts';
import { ConversationTimes } from '../../model/records/conversation-times.ts';
import { RecordFilter } from '../../model/records/record-filter.ts';
import { DIRECTIONS } from '../../reporting/reports.ts';
import { Nothing, operation } from '../operation.ts';

const ViewId = Type.Object({ viewId: Type.String() });

/** Conversations of a period, of both directions together. */
const ConversationQuestion = Type.Object({
  connectionId: Type.String(),
  fromMs: Type.Integer(),
  /** Exclusive. */
  toMs: Type.Integer(),
  /** Of those, the ones with a record that meets it. */
  filter: RecordFilter,
  /** Records that meet it are looked for in this direction; left out, in both. */
  direction: Type.Optional(Type.Enum([...DIRECTIONS])),
  /** Of those, the ones that became one of these; all where it is left out. */
  outcomes: Type.Optional(Type.Array(Type.Enum([...CONVERSATION_OUTCOMES]))),
  slowest: Type.Optional(Type.Array(Type.Enum([...SLOWEST_PARTS]))),
});

export const conversationsOperations = {
  /** Opens conversations in an order; windows of them are then look-ups. */
  'conversations/open': operation(
    Type.Object({ ...ConversationQuestion.properties, order: ConversationOrder }),
    OpenedConversations,
  ),
  /** Rows of a list from a place on; fewer than `limit` at its end. Fails with `cache.view-closed`. */
  'conversations/read-rows': operation(
    Type.Object({
      viewId: Type.String(),
      offset: Type.Integer({ minimum: 0 }),
      limit: Type.Integer({ minimum: 1, maximum: 500 }),
    }),
    Type.Array(Conversation),
  ),
  /** Clients of the conversations that match the filter, by outcome. Fails with `cache.view-closed`. */
  'conversations/count-clients': operation(ViewId, ConversationClients),
  /**
   * Lists the clients behind the conversations of a list, each once, as a result that `exports/start-result` takes until the
   * list is closed, and masks as it does others. Fails with `cache.view-closed`.
   */
  'conversations/list-clients': operation(
    ViewId,
    Type.Object({ resultId: Type.String(), rowCount: Type.Integer() }),
  ),
  /**
   * Where the time of the conversations of a list went in its period, and what became slow first. Steps begin at round times
   * of a zone's clock. Its `resultId` is one that `exports/start-result` takes until the list is closed. Fails with
   * `cache.view-closed`.
   */
  'conversations/read-times': operation(
    Type.Object({ viewId: Type.String(), zone: Type.String({ maxLength: 100 }) }),
    ConversationTimes,
  ),
  'conversations/close': operation(ViewId, Nothing),
};
