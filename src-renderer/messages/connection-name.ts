import { useI18n } from 'vue-i18n';
import {
  LOCAL_CONNECTION_NAME,
  type Connection,
} from '../../src-main/common/model/connections/connection.ts';

/** Returns a function that names a connection: the built-in one in the window's language until a person renames it. */
export function useConnectionName(): (connection: Pick<Connection, 'kind' | 'name'>) => string {
  const { t } = useI18n();
  return ({ kind, name }) =>
    kind === 'local' && name === LOCAL_CONNECTION_NAME ? t('local-service.title') : name;
}
