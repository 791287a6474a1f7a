import { createSilentLogger } from '../../../support/fakes/silent-logger.ts';
import { openCaseFiles } from '../../../../src-main/core/cases/open-case-files.ts';

// Writes into a case until it is killed, and says each text once it was told that it is kept.
const [, , dataFolder = '', caseId = '', partId = ''] = process.argv;
const files = await openCaseFiles({
  dataFolder,
  logger: createSilentLogger(),
  newId: () => 'unused',
  // Each text is a version of its own.
  now: (
    (at: number) => () =>
      (at += 120_000)
  )(Date.now()),
});
for (let count = 1; ; count += 1) {
  const text = `${count} ${'x'.repeat(5_000)}`;
  await files.change(caseId, (page) => ({
    act: 'set-text',
    partId,
    page: { ...page, parts: [{ kind: 'text', id: partId, text, isFolded: false }] },
  }));
  process.stdout.write(`${count}\n`);
}
