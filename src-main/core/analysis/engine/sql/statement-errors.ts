import type { SqlFailure } from '../../../../common/model/records/sql.ts';
import { isInterrupted, isOutOfMemory } from '../question-errors.ts';

const PLACE = /\n\nLINE (\d+): (.*)\n( *)\^\s*$/s;

/** What DuckDB said of a statement, as a failure of it. */
export function toFailure(error: unknown, sql: string): SqlFailure {
  const text = (error instanceof Error ? error.message : String(error)).trim();
  if (isOutOfMemory(error)) return fail('memory', text);
  if (isInterrupted(error)) return fail('cancelled', '');
  const place = PLACE.exec(text);
  const message = place === null ? text : text.slice(0, place.index);
  return { ...fail('statement', message), offset: place === null ? null : toOffset(place, sql) };
}

function fail(fault: SqlFailure['fault'], message: string): SqlFailure {
  return { kind: 'failed', fault, message, offset: null };
}

/** Long lines are shown in part, with dots in the place of what was left out. */
function toOffset([, line = '1', shown = '', indent = '']: RegExpExecArray, sql: string): number | null {
  const lines = sql.split('\n');
  const own = lines[Number(line) - 1];
  if (own === undefined) return null;
  const isCut = shown.startsWith('...');
  const part = shown.replace(/^\.\.\./, '').replace(/\.\.\.$/, '');
  const start = own.indexOf(part);
  if (start < 0) return null;
  const column = indent.length - `LINE ${line}: `.length - (isCut ? 3 : 0) + start;
  const before = lines.slice(0, Number(line) - 1).reduce((sum, { length }) => sum + length + 1, 0);
  return before + Math.min(Math.max(0, column), own.length);
}
