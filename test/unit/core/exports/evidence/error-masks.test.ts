import { expect, it } from 'vitest';
import {
  DEFAULT_EVIDENCE,
  type EvidenceMasking,
} from '../../../../../src-main/common/model/exports/export-options.ts';
import { maskFilter } from '../../../../../src-main/core/exports/evidence/masking/masks.ts';
import { createMasks } from '../../../../../src-main/core/exports/evidence/masking/create-masks.ts';
import { createKnownClients } from '../../../../../src-main/core/exports/evidence/masking/known-clients.ts';

const toError = (error: string) => ({ client: 'Ana Haddad', error, payload: '', response: null });

function createTestMasks(change: Partial<EvidenceMasking> = {}) {
  const known = createKnownClients();
  for (const client of ['Ana Haddad', '+49 171 5550123', '884213']) known.add(client);
  return createMasks({ ...DEFAULT_EVIDENCE.masking, ...change }, known, () => 'client-1');
}

it('a family that was joined, named or split is shown by what its records say, and none of others is', () => {
  const masks = createTestMasks();
  const pattern = 'The queue is full';
  masks.addFamilies([
    { pattern, family: 'The line is full', isNamed: false },
    { pattern, family: 'Overload of Ana Haddad', isNamed: true },
    { pattern, family: 'who = Ana Haddad · The queue is full', isNamed: false },
    { pattern: 'Other', family: 'Named other', isNamed: true },
  ]);
  masks.error(toError(pattern));
  expect(masks.errorFamily('The line is full')).toBe(pattern);
  expect(masks.errorFamily('Overload of Ana Haddad')).not.toContain('Ana Haddad');
  expect(masks.errorFamily('Overload of Ana Haddad')).toMatch(/^Overload of /);
  expect(masks.errorFamily('who = Ana Haddad · The queue is full')).toBe(pattern);
  expect(masks.errorFamily('Named other')).toBe('<not shown>');
});

it('what a filter says in brackets and in patterns is masked as what it says beside them', () => {
  const masks = createTestMasks();
  const masked = maskFilter(
    {
      conditions: [
        {
          any: [
            { conditions: [{ field: 'client', values: ['Ana Haddad'] }] },
            {
              conditions: [
                { field: 'client', wildcard: 'Ana H*' },
                { field: 'error', regex: 'Ana|Haddad' },
              ],
            },
            { conditions: [{ any: [{ conditions: [{ field: 'anywhere', text: 'Haddad' }] }] }] },
          ],
          exclude: true,
        },
      ],
    },
    masks,
  );
  expect(JSON.stringify(masked)).not.toMatch(/Ana|Haddad/);
  expect(masked.conditions[0]).toMatchObject({
    exclude: true,
    any: [{ conditions: [{ values: ['client-1'] }] }, {}, {}],
  });
});

it('what a filter looks for inside bodies is hidden, since it may be any part of what is masked', () => {
  const masked = maskFilter(
    { conditions: [{ field: 'payload.user."full name"', values: ['Ana Haddad'] }] },
    createTestMasks(),
  );
  expect(masked.conditions).toEqual([{ field: 'payload.user."full name"', values: ['…'] }]);
});

it.each([
  ['No answer of the backend after 30000 ms', 'No answer of the backend after 30000 ms'],
  ['Limit of 200 requests reached: 201', 'Limit of 200 requests reached: 201'],
  ['Body of 10485760 bytes, 12.5% free (503)', 'Body of 10485760 bytes, 12.5% free (503)'],
])('%j keeps its numbers where that is chosen', (error, written) => {
  const masks = createTestMasks({ errors: 'numbers' });
  expect(masks.error(toError(error))).toBe(written);
});

it.each([
  'Call 0171 555 0199 failed',
  'Call +49 171 5550123 failed',
  'Account 884213 is closed',
  'No user 9921 with id=4711',
  'Customer no. 5512 was refused',
  'Ticket: 7788, order: 4455',
  'Card 4111111111111111 was refused at 2026-11-28T10:15:30Z',
  'No phone 5550177 for "room 12"',
])('%j loses numbers that may say who is meant', (error) => {
  const written = createTestMasks({ errors: 'numbers' }).error(toError(error));
  expect(written).not.toMatch(/\d{2}/);
});

it('a number that the payload says is taken out of its error, also where numbers stay', () => {
  const masks = createTestMasks({ errors: 'numbers' });
  const payload = '{"text":"I have 17 red bicycles to sell","amount":90210}';
  const error = 'No rule for: I have 17 red bicycles to sell at 90210';
  expect(masks.error({ ...toError(error), payload })).not.toMatch(/17|90210/);
});
