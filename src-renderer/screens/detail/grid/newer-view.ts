import type { OpenView } from '../../../stores/records/records.ts';

/** True where a view shows the same as the one before it, as of another time. */
export function isNewerView(next: OpenView, previous: OpenView): boolean {
  return isSameSubject(previous, next) && previous.filter === next.filter && previous.order === next.order;
}

function isSameSubject(a: OpenView, b: OpenView): boolean {
  if (a.subject !== undefined || b.subject !== undefined) return a.subject === b.subject;
  return JSON.stringify(a.scope) === JSON.stringify(b.scope);
}
