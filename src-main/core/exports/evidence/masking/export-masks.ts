import {
  AS_RECEIVED,
  type EvidenceMasking,
  hidesSomething,
} from '../../../../common/model/exports/export-options.ts';
import { toEndMs } from '../../../../common/model/period.ts';
import type { RecordFilter, RecordScope } from '../../../../common/model/records/record-filter.ts';
import { DETAIL_KINDS, REPORTS } from '../../../../common/reporting/reports.ts';
import type { Engine } from '../../../analysis/engine/create-engine.ts';
import type { ExportColumn } from '../../export-columns.ts';
import type { ExportSubject } from '../../export-subject.ts';
import type { ExportAbout } from '../../formats/export-writer.ts';
import type { ResultRow } from '../../rows/row-batch.ts';
import { createMasks } from './create-masks.ts';
import { createKnownClients, createPseudonyms, type KnownClients } from './known-clients.ts';
import { maskFilter, type ExportMasks, type MaskJob, type Masks } from './masks.ts';

/** Returns the masks that were asked for; null where everything is written as received. */
export function toExportMasks(
  engine: Pick<Engine, 'listClients'>,
  subject: Pick<ExportSubject, 'connectionId' | 'period'>,
  {
    scope,
    masking = AS_RECEIVED,
    others = [],
  }: {
    readonly scope: RecordScope;
    readonly masking?: EvidenceMasking | undefined;
    /** Where else clients are looked for: of other connections. */
    readonly others?: readonly MaskedSubject[];
  },
  pseudonymKey: Uint8Array,
): ExportMasks | null {
  if (!hidesSomething(masking)) return null;
  async function* listClients(signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const more = { parts: { engine }, options: { masking } };
    for (const own of [{ subject, scope }, ...others])
      yield* listKnownClients({ ...more, subject: own.subject, input: { scope: own.scope } }, signal);
  }
  return {
    job: { masking, pseudonymKey },
    listClients,
    async openKnown(signal) {
      const known = createKnownClients();
      for await (const clients of listClients(signal)) for (const client of clients) known.add(client);
      return known;
    },
  };
}

/** Makes the masks of a file; with `isFiltered` families are shown only as records that were asked for show them. */
export function createJobMasks(
  { masking, pseudonymKey }: MaskJob,
  known: KnownClients,
  isFiltered = false,
): Masks {
  return createMasks(masking, known, createPseudonyms(pseudonymKey), isFiltered);
}

/** Returns a filter as a masked file states it: of families only that there are some, since no record was looked at yet. */
export function maskStatedFilter(filter: RecordFilter, { masking, pseudonymKey }: MaskJob): RecordFilter {
  const masks = createJobMasks({ masking, pseudonymKey }, createKnownClients());
  const hide = (text: string): string => (text === '' ? '' : '…');
  return maskFilter(filter, { ...masks, text: hide, sessionId: hide, errorFamily: hide });
}

/** What a masked file says of that, in English. */
export function describeMasks({ masking }: MaskJob): Pick<ExportAbout, 'masking'> {
  return { masking: Object.values(describeMasking(masking)).join(' ') };
}

/** The response as the service spells it, which a statement may call its column. */
const RESPONSE = REPORTS['outbound-detail'].fields.response.wireName.toLowerCase();
const CLIENT_NAMES = new Set(['client']);
const CONTENT_NAMES = new Set(['payload', 'response', RESPONSE, 'other_fields', 'extra']);
/** Whether a column of a result has the name of what a body holds. */
export const isContentColumn = (name: string): boolean => CONTENT_NAMES.has(name.toLowerCase());
const ERROR_NAMES = new Set(['error', 'first_error', 'firsterror', 'first error']);

/**
 * Returns the columns of a result as a masked file has them. A statement may call its columns what it likes: what has the
 * name of a record's field is masked as that is, and clients are replaced in all other texts. An error is compared with
 * what a payload says only where the statement selects that too.
 */
export function maskResultColumns(
  columns: readonly ExportColumn<ResultRow>[],
  masks: Masks,
): readonly ExportColumn<ResultRow>[] {
  const own = columns.find(({ name }) => CLIENT_NAMES.has(name.toLowerCase()));
  const toOwn = (row: ResultRow): string => {
    const client = own?.read(row);
    return typeof client === 'string' ? client : '';
  };
  const toText = (row: ResultRow, wanted: string): string | null => {
    const value = columns.find(({ name }) => name.toLowerCase() === wanted)?.read(row);
    return typeof value === 'string' ? value : null;
  };
  return columns.flatMap((column) => {
    const name = column.name.toLowerCase();
    const { client, payload } = masks.masking;
    if (CLIENT_NAMES.has(name) && client === 'left-out') return [];
    if (isContentColumn(name) && payload === 'left-out') return [];
    const mask = (text: string, row: ResultRow): string => {
      if (CLIENT_NAMES.has(name)) return masks.client(text);
      if (isContentColumn(name)) return masks.content(text, toOwn(row));
      if (ERROR_NAMES.has(name))
        return masks.error({
          error: text,
          client: toOwn(row),
          payload: toText(row, 'payload') ?? '',
          response: toText(row, 'response') ?? toText(row, RESPONSE),
        });
      return masks.text(text, toOwn(row));
    };
    const read = (row: ResultRow): ReturnType<typeof column.read> => {
      const value = column.read(row);
      return typeof value === 'string' ? mask(value, row) : value;
    };
    return [{ ...column, read }];
  });
}

/** What clients are listed of. */
interface MaskedSubject {
  readonly subject: Pick<ExportSubject, 'connectionId' | 'period'>;
  readonly scope: RecordScope;
}

/** Period of a result, as clients are listed for. */
export function toResultSubject(connectionId: string, period: ExportSubject['period']): MaskedSubject {
  const span = { fromMs: period.fromMs, toMs: toEndMs(period) };
  return { subject: { connectionId, period }, scope: { connectionId, report: 'inbound-detail', ...span } };
}

/** Where clients are looked for. */
interface ClientQuestion {
  readonly parts: { readonly engine: Pick<Engine, 'listClients'> };
  readonly subject: Pick<ExportSubject, 'connectionId' | 'period'>;
  readonly input: { readonly scope: RecordScope };
  readonly options: { readonly masking: EvidenceMasking };
}

/** Every client of an export's records and of its period, in pages; none where clients leave as received. Throws `analysis.*`. */
export async function* listKnownClients(
  { parts, subject, input, options }: ClientQuestion,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  if (options.masking.client === 'received') return;
  const { connectionId, period } = subject;
  // Sessions and findings go beyond the records: to the other direction.
  const span = { connectionId, fromMs: period.fromMs, toMs: toEndMs(period) };
  for (const scope of [input.scope, ...DETAIL_KINDS.map((report) => ({ ...span, report }))])
    yield* listClients(parts.engine, scope, signal);
}

const PAGE_CLIENTS = 50_000;

/** Lists every client of a scope, a page of them at a time. Throws `analysis.*`. */
export async function* listClients(
  engine: Pick<Engine, 'listClients'>,
  scope: RecordScope,
  signal?: AbortSignal,
): AsyncGenerator<readonly string[]> {
  let after: string | null = null;
  for (;;) {
    const clients: readonly string[] = await engine.listClients(
      { scope, after, limit: PAGE_CLIENTS },
      { signal },
    );
    yield clients;
    const last = clients.at(-1);
    if (last === undefined || last === after || clients.length < PAGE_CLIENTS) return;
    after = last;
  }
}

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
