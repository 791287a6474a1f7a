/** A test that did not run. */
export interface Skip {
  readonly title: string;
  /** Empty where the test gave none. */
  readonly reason: string;
}

/** The only reason that passes where everything is required: nobody can download Electron's runtime there. */
export const NO_ELECTRON_RUNTIME = "Electron's runtime is not installed";

/**
 * Names each skipped test with its reason on standard output. Returns true if the run must fail: where
 * CHANNELSCOPE_REQUIRE_ALL is 1 every test must run, but for those that need Electron's runtime.
 */
export function judgeSkips(skips: readonly Skip[], environment: NodeJS.ProcessEnv = process.env): boolean {
  for (const { title, reason } of skips) {
    process.stdout.write(`Skipped: ${title}${reason === '' ? '' : ` (${reason})`}\n`);
  }
  if (environment['CHANNELSCOPE_REQUIRE_ALL'] !== '1') return false;
  const forbidden = skips.filter(({ reason }) => reason !== NO_ELECTRON_RUNTIME);
  if (forbidden.length > 0) {
    process.stdout.write(`${forbidden.length} skipped where every test is required to run.\n`);
  }
  return forbidden.length > 0;
}

/** Whether a run of the tests with a tag, or of those without it (`!tag`), leaves a test out on purpose. */
export function isLeftOut(tags: readonly string[], filters: readonly string[]): boolean {
  return filters.some((filter) =>
    filter.startsWith('!') ? tags.includes(filter.slice(1)) : !tags.includes(filter),
  );
}
