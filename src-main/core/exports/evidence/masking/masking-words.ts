import type { EvidenceMasking } from '../../../../common/model/exports/evidence-options.ts';

const CLIENTS: Readonly<Record<EvidenceMasking['client'], string>> = {
  pseudonym:
    'Each client has a pseudonym, the same in all files, also where other texts name it. The secret key that pseudonyms were made with is not in the pack, and is not kept.',
  shortened: 'Of each client only the beginning stands, also where other texts name it.',
  'left-out': 'Clients are left out; other texts that name one have <client> there.',
  received: 'Clients stand as received.',
};

const PAYLOADS: Readonly<Record<EvidenceMasking['payload'], string>> = {
  'left-out':
    'Payloads, responses and fields that the specification does not know are left out; errors that quote them have <payload> there.',
  masked:
    'Of payloads, responses and fields that the specification does not know only the shape stands: letters are x, digits 0. Errors that quote them have <payload> there.',
  shortened:
    'Of payloads, responses and fields that the specification does not know only the beginning stands. Errors that quote them have <payload> there.',
  received: 'Payloads, responses and fields that the specification does not know stand as received.',
};

const ERRORS: Readonly<Record<EvidenceMasking['errors'], string>> = {
  folded:
    'In error texts numbers, identifiers, quoted values, addresses, times, names and paths are folded to <number>, <id>, <value>, <address>, <time>, <name> and <path>. Of errors in JSON, XML or HTML only codes and messages are kept.',
  numbers:
    'In error texts numbers of up to six digits that stand by themselves, and numbers before a unit, are kept. Other numbers, identifiers, quoted values, addresses, times, names and paths are folded to <number>, <id>, <value>, <address>, <time>, <name> and <path>. Of errors in JSON, XML or HTML only codes and messages are kept.',
  received: 'Error texts stand in full, apart from what is said above.',
};

/** What was masked in a pack, and how, in sentences. */
export function describeMasking({
  client,
  payload,
  errors,
}: EvidenceMasking): Readonly<Record<keyof EvidenceMasking, string>> {
  return { client: CLIENTS[client], payload: PAYLOADS[payload], errors: ERRORS[errors] };
}
