import { computed } from 'vue';
import {
  MAX_RAN_STATEMENTS,
  type RanStatement,
  MAX_SAVED_STATEMENTS,
  MAX_STATEMENT_NAME_CHARACTERS,
  type SavedStatement,
} from '../../../../src-main/common/model/settings/settings.ts';
import { useAppStore } from '../../../stores/window/app.ts';
import { type SavedFault, type SavedList, useSavedList } from '../../../composables/saved-items.ts';

/** Names of the examples, in the order in which they are offered. */
export const EXAMPLE_NAMES = [
  'errorShare',
  'slowest',
  'sessions',
  'firstSeen',
  'retries',
  'codes',
  'payloads',
  'statusTraffic',
  'summaries',
] as const;
type ExampleName = (typeof EXAMPLE_NAMES)[number];

/** Statements to begin with; each runs as it stands. */
export const EXAMPLES: Readonly<Record<ExampleName, string>> = {
  errorShare: `-- Share of failed requests of each channel, hour by hour
SELECT date_trunc('hour', date) AS hour, channel,
  count(*) AS requests,
  count(*) FILTER (outcome = 'failed') AS failed,
  round(100.0 * failed / requests, 2) AS failed_percent
FROM inbound
WHERE date IS NOT NULL
GROUP BY ALL
ORDER BY hour, channel`,
  slowest: `-- Slowest services: response times in milliseconds
SELECT service,
  count(*) AS requests,
  round(median(response_time_ms), 1) AS median_ms,
  round(quantile_cont(response_time_ms, 0.95), 1) AS p95_ms,
  max(response_time_ms) AS longest_ms
FROM inbound
GROUP BY ALL
ORDER BY p95_ms DESC NULLS LAST`,
  sessions: `-- Sessions with the most errors, and what they met
SELECT session_id,
  count(*) FILTER (outcome = 'failed') AS failed,
  count(*) AS requests,
  min(date) AS first_request,
  max(date) AS last_request,
  string_agg(DISTINCT error_family, ' · ') FILTER (error_family <> '') AS errors
FROM inbound
GROUP BY ALL
HAVING failed > 0
ORDER BY failed DESC, requests DESC
LIMIT 100`,
  firstSeen: `-- When each error was seen first and last in this period
SELECT error_family,
  min(date) AS first_seen,
  max(date) AS last_seen,
  count(*) AS requests,
  count(DISTINCT session_id) AS sessions
FROM inbound
WHERE error_family <> ''
GROUP BY ALL
ORDER BY first_seen`,
  retries: `-- Requests that came again with the same payload within a minute of the one before
SELECT session_id, channel, payload,
  count(*) AS again,
  min(date) AS first_again
FROM (
  SELECT session_id, channel, payload, date,
    date - lag(date) OVER (PARTITION BY session_id, payload ORDER BY date) AS gap
  FROM inbound
)
WHERE gap <= INTERVAL 1 MINUTE
GROUP BY ALL
ORDER BY again DESC
LIMIT 100`,
  codes: `-- How often each response code was given, and how slowly
SELECT response_code,
  count(*) AS requests,
  round(100.0 * requests / sum(requests) OVER (), 2) AS percent,
  round(avg(response_time_ms), 1) AS average_ms
FROM inbound
GROUP BY response_code
ORDER BY requests DESC`,
  payloads: `-- Requests whose payload holds a word; put your own in its place
SELECT date, channel, service, response_code, client, payload
FROM inbound
WHERE contains(lower(payload), 'order')
ORDER BY date DESC
LIMIT 1000`,
  statusTraffic: `-- Inbound requests beside what the status said, in spans of five minutes
WITH traffic AS (
  SELECT time_bucket(INTERVAL 5 MINUTE, date) AS span, count(*) AS requests
  FROM inbound
  GROUP BY ALL
), health AS (
  SELECT time_bucket(INTERVAL 5 MINUTE, date) AS span,
    count(*) FILTER (platform = 'up') AS up,
    count(*) FILTER (platform = 'down') AS down
  FROM status
  GROUP BY ALL
)
SELECT span, requests, up, down
FROM traffic FULL JOIN health USING (span)
ORDER BY span`,
  summaries: `-- Reported summaries of this period beside the cached records
SELECT channel, service,
  sum(requests) AS reported,
  (SELECT count(*) FROM inbound
    WHERE inbound.channel = summaries.channel AND inbound.service = summaries.service) AS cached
FROM summaries
WHERE direction = 'inbound'
GROUP BY ALL
ORDER BY reported DESC`,
};

/** Characters that are kept of all of them together, since the settings are written with each run. */
const MAX_CHARACTERS = 200_000;

/** Returns the statements with one more at their head, without the oldest that are too many or too long. */
export function withRan(before: readonly RanStatement[], ran: RanStatement): RanStatement[] {
  let rest = MAX_CHARACTERS;
  return [ran, ...before.filter(({ text }) => text !== ran.text)]
    .slice(0, MAX_RAN_STATEMENTS)
    .filter(({ text }) => (rest -= text.length) >= 0);
}

/** Statements that were run, the last first. */
export function useRanStatements() {
  const app = useAppStore();
  const ran = computed<readonly RanStatement[]>(() => app.settings?.ranStatements ?? []);

  /** Puts a statement at the head of the list. */
  async function note(text: string): Promise<void> {
    await app.update({ ranStatements: withRan(ran.value, { text, atMs: Date.now() }) });
  }

  async function clear(): Promise<void> {
    await app.update({ ranStatements: [] });
  }

  return { ran, note, clear };
}

/** Statements that were saved under a name. */
export function useSavedStatements(): SavedList<SavedStatement> {
  const app = useAppStore();
  const saved = useSavedList<SavedStatement>({
    read: () => app.settings?.savedStatements ?? [],
    write: (savedStatements) => app.update({ savedStatements }),
    maxItems: MAX_SAVED_STATEMENTS,
    maxNameCharacters: MAX_STATEMENT_NAME_CHARACTERS,
  });

  /** Saves under a name, in the place of what was saved under it. */
  async function save(statement: SavedStatement): Promise<SavedFault | null> {
    if (!saved.list.value.some(({ name }) => name === statement.name)) return saved.save(statement);
    await saved.replace(statement);
    return null;
  }
  return { ...saved, save };
}
