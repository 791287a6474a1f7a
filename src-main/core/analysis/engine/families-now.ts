/**
 * A query for the families that others have become: those that were joined to another one by now, as it was learned, and
 * those that a person merged, split or renamed. `matches` makes a condition on a name in a column.
 */
export function toFamiliesNowSql(
  [connectionId, direction]: readonly [connectionId: string, direction: string],
  matches: (column: string) => string,
): string {
  const own = `connection_id = ${connectionId} AND direction = ${direction}`;
  const learned = `SELECT family FROM error_families WHERE ${own} AND pattern <> family AND (${matches('pattern')})`;
  return `${learned} UNION SELECT family FROM family_names
    WHERE ${own} AND (name IN (${learned}) OR (${matches('name')}))`;
}
