import { randomUUID } from 'node:crypto';
import { ADDRESS_NOT_STATED, TENANT_NOT_STATED } from '../../common/model/cache/imported.ts';
import { SPECIFIED_REPORT_IDENTIFIERS } from '../../common/reporting/reports.ts';
import type { SavedConnection } from './connection-file.ts';

const MAX_NAME_LENGTH = 80;
const PAGE_SIZE = 1_000;

/** Where imported records came from, as far as their file says it. */
export interface ImportedPlace {
  /** Name of the connection there; null where it is not known. */
  readonly name: string | null;
  readonly address: string | null;
  readonly tenant: number | null;
  /** Zone of dates that carry none. */
  readonly zone: string;
  /** What people there said of its records: a place that is new goes on with it. */
  readonly rules?: SharedRules;
}

/** What people say of a connection's records, which goes with them to another computer. */
export type SharedRules = Partial<Pick<SavedConnection, 'outcomes' | 'families' | 'plans' | 'serviceLevels'>>;

/** Returns what of a connection goes with its records. */
export function pickSharedRules({ outcomes, families, plans, serviceLevels }: SharedRules): SharedRules {
  return {
    ...(outcomes === undefined ? {} : { outcomes }),
    ...(families === undefined ? {} : { families }),
    ...(plans === undefined ? {} : { plans }),
    ...(serviceLevels === undefined ? {} : { serviceLevels }),
  };
}

/** Returns the place that was made for such records before. */
export function findImportedPlace(
  saved: readonly SavedConnection[],
  { address, tenant }: ImportedPlace,
): SavedConnection | undefined {
  return saved.find(
    (each) =>
      each.kind === 'imported' &&
      each.baseAddress === (address ?? ADDRESS_NOT_STATED) &&
      each.tenant === (tenant ?? TENANT_NOT_STATED),
  );
}

/** Makes the place, under a name that no other connection has. */
export function toImportedPlace(
  { name, address, tenant, zone, rules = {} }: ImportedPlace,
  saved: readonly SavedConnection[],
  nowMs: number,
): SavedConnection {
  return {
    id: randomUUID(),
    kind: 'imported',
    name: toFreeName(name === null ? 'Imported' : `Imported: ${name}`, saved),
    baseAddress: address ?? ADDRESS_NOT_STATED,
    tenant: tenant ?? TENANT_NOT_STATED,
    serviceZone: zone,
    reportIdentifiers: { ...SPECIFIED_REPORT_IDENTIFIERS },
    pageSize: PAGE_SIZE,
    createdAtMs: nowMs,
    ...rules,
  };
}

function toFreeName(wanted: string, saved: readonly SavedConnection[]): string {
  const base = wanted.slice(0, MAX_NAME_LENGTH - 5);
  const isTaken = (name: string): boolean => saved.some((each) => each.name === name);
  let name = base;
  for (let number = 2; isTaken(name); number += 1) name = `${base} ${number}`;
  return name;
}
