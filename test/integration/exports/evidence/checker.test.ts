import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_EVIDENCE,
  type EvidenceOptions,
} from '../../../../src-main/common/model/exports/export-options.ts';
import { AppError } from '../../../../src-main/common/contract/errors.ts';
import { EXIT } from '../../../../src-main/cli/exit-codes.ts';
import { checkPack } from '../../../../src-main/core/exports/evidence/signing/pack-signature.ts';
import {
  POWERSHELL_CHECKER,
  PYTHON_CHECKER,
} from '../../../../src-main/core/exports/evidence/signing/checkers.ts';
import { openPackSigner } from '../../../support/fakes/open-pack-signer.ts';
import { readZip } from '../../../support/files/read-zip.ts';
import { createDocument, fillSnapshot, FROM_MS, toOutbound } from '../../cache/cache-fixture.ts';
import { createCommandRunner } from '../../cli/run-command.ts';
import { createRealRig, type RealRig } from '../real-rig.ts';

/** Alterations of packs; the proof takes 10,000, a run of all tests makes do with fewer. */
const ALTERED = Number(process.env['ALTERED_PACKS'] ?? 120);
const SEED = Number(process.env['ALTERED_PACKS_SEED'] ?? 1);
/** The one that Debian brings, without anything beside its standard library. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
const HOUR = { connectionId: 'one', fromMs: FROM_MS, toMs: FROM_MS + 3_600_000 } as const;
const OPEN = { client: 'received', payload: 'received', errors: 'received' } as const;

let rig: RealRig;
let packs: string[];
let fingerprint: string;
beforeAll(async () => {
  rig = await createRealRig('evidence.zip');
  const documents = Array.from({ length: 60 }, (_none, place) => createDocument(place));
  await fillSnapshot(rig.cache, documents, {}, 15);
  const outbound = documents.slice(0, 20).map((document) => toOutbound(document, '47'));
  await fillSnapshot(rig.cache, outbound, { report: 'outbound-detail' });
  const session = { sessionIds: ['00000000-0000-4000-8000-000000000003'] };
  packs = [
    await write('masked.zip', {}),
    await write('sessions.zip', session),
    await write('open.zip', { masking: OPEN }),
    await write('filtered.zip', session, 1),
  ];
});
afterAll(() => rig.close());

async function write(name: string, options: Partial<EvidenceOptions>, channel?: number): Promise<string> {
  const task = await rig.write({
    scope: { ...HOUR, report: 'inbound-detail' },
    format: 'evidence',
    evidence: { ...DEFAULT_EVIDENCE, ...options },
    filter: { conditions: channel === undefined ? [] : [{ field: 'channel', values: [channel] }] },
  });
  expect(task, JSON.stringify(task.error)).toMatchObject({ state: 'done', signature: { unsigned: null } });
  fingerprint = task.signature?.fingerprint ?? '';
  const path = join(dirname(rig.target), name);
  await copyFile(rig.target, path);
  return path;
}

interface Said {
  readonly code: number;
  readonly text: string;
}

/** Runs Python with its standard library alone. */
function runPython(...values: readonly string[]): Promise<Said> {
  return runPythonIn({}, ...values);
}

function runPythonIn(env: Readonly<Record<string, string>>, ...values: readonly string[]): Promise<Said> {
  return new Promise((resolve) => {
    execFile(
      PYTHON,
      ['-I', '-S', ...values],
      { maxBuffer: 1e8, env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
        resolve({ code, text: stdout + stderr });
      },
    );
  });
}

/** Runs the checker that a pack brings. */
async function runChecker(pack: string, ...values: readonly string[]): Promise<Said> {
  const script = join(dirname(pack), 'verify.py');
  await writeFile(script, PYTHON_CHECKER);
  return runPython(script, pack, ...values);
}

describe('the checker in a pack', () => {
  it('is in the pack, beside what the pack says of its signature', async () => {
    const files = await readZip(packs[0] ?? '');
    expect(files.get('verify.py')?.toString()).toBe(PYTHON_CHECKER);
    expect(files.get('verify.ps1')?.toString()).toBe(POWERSHELL_CHECKER);
    expect(JSON.parse(files.get('manifest.json')?.toString() ?? '')).toMatchObject({
      signature: { algorithm: 'Ed25519', keySha256: fingerprint },
    });
    expect(files.get('README.txt')?.toString()).toContain(fingerprint);
  });

  it('accepts a pack of the expected key, however its fingerprint is spelled', async () => {
    for (const pack of packs) {
      expect(await runChecker(pack, fingerprint)).toMatchObject({
        code: 0,
        text: expect.stringContaining('ACCEPTED'),
      });
    }
    const groups = fingerprint.toUpperCase().match(/.{4}/g) ?? [];
    expect((await runChecker(packs[0] ?? '', ...groups)).code).toBe(0);
  });

  it('without a fingerprint names the key, and says that it must be compared', async () => {
    const { code, text } = await runChecker(packs[0] ?? '');
    expect(code).toBe(3);
    expect(text).toContain(fingerprint);
    expect(text).toContain('Compare this fingerprint');
  });

  it('refuses a pack of another key', async () => {
    const { code, text } = await runChecker(packs[0] ?? '', 'ab'.repeat(32));
    expect(code).toBe(1);
    expect(text).toContain('another key');
  });

  it('refuses what is no pack, and says how it is used', async () => {
    const folder = join(dirname(rig.target), 'others');
    await mkdir(folder, { recursive: true });
    const other = join(folder, 'other.zip');
    await writeFile(other, 'PK');
    expect((await runChecker(other, fingerprint)).code).toBe(1);
    expect((await runChecker(join(folder, 'nothing.zip'), fingerprint)).code).toBe(1);
    expect((await runChecker(packs[0] ?? '', 'abc')).code).toBe(2);
  });

  it(
    `accepts none of ${ALTERED} altered packs, and every unaltered one`,
    { tags: 'long', timeout: 60_000 + ALTERED * 200 },
    async () => {
      const script = fileURLToPath(new URL('alter-packs.py', import.meta.url));
      const { code, text } = await runPython(script, String(ALTERED), String(SEED), fingerprint, ...packs);
      expect(code, text).toBe(0);
      const said = JSON.parse(text) as { unaltered: unknown[]; ways: Record<string, number>; accepted: [] };
      expect(said.unaltered).toEqual([null, null, null, null]);
      expect(said.accepted).toEqual([]);
      expect(Object.values(said.ways).reduce((sum, count) => sum + count, 0)).toBe(ALTERED);
    },
  );
});

describe('evidence check', () => {
  const check = (...words: readonly string[]) =>
    createCommandRunner(dirname(rig.target)).run('evidence', 'check', ...words);

  it('accepts packs of the expected key, and says by whom others are signed', async () => {
    const accepted = await check(...packs, '--fingerprint', fingerprint.toUpperCase(), '--json');
    expect(accepted).toMatchObject({ code: EXIT.done, errors: '' });
    expect(accepted.objects).toEqual(packs.map((file) => ({ file, verdict: 'accepted', fingerprint })));
    const open = await check('masked.zip');
    expect(open.code).toBe(EXIT.signerUnknown);
    expect(open.output).toBe(`masked.zip: UNALTERED since it was signed with the key ${fingerprint}\n`);
    expect(open.errors).toContain('Compare the fingerprint');
  });

  it('says of each file why it is refused, and refuses all where one is', async () => {
    const folder = dirname(rig.target);
    await writeFile(join(folder, 'none.zip'), 'PK');
    const altered = await readFile(packs[0] ?? '');
    altered[altered.length >> 1] = (altered[altered.length >> 1] ?? 0) ^ 1;
    await writeFile(join(folder, 'altered.zip'), altered);
    const files = ['masked.zip', 'none.zip', 'altered.zip', 'gone.zip', '.'];
    const { code, output } = await check(...files, '--fingerprint', fingerprint);
    expect(code).toBe(EXIT.packRefused);
    expect(output.split('\n')).toEqual([
      `masked.zip: ACCEPTED: unaltered, and signed with the key ${fingerprint}`,
      'none.zip: REFUSED: It does not end as a pack does: it was altered, packed anew, or is none.',
      'altered.zip: REFUSED: The signature does not fit: the pack was altered.',
      'gone.zip: REFUSED: There is no such file.',
      '.: REFUSED: It is a folder, and no pack.',
      '',
    ]);
    const other = await check('masked.zip', '--fingerprint', 'ab'.repeat(32), '--json');
    expect(other).toMatchObject({
      code: EXIT.packRefused,
      objects: [{ verdict: 'refused', reason: `It is signed with another key: ${fingerprint}` }],
    });
  });

  it('is used with files and a whole fingerprint', async () => {
    expect(await check()).toMatchObject({ code: EXIT.usage, output: '' });
    const cut = await check('masked.zip', '--fingerprint', fingerprint.slice(1));
    expect(cut).toMatchObject({ code: EXIT.usage, output: '' });
    expect(cut.errors).toContain('64 digits');
  });

  it(
    `agrees with verify.py of ${ALTERED} altered packs`,
    { tags: 'long', timeout: 60_000 + ALTERED * 300 },
    async () => {
      const kept = join(dirname(rig.target), 'kept');
      await mkdir(kept);
      const script = fileURLToPath(new URL('alter-packs.py', import.meta.url));
      const values = [String(ALTERED), String(SEED + 1), fingerprint, ...packs];
      const { code, text } = await runPythonIn({ KEEP_PACKS: kept }, script, ...values);
      expect(code, text).toBe(0);
      type Found = readonly [key: string | null, reason: string | null];
      const { judged } = JSON.parse(text) as {
        judged: { path: string; way: string; withKey: Found; without: Found }[];
      };
      const named = new Set<string>();
      for (const { path, way, withKey, without } of judged) {
        for (const [expected, [key, reason]] of [
          [fingerprint, withKey],
          [null, without],
        ] as const) {
          const found = await checkPack(path, { expected, signal: AbortSignal.timeout(60_000) });
          const said = found.isAccepted ? found.fingerprint : null;
          expect([way, said], `${path}: ${reason} ${JSON.stringify(found)}`).toEqual([way, key]);
        }
        if (without[0] === null) continue;
        named.add(way);
      }
      // Only what was signed anew, with a key that is named, agrees with itself.
      expect([...named]).toEqual(['sign_with_another_key']);
    },
  );

  it('takes a public key in one spelling only', async () => {
    const content = await readFile(packs[0] ?? '');
    const cut = content.subarray(0, content.length - 193);
    // y + p, y of the point without an x and a sign: the same points, under other fingerprints.
    for (const key of [`ee${'ff'.repeat(30)}7f`, `01${'00'.repeat(30)}80`]) {
      const path = join(dirname(rig.target), 'spelled.zip');
      await writeFile(path, Buffer.concat([cut, Buffer.from(`${key} 01${'00'.repeat(63)}`)]));
      const found = await checkPack(path, { expected: null, signal: AbortSignal.timeout(5000) });
      expect(found).toEqual({ isAccepted: false, reason: 'The public key in the pack is no key.' });
      expect((await runChecker(path)).text).toContain('The public key in the pack is no key.');
    }
  });
});

describe('its Ed25519', () => {
  /** RFC 8032, section 7.1: key, message and signature. */
  const VECTORS = [
    [
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
    [
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      'af82',
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    ],
  ] as const;

  async function isSigned(cases: readonly (readonly [string, string, string])[]): Promise<unknown> {
    const script = join(dirname(rig.target), 'vectors.py');
    const rest = `
import json
hexed = bytes.fromhex
print(json.dumps([is_signed(hexed(k), hexed(m), hexed(s)) for k, m, s in json.load(open(sys.argv[1]))]))
`;
    await writeFile(script, PYTHON_CHECKER.replace(/^if __name__[^]*$/m, rest));
    const list = join(dirname(rig.target), 'vectors.json');
    await writeFile(list, JSON.stringify(cases));
    const { code, text } = await runPython(script, list);
    expect(code, text).toBe(0);
    return JSON.parse(text);
  }

  it('agrees with the vectors of RFC 8032, and with signatures of Node', async () => {
    expect(await isSigned(VECTORS)).toEqual([true, true, true]);
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    const cases = Array.from({ length: 40 }, (_none, place) => {
      const message = Buffer.alloc(place * 7, place);
      return [key, message.toString('hex'), sign(null, message, privateKey).toString('hex')] as const;
    });
    expect(await isSigned(cases)).toEqual(cases.map(() => true));
    const wrong = cases.map(([own, message, signature]) => [own, `${message}00`, signature] as const);
    expect(await isSigned(wrong)).toEqual(cases.map(() => false));
  });

  it('stands in the PowerShell text with the same numbers, mark, words and exit codes', () => {
    const shared = [
      ...['27742317777372353535851937790883648493', '121665', '121666', 'channelscope-evidence-pack/1'],
      '(?:ed25519 ([0-9a-f]{64}) ([0-9a-f]{128})|unsigned ([a-z-]+))',
      ...['REFUSED: ', 'ACCEPTED: unaltered', 'UNALTERED since it was signed with the key'],
      'Compare this fingerprint with the one that the sender gave you',
      ...['The signature does not fit', 'It does not end as a pack does', 'The pack is not signed: '],
      ...['Exit code 0', 'Exit code 1', 'Exit code 2', 'Exit code 3', 'does not fit its pages'],
    ];
    for (const text of shared) {
      expect(PYTHON_CHECKER).toContain(text);
      expect(POWERSHELL_CHECKER).toContain(text);
    }
    // What Windows PowerShell reads without a mark at its beginning, and without escapes.
    expect(POWERSHELL_CHECKER).toMatch(/^[\n -~]*$/);
    expect(POWERSHELL_CHECKER).not.toContain('`');
    for (const [open, close] of ['()', '{}', '[]']) {
      const text = POWERSHELL_CHECKER.replaceAll(/'[^']*'|^#.*$/gm, '');
      expect(text.split(open ?? '').length, open).toBe(text.split(close ?? '').length);
    }
  });
});

describe('a pack that can’t be signed', () => {
  it.each([
    ['no-secret-store', openPackSigner('session')],
    [
      'key-unreadable',
      openPackSigner('keychain', {
        get: () => Promise.reject(new AppError('secrets.locked', 'The keychain is locked.')),
      }),
    ],
  ] as const)('says so, and why: %s', async (reason, signer) => {
    const own = await createRealRig('unsigned.zip', FROM_MS, signer);
    try {
      await fillSnapshot(own.cache, [createDocument(1)]);
      const task = await own.write({ format: 'evidence', evidence: DEFAULT_EVIDENCE });
      expect(task.signature).toEqual({ fingerprint: null, unsigned: reason });
      const files = await readZip(own.target);
      expect(files.get('README.txt')?.toString()).toContain('This pack is not signed');
      expect(JSON.parse(files.get('manifest.json')?.toString() ?? '')).toMatchObject({
        signature: { algorithm: null, reason },
      });
      const { code, text } = await runChecker(own.target);
      expect(code).toBe(1);
      expect(text).toContain(`not signed: ${reason}`);
    } finally {
      await own.close();
    }
  });
});

it('the private key is in the store alone: in no pack, and made once', async () => {
  const kept = new Map<string, string>();
  const signer = openPackSigner('keychain', {
    get: (entry, name) => Promise.resolve(kept.get(`${entry}/${name}`) ?? null),
    set: (entry, name, value) => Promise.resolve(void kept.set(`${entry}/${name}`, value)),
  });
  expect(await signer.find()).toEqual({ fingerprint: null, unsigned: null });
  const [first, second] = await Promise.all([signer.open(), signer.open()]);
  expect(first.signature).toEqual(second.signature);
  expect(await signer.find()).toEqual(first.signature);
  expect(kept.size).toBe(1);
  const own = await createRealRig('key.zip', FROM_MS, signer);
  try {
    await fillSnapshot(own.cache, [createDocument(1)]);
    await own.write({ format: 'evidence', evidence: DEFAULT_EVIDENCE });
    const bytes = await readFile(own.target);
    const files = [...(await readZip(own.target)).values()];
    for (const key of kept.values()) {
      const raw = Buffer.from(key, 'base64').subarray(-32);
      for (const content of [bytes, ...files])
        expect([key, raw, raw.toString('hex')].some((form) => content.includes(form))).toBe(false);
    }
  } finally {
    await own.close();
  }
});
