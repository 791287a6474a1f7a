import { resolve } from 'node:path';
import { checkPack } from '../../core/exports/evidence/signing/check-pack.ts';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.ts';
import { toUsageError, type Command, type CommandContext } from '../words/command.ts';

/** A fingerprint as it is read aloud: in groups, in either letter case. */
function readFingerprint({ args }: CommandContext): string | null {
  const given = args.find('fingerprint');
  if (given === null) return null;
  const expected = given.replaceAll(/[\s:]/g, '').toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(expected))
    throw toUsageError('--fingerprint is 64 digits and letters from a to f.', 'Ask the sender for it.');
  return expected;
}

export const evidenceCommand: Command = {
  name: 'evidence check',
  summary: 'checks evidence packs: unaltered, and signed by whom',
  operands: 'FILE…',
  maxOperands: 10_000,
  options: [
    {
      name: 'fingerprint',
      value: 'HEX',
      summary: "of the sender's key; get it from the sender, not from the pack",
    },
  ],
  about: `Checks ZIP files as verify.py in a pack does. Needs no data folder, and unpacks nothing.
Exit code 0: every pack is unaltered and signed with the key of --fingerprint. 10: a pack is refused.
11: unaltered, but without --fingerprint nobody knows who signed it.`,
  async run(context): Promise<ExitCode> {
    const { args, out, signal, workFolder } = context;
    const expected = readFingerprint(context);
    if (args.operands.length === 0) throw toUsageError('Name one evidence pack or more.');
    let refused = 0;
    for (const name of args.operands) {
      const file = resolve(workFolder, name);
      const verdict = await checkPack(file, { expected, signal }).catch((error: unknown) => {
        throw signal.aborted ? new CommandError(EXIT.cancelled, 'Cancelled.') : error;
      });
      if (verdict.isAccepted) {
        const { fingerprint } = verdict;
        await out.json({ file, verdict: expected === null ? 'unaltered' : 'accepted', fingerprint });
        const said = expected === null ? 'UNALTERED since it was signed' : 'ACCEPTED: unaltered, and signed';
        await out.text(`${name}: ${said} with the key ${fingerprint}`);
      } else {
        refused += 1;
        await out.json({ file, verdict: 'refused', reason: verdict.reason });
        await out.text(`${name}: REFUSED: ${verdict.reason}`);
      }
    }
    if (refused > 0) return EXIT.packRefused;
    if (expected !== null) return EXIT.done;
    out.note('Compare the fingerprint with the one that the sender gave you: anyone can sign with some key.');
    return EXIT.signerUnknown;
  },
};
