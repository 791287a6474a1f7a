import { describe, expect, it } from 'vitest';
import { checkContentOptions, exportCommand, readContents } from '../../../src-main/cli/commands/exports.ts';
import { readArguments, type Arguments } from '../../../src-main/cli/words/command.ts';
import { writeCompletion } from '../../../src-main/cli/commands/all-commands.ts';
import { DEFAULT_EVIDENCE } from '../../../src-main/common/model/exports/export-options.ts';

const read = (...words: string[]): { readonly args: Arguments } => ({
  args: readArguments(words, exportCommand.options, 0),
});

describe('options of what a file holds', () => {
  it('mask as much as possible in a pack, and nothing in other files, where nothing is said', () => {
    expect(readContents(read(), { format: 'evidence' })).toEqual({ evidence: DEFAULT_EVIDENCE });
    expect(readContents(read(), { format: 'csv' })).toEqual({});
  });

  it('say how clients, payloads and errors are written, and which sessions are added', () => {
    const words = ['--client', 'left-out', '--payload', 'masked', '--errors', 'received'];
    const given = read(...words, '--sessions', 'one, two,', '--no-finding-sessions');
    expect(readContents(given, { format: 'evidence' })).toEqual({
      evidence: {
        masking: { client: 'left-out', payload: 'masked', errors: 'received' },
        sessionIds: ['one', 'two'],
        withFindingSessions: false,
      },
    });
  });

  it('mask what is named in all other files, and make a report short', () => {
    expect(readContents(read('--client', 'pseudonym'), { format: 'parquet' })).toEqual({
      masking: { client: 'pseudonym', payload: 'received', errors: 'received' },
    });
    expect(readContents(read('--short'), { format: 'pdf' })).toEqual({ isBrief: true });
  });

  it('change what a preset says', () => {
    const masking = { client: 'shortened', payload: 'masked', errors: 'received' } as const;
    expect(readContents(read('--errors', 'folded'), { format: 'evidence', masking })).toMatchObject({
      evidence: { masking: { ...masking, errors: 'folded' } },
    });
  });

  it('are refused where they mean nothing, and where they are none', () => {
    expect(() => checkContentOptions(read('--client', 'left-out'), 'portable')).toThrow(
      '--client is for records',
    );
    expect(() => checkContentOptions(read('--sessions', 'one'), 'csv')).toThrow(
      'belongs to --format evidence',
    );
    expect(() => checkContentOptions(read('--short'), 'csv')).toThrow('belongs to --format html or pdf');
    expect(() => checkContentOptions(read('--no-payload'), 'evidence')).toThrow('exclude each other');
    expect(() => readContents(read('--client', 'hidden'), { format: 'evidence' })).toThrow(
      '--client is one of pseudonym',
    );
    const many = Array.from({ length: 51 }, (_none, place) => `s${place}`).join(',');
    expect(() => readContents(read('--sessions', many), { format: 'evidence' })).toThrow('at most 50');
  });

  it('are completed', () => {
    const script = writeCompletion('bash', 'channelscope', [exportCommand]);
    expect(script).toContain("'export --client') words='pseudonym shortened left-out received'");
    expect(script).toMatch(/'export --format'\) words='[^']*\bevidence\b/);
  });
});
