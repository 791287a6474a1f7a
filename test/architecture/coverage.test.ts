import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const core = fileURLToPath(new URL('../../src-main/core', import.meta.url));
/** What says how far a snapshot is: whoever reads it may be about to say what is known of a time. */
const STATE = /\b(?:stillOpen|settledToMs)\b|\bstate (?:=|!)== '(?:complete|incomplete)'/u;
/** Rooms that write it, or answer for it. */
const OWNERS = /^(?:cache|coverage|downloads|following)\//u;
/** What else reads it, and what for. */
const ALLOWED: Readonly<Record<string, string>> = {
  'analysis/divide-period.ts': 'which of several snapshots counts for a moment (decision 33)',
  'analysis/engine/sql/make-tables.ts': 'a reported summary is a table only as a whole',
  'datasets/update-dataset.ts': 'a day of a dataset, which the ledger was asked about',
  'exports/export-subject.ts': 'an export, which the ledger was asked about',
  'exports/portable/portable-manifest.ts': 'copies what a snapshot says about itself',
  'exports/portable/prepare-portable.ts': 'copies what a snapshot says about itself',
  'exports/report/write-report.ts': 'the certificate of a download',
  'imports/create-library-importer.ts': 'copies what a snapshot says about itself',
  'imports/import-records.ts': 'what an imported file says about itself',
  'schedules/open-schedules.ts': 'a run of a schedule',
  'self-test/run-self-test.ts': 'whether the download that it made itself is whole',
  'snapshots/snapshots-handlers.ts':
    'keeps what a snapshot says about itself; a day that is being followed is not removed',
  'summaries/summaries.ts': 'the reported summary itself, and which snapshots the compared records came from',
};

/** Files that read how far a snapshot is without being its owners, of texts by path. */
function findReaders(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .filter(([path, text]) => !OWNERS.test(path) && STATE.test(text))
    .map(([path]) => path)
    .toSorted();
}

it('only the ledger looks at the state of snapshots to say what is known of a time', () => {
  const paths = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const files = paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(core, path), 'utf8')]);
  expect(findReaders(Object.fromEntries(files) as Record<string, string>)).toEqual(
    Object.keys(ALLOWED).toSorted(),
  );
});

it('a file that looks at them by itself is reported', () => {
  expect(
    findReaders({
      'coverage/read-holdings.ts': "snapshot.state === 'complete'",
      'glance/glance-handlers.ts': "const known = snapshots.filter(({ state }) => state === 'complete');",
      'alerts/read-minutes.ts': 'const untilMs = snapshot.settledToMs ?? 0;',
      'overview/read-volume.ts': 'await ledger.read(subject, span);',
    }),
  ).toEqual(['alerts/read-minutes.ts', 'glance/glance-handlers.ts']);
});
