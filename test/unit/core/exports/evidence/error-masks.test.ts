import { expect, it } from 'vitest';
import { DEFAULT_EVIDENCE } from '../../../../../src-main/common/model/exports/evidence-options.ts';
import { maskFilter } from '../../../../../src-main/core/exports/evidence/masking/mask-filter.ts';
import { createMasks } from '../../../../../src-main/core/exports/evidence/masking/create-masks.ts';
import { createKnownClients } from '../../../../../src-main/core/exports/evidence/masking/known-clients.ts';

const toError = (error: string) => ({ client: 'Ana Haddad', error, payload: '', response: null });

function createTestMasks() {
  const known = createKnownClients();
  known.add('Ana Haddad');
  return createMasks(DEFAULT_EVIDENCE.masking, known, () => 'client-1');
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
