import type { Engine } from '../../analysis/engine/create-engine.ts';
import type { ExportCache, ExportEngine } from '../export-source.ts';
import type { ReportParts } from '../report/report-parts.ts';
import type { PackSigner } from './signing/pack-signature.ts';
import type { RowWriter } from '../thread/create-row-writer.ts';

/** What evidence packs are made from. */
export interface EvidenceParts extends ReportParts {
  readonly cache: ReportParts['cache'] & ExportCache;
  readonly engine: ReportParts['engine'] &
    ExportEngine &
    Pick<Engine, 'readSession' | 'listClients' | 'listFamilyNames'>;
  readonly rowWriter: Pick<RowWriter, 'withPack'>;
  readonly packSigner: PackSigner;
}
