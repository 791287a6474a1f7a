/** Places of so many buckets fit into a byte. */
const MAX_BYTE_PLACES = 256;

/**
 * The place of a bucket, as `toBucketSql` has it, to count records by: places in a byte are grouped without hashing.
 * Not to find percentiles by, which takes longer so.
 */
export function toCountedBucketSql(edges: readonly number[]): string {
  const place = toBucketSql(edges);
  return edges.length <= MAX_BYTE_PLACES ? `${place}::UTINYINT` : place;
}

/**
 * The place of the bucket between edges that `date_ms` lies in, which must be in one. A clock change makes buckets
 * differ in length: each run of equal ones is divided by its own. Numbers of the application, never input, stand in the statement itself.
 */
export function toBucketSql(edges: readonly number[]): string {
  const runs: { readonly place: number; readonly fromMs: number; readonly widthMs: number }[] = [];
  for (const [place, fromMs] of edges.entries()) {
    const widthMs = (edges[place + 1] ?? fromMs) - fromMs;
    if (widthMs > 0 && runs.at(-1)?.widthMs !== widthMs) runs.push({ place, fromMs, widthMs });
  }
  const terms = runs.map(({ place, fromMs, widthMs }, index) => {
    const sql = `${place} + (date_ms - ${fromMs}) // ${widthMs}`;
    const next = runs[index + 1];
    return next === undefined ? `ELSE ${sql}` : `WHEN date_ms < ${next.fromMs} THEN ${sql}`;
  });
  return terms.length < 2 ? `(${terms[0]?.slice('ELSE '.length) ?? '0'})` : `(CASE ${terms.join(' ')} END)`;
}
