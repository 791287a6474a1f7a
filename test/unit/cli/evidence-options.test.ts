import { describe, expect, it } from 'vitest';
import { exportCommand } from '../../../src-main/cli/commands/export.ts';
import { readArguments, type Arguments } from '../../../src-main/cli/words/arguments.ts';
import { writeCompletion } from '../../../src-main/cli/words/completion.ts';
import { checkEvidenceOptions, readEvidence } from '../../../src-main/cli/words/evidence-options.ts';
import { DEFAULT_EVIDENCE } from '../../../src-main/common/model/exports/evidence-options.ts';

const read = (...words: string[]): { readonly args: Arguments } => ({
  args: readArguments(words, exportCommand.options, 0),
});

describe('options of evidence', () => {
  it('mask as much as possible where nothing is said', () => {
    expect(readEvidence(read(), { format: 'evidence' })).toEqual({ evidence: DEFAULT_EVIDENCE });
    expect(readEvidence(read(), { format: 'csv' })).toEqual({});
  });

  it('say how clients, payloads and errors are written, and which sessions are added', () => {
    const words = ['--client', 'left-out', '--payload', 'masked', '--errors', 'received'];
    const given = read(...words, '--sessions', 'one, two,', '--no-finding-sessions');
    expect(readEvidence(given, { format: 'evidence' })).toEqual({
      evidence: {
        masking: { client: 'left-out', payload: 'masked', errors: 'received' },
        sessionIds: ['one', 'two'],
        withFindingSessions: false,
      },
    });
  });

  it('change what a preset says', () => {
    const masking = { client: 'shortened', payload: 'masked', errors: 'received' } as const;
    expect(readEvidence(read('--errors', 'folded'), { format: 'evidence', masking })).toMatchObject({
      evidence: { masking: { ...masking, errors: 'folded' } },
    });
  });

  it('are refused where they mean nothing, and where they are none', () => {
    expect(() => checkEvidenceOptions(read('--client', 'left-out'), 'csv')).toThrow(
      '--client belongs to --format evidence.',
    );
    expect(() => checkEvidenceOptions(read('--no-payload'), 'evidence')).toThrow('exclude each other');
    expect(() => readEvidence(read('--client', 'hidden'), { format: 'evidence' })).toThrow(
      '--client is one of pseudonym',
    );
    const many = Array.from({ length: 51 }, (_none, place) => `s${place}`).join(',');
    expect(() => readEvidence(read('--sessions', many), { format: 'evidence' })).toThrow('at most 50');
  });

  it('are completed', () => {
    const script = writeCompletion('bash', 'channelscope', [exportCommand]);
    expect(script).toContain("'export --client') words='pseudonym shortened left-out received'");
    expect(script).toMatch(/'export --format'\) words='[^']*\bevidence\b/);
  });
});
