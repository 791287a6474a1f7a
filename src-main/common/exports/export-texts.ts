import type { ExportFormat } from '../model/exports/export-options.ts';
import type { Period } from '../model/period.ts';
import { type Conversation, TIME_PARTS } from '../model/records/conversation.ts';
import type { RecordFilter } from '../model/records/record-filter.ts';
import type { SqlCell, SqlColumn } from '../model/records/sql.ts';
import { createQueryClock } from '../query/query-values.ts';
import { writeQuery } from '../query/write-query.ts';
import { toWireDate } from '../reporting/wire-documents.ts';

/** What of an export its file is named after. */
export interface NamedExport {
  readonly report: string;
  /** Null where it is not known. */
  readonly tenant: number | null;
  readonly period: Period;
  readonly isComputed?: boolean;
  /** Something of the period isn't cached. */
  readonly isIncomplete?: boolean;
}

/** What the name of a file ends in that something is missing from. */
export const INCOMPLETE_ENDING = '_incomplete';

/**
 * Returns the name of an export's file without its ending, such as `inbound-detail_1001_2026-11-19`: days in the zone,
 * then what it is filtered by.
 */
export function toExportStem(
  { report, tenant, period, isComputed = false }: NamedExport,
  format: ExportFormat,
  zone: string,
  filter?: RecordFilter,
): string {
  const [firstDay, lastDay] = [period.fromMs, period.toMs].map((atMs) => toWireDate(atMs, zone).slice(0, 10));
  const parts = [
    format === 'evidence' ? 'evidence' : null,
    isComputed ? `${report}-computed` : report,
    tenant,
    firstDay === lastDay ? firstDay : `${firstDay}_to_${lastDay}`,
  ];
  // A filter may name whom the pack doesn't.
  const filterName = format === 'evidence' ? '' : nameFilter(filter, zone);
  return `${parts.filter((part) => part !== null).join('_')}${filterName}`;
}

const MAX_CHARACTERS = 60;

/** Returns a part of a file's name that tells what it was filtered by, dates in the zone; empty without a filter. */
function nameFilter(filter: RecordFilter | undefined, zone: string): string {
  if (filter === undefined || filter.conditions.length === 0) return '';
  const words = writeQuery(filter, createQueryClock(zone)).replace(/[^\p{L}\p{N}]+/gu, '-');
  return `_filtered_${words.slice(0, MAX_CHARACTERS).toWellFormed()}`.replace(/-+$/, '');
}

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
