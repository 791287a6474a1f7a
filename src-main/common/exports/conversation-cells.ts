import { type Conversation, TIME_PARTS } from '../model/records/conversation.ts';
import type { SqlCell, SqlColumn } from '../model/records/sql.ts';

const column = (name: string, kind: SqlColumn['kind'], type: string): SqlColumn => ({ name, kind, type });

/** The columns of conversations in files and on the command line. */
export const CONVERSATION_COLUMNS: readonly SqlColumn[] = [
  column('session_id', 'text', 'VARCHAR'),
  column('start', 'text', 'TIMESTAMP_MS'),
  column('end', 'text', 'TIMESTAMP_MS'),
  column('length_ms', 'number', 'BIGINT'),
  column('outcome', 'text', 'VARCHAR'),
  column('unanswered', 'boolean', 'BOOLEAN'),
  column('channels', 'text', 'VARCHAR'),
  column('services', 'text', 'VARCHAR'),
  column('client', 'text', 'VARCHAR'),
  column('inbound', 'number', 'BIGINT'),
  column('outbound', 'number', 'BIGINT'),
  column('failures', 'number', 'BIGINT'),
  column('slowest_part', 'text', 'VARCHAR'),
  column('slowest_service', 'number', 'BIGINT'),
  column('slowest_ms', 'number', 'DOUBLE'),
  column('first_error', 'text', 'VARCHAR'),
  column('first_error_family', 'text', 'VARCHAR'),
  column('first_error_code', 'number', 'BIGINT'),
];

/** Returns a conversation as a row of CONVERSATION_COLUMNS; times in UTC, several channels with commas between them. */
export function toConversationCells(conversation: Conversation): SqlCell[] {
  const { firstMs, endMs, outcome, failures, firstError, channels, services } = conversation;
  return [
    conversation.sessionId,
    new Date(firstMs).toISOString(),
    new Date(Math.round(endMs)).toISOString(),
    Math.round(endMs) - firstMs,
    outcome,
    conversation.isUnanswered,
    channels.join(', '),
    services.join(', '),
    conversation.client,
    conversation.inbound,
    conversation.outbound,
    failures,
    conversation.slowestPart,
    conversation.slowestService,
    conversation.slowestMs,
    firstError?.text ?? null,
    firstError?.family ?? null,
    firstError?.code ?? null,
  ];
}

/** The columns of where the time of conversations went. */
export const TIMES_COLUMNS: readonly SqlColumn[] = [
  column('from', 'text', 'TIMESTAMP_MS'),
  column('channel', 'number', 'BIGINT'),
  column('service', 'number', 'BIGINT'),
  column('messages', 'number', 'BIGINT'),
  column('requests', 'number', 'BIGINT'),
  ...TIME_PARTS.map((part) => column(`${part}_ms`, 'number', 'DOUBLE')),
  column('not_counted_ms', 'number', 'DOUBLE'),
];

/** The columns of the clients behind conversations, a list to call back. */
export const CLIENT_COLUMNS: readonly SqlColumn[] = [
  column('client', 'text', 'VARCHAR'),
  column('conversations', 'number', 'BIGINT'),
  column('lost', 'number', 'BIGINT'),
  column('recovered', 'number', 'BIGINT'),
  column('waiting', 'number', 'BIGINT'),
  column('unknown', 'number', 'BIGINT'),
  column('last_contact', 'text', 'TIMESTAMP_MS'),
  column('last_outcome', 'text', 'VARCHAR'),
  column('channels', 'text', 'VARCHAR'),
  column('last_session_id', 'text', 'VARCHAR'),
];
