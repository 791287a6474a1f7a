import { useI18n } from 'vue-i18n';
import type { Connection } from '../../src-main/common/model/connections/connection.ts';
import { type Snapshot, toKnownTenant } from '../../src-main/common/model/cache/snapshot.ts';

/** Returns functions that name the tenant; of imported records it may be that no file says it. */
export function useTenantWords(): {
  ofConnection(connection: Pick<Connection, 'kind' | 'tenant'>): string;
  ofSnapshot(snapshot: Pick<Snapshot, 'imported' | 'tenant'>): string;
} {
  const { t } = useI18n();
  const toWords = (stated: number, isImported: boolean): string => {
    const tenant = toKnownTenant(stated, isImported);
    return tenant === null ? t('shell.noTenant') : t('shell.tenant', { tenant });
  };
  return {
    ofConnection: ({ kind, tenant }) => toWords(tenant, kind === 'imported'),
    ofSnapshot: ({ imported, tenant }) => toWords(tenant, imported !== undefined),
  };
}
