import { expect, it } from 'vitest';
import { findingsCommand } from '../../../src-main/cli/commands/findings.ts';
import type { CommandContext } from '../../../src-main/cli/words/command.ts';

it('where nothing stands out, findings says how large something would have been', async () => {
  const notes: string[] = [];
  const report = {
    ...{ findings: [], resolved: [], untilMs: Date.UTC(2026, 10, 26, 18), gaps: [] },
    noticed: {
      ...{ minutes: 15, hours: 24 },
      channels: [{ channel: 1, failing: { size: 0.04, hours: 24 }, fewer: { size: 0.6, hours: 24 } }],
    },
  };
  const connection = { id: 'one', name: 'one', serviceZone: 'UTC', baseAddress: '', tenant: 1 };
  await findingsCommand.run({
    args: { require: () => 'one', find: () => null, has: () => false, all: () => ['one'] },
    out: {
      json: () => Promise.resolve(),
      text: () => Promise.resolve(),
      note: (text: string) => void notes.push(text),
    },
    open: () =>
      Promise.resolve({
        call: (name: string) => Promise.resolve(name === 'findings/list' ? report : [connection]),
      }),
    now: () => report.untilMs,
  } as unknown as CommandContext);
  expect(notes).toEqual([
    'Nothing stands out. An error rate above 4.0% or a drop of more than 60% for 15 min would have been noticed on channel 1.',
  ]);
});
