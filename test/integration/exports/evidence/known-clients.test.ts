import { afterAll, beforeAll, expect, it } from 'vitest';
import { foldCase } from '../../../../src-main/common/fold-case.ts';
import {
  CLIENT_MASKS,
  DEFAULT_EVIDENCE,
  type EvidenceMasking,
  PAYLOAD_MASKS,
} from '../../../../src-main/common/model/exports/export-options.ts';
import { readZip } from '../../../support/files/read-zip.ts';
import { createDocument, fillSnapshot, FROM_MS } from '../../cache/cache-fixture.ts';
import { createRealRig, type RealRig } from '../real-rig.ts';

/** Clients, and how texts of a service write them. */
const CLIENTS = [
  ['Johann Strauß', 'JOHANN STRAUSS'],
  ['İlker Demir', 'İLKER DEMİR'],
  ['Jörg Vogel', 'JÖRG VOGEL'.normalize('NFD')],
  ['+49 171 5550123', '491715550123'],
  ['Çelik-Øster, Ruža', 'çelik øster ruža'],
] as const;

let rig: RealRig;
beforeAll(async () => {
  rig = await createRealRig('clients.zip');
  const documents = CLIENTS.flatMap(([client, written], place) => {
    const texts = [`no route for ${written}`, `${written}: timed out`, `{"to":"${written}"}`];
    return texts.map((text, number) =>
      createDocument(place * 10 + number, {
        Id: `session ${place}`,
        Client: client,
        ReponseCode: 500,
        Error: text,
        Payload: `{"text":"called by ${written}","from":"${client}"}`,
      }),
    );
  });
  await fillSnapshot(rig.cache, documents, {}, 4);
});
afterAll(() => rig.close());

/** Everything that a pack holds, as it reads whatever its letters' case and composition, and its numbers without spaces. */
async function readPack(
  masking: EvidenceMasking,
): Promise<{ readonly words: string; readonly digits: string }> {
  const task = await rig.write({
    scope: { connectionId: 'one', report: 'inbound-detail', fromMs: FROM_MS, toMs: FROM_MS + 3_600_000 },
    format: 'evidence',
    evidence: { ...DEFAULT_EVIDENCE, masking, sessionIds: ['session 0', 'session 3'] },
  });
  expect(task, JSON.stringify(task.error)).toMatchObject({ state: 'done' });
  const files = [...(await readZip(rig.target))].map(([name, bytes]) => `${name}\n${bytes.toString('utf8')}`);
  const text = files.join('\n');
  const unescaped = text.replaceAll(/\\u([0-9a-f]{4})/giu, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return { words: foldCase(unescaped.normalize('NFC')), digits: text.replaceAll(/[\s().+-]/gu, '') };
}

function findClients({ words, digits }: Awaited<ReturnType<typeof readPack>>): string[] {
  return CLIENTS.filter(([client, written]) => {
    if (/^[+\d ]+$/u.test(client)) return digits.includes(written);
    const parts = client.split(/[^\p{L}\p{M}]+/u).filter((part) => part !== '');
    // One word of a name gives it away as well.
    return [...parts, written].some((part) => words.includes(foldCase(part.normalize('NFC'))));
  }).map(([client]) => client);
}

const maskings = CLIENT_MASKS.filter((mask) => mask !== 'received').flatMap((client) =>
  (['folded', 'numbers', 'received'] as const).flatMap((errors) =>
    PAYLOAD_MASKS.filter((payload) => payload === 'received' || client === 'pseudonym').map(
      (payload): EvidenceMasking => ({ client, payload, errors }),
    ),
  ),
);

it.each(maskings)('no way of writing a client stands in a pack where %j', async (masking) => {
  expect(findClients(await readPack(masking))).toEqual([]);
});

it('all of them stand there where nothing is masked', async () => {
  const found = findClients(await readPack({ client: 'received', payload: 'received', errors: 'received' }));
  expect(found).toEqual(CLIENTS.map(([client]) => client));
});
