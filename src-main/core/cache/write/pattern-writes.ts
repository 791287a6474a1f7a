import type { FoundPatterns } from '../../analysis/engine/feed/feed-source.ts';
import type { Database } from '../../../node/open-database.ts';

/** Patterns that were found in a cache, which `cacheIdentity` names. */
export interface PatternsToKeep {
  readonly found: readonly FoundPatterns[];
  readonly cacheIdentity: string;
}

/**
 * Prepares the keeping of patterns of errors: those that are new come behind the others, in their order. What was found
 * before secrets were taken out of the cache, or in another one, may hold them, and is not kept.
 */
export function createPatternWriter(database: Database): (kept: PatternsToKeep) => void {
  const readIdentity = database.prepare<[], string>('SELECT identity FROM cache_state').pluck();
  const own = 'connection_id = ? AND direction = ?';
  const readLast = database
    .prepare<[string, string], number | null>(`SELECT max(place) FROM error_patterns WHERE ${own}`)
    .pluck();
  const save = database.prepare(
    `INSERT INTO error_patterns (connection_id, direction, pattern, family, place) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET family = excluded.family`,
  );
  const saveAll = database.transaction(({ found, cacheIdentity }: PatternsToKeep) => {
    if (readIdentity.get() !== cacheIdentity) return;
    for (const { connectionId, direction, patterns } of found) {
      const last = readLast.get(connectionId, direction) ?? 0;
      for (const [place, { pattern, family }] of patterns.entries())
        save.run(connectionId, direction, pattern, family, last + 1 + place);
    }
  });
  return (kept) => saveAll.immediate(kept);
}
