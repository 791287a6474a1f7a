import type { ValueName } from '../../../common/model/records/value-name.ts';
import type { Words } from '../../../common/words/words.ts';
import type { SavedConnection } from '../../connections/connection-document.ts';
import type { Engine } from '../../analysis/engine/create-engine.ts';
import type { Cache } from '../../cache/cache.ts';
import type { Ledger } from '../../coverage/create-ledger.ts';

/** What reports are computed from. */
export interface ReportParts {
  readonly cache: Pick<Cache, 'readStatusHistory' | 'getDownload' | 'readJournalFigures' | 'measureLevels'>;
  readonly ledger: Pick<Ledger, 'read' | 'readSnapshot' | 'readExtent'>;
  readonly engine: Pick<
    Engine,
    'groupRecords' | 'readHistogram' | 'readSeries' | 'findErrorFamilies' | 'findPeriodFindings'
  >;
  /** The application's version. */
  readonly version: string;
  now(): number;
  /** The language that reports are written in. */
  readWords(): Words;
  listNames(connectionId: string): readonly ValueName[];
  /** Undefined for a connection that is gone. */
  findConnection(
    connectionId: string,
  ):
    | Pick<
        SavedConnection,
        'kind' | 'name' | 'baseAddress' | 'tenant' | 'incidents' | 'plans' | 'serviceLevels' | 'outcomes'
      >
    | undefined;
}
