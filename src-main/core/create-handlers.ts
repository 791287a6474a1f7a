import { randomUUID } from 'node:crypto';
import type { Handlers } from '../common/contract/index.ts';
import { createAnalysisHandlers } from './analysis/analysis-handlers.ts';
import { createAlertsHandlers } from './alerts/alerts-handlers.ts';
import { createAppHandlers } from './app/app-handlers.ts';
import { createCacheHandlers } from './cache/cache-handlers.ts';
import { createCasesHandlers } from './cases/cases-handlers.ts';
import { createCompareHandlers } from './compare/compare-handlers.ts';
import { createConnectionsHandlers } from './connections/connections-handlers.ts';
import {
  createConversationsHandlers,
  createMarksHandlers,
  createRecordsHandlers,
} from './records/records-handlers.ts';
import { createCoverageHandlers } from './coverage/create-ledger.ts';
import type { Parts } from './create-parts.ts';
import { createDataFolderHandlers, type FolderMover } from './data-folder/create-folder-mover.ts';
import { createDatasetsHandlers } from './datasets/datasets.ts';
import { createDeprecationsHandlers } from './deprecations/deprecations-handlers.ts';
import { createDiagnosticsHandlers } from './diagnostics/diagnostics-handlers.ts';
import { createExportsHandlers } from './exports/create-exporter.ts';
import { createFamiliesHandlers, createOutcomeHandlers } from './families/families-handlers.ts';
import { createFindingsHandlers } from './findings/findings-handlers.ts';
import { createIncidentsHandlers } from './findings/incidents-handlers.ts';
import { createListWaits } from './findings/list-waits.ts';
import { createFollowingHandlers } from './following/create-following.ts';
import { createGlanceHandlers } from './glance/glance-handlers.ts';
import { createImportsHandlers } from './imports/create-library-importer.ts';
import { createLocalServiceHandlers } from './local-service/create-local-service.ts';
import { createStatusHandlers } from './monitor/create-monitor.ts';
import { createOwnTablesHandlers } from './own-tables/own-tables.ts';
import { createOverviewHandlers } from './overview/overview-handlers.ts';
import { createPlannedHandlers } from './planned/planned-handlers.ts';
import { createDestinationsHandlers } from './destinations/destinations-handlers.ts';
import { createSchedulesHandlers } from './schedules/open-schedules.ts';
import { createSecretsHandlers } from './secrets/secrets-handlers.ts';
import { createServiceLevelsHandlers } from './service-levels/service-levels.ts';
import { createSettingsHandlers } from './settings/create-settings.ts';
import { createSeveralHandlers } from './several/several-handlers.ts';
import { createSharedWorkHandlers } from './shared-work/open-shared-work.ts';
import { createSnapshotsHandlers } from './snapshots/snapshots-handlers.ts';
import { createSqlHandlers } from './sql/sql-handlers.ts';
import { createSummariesHandlers } from './summaries/summaries.ts';
import { createTasksHandlers } from './tasks/task-registry.ts';
import { createUpdatesHandlers } from './updates/updates.ts';

/** One handler for each operation of the contract, prefix by prefix. */
export function createHandlers(
  parts: Parts,
  { mover, ...start }: { readonly isSafe: boolean; readonly mover: FolderMover },
): Handlers {
  const waits = createListWaits();
  const sql = createSqlHandlers(parts);
  return {
    ...createAnalysisHandlers(parts),
    ...createAlertsHandlers(parts),
    ...createAppHandlers({ ...parts, ...start }),
    ...createCacheHandlers(parts),
    ...createCasesHandlers({
      ...parts,
      runSql: async (question) => sql['sql/run']({ ...question, runId: randomUUID() }),
    }),
    ...createCompareHandlers(parts),
    ...createConnectionsHandlers(parts),
    ...createConversationsHandlers(parts),
    ...createCoverageHandlers(parts),
    ...createDataFolderHandlers({ ...parts, mover }),
    ...createDatasetsHandlers(parts),
    ...createDeprecationsHandlers(parts),
    ...createDiagnosticsHandlers({ ...parts, ...start }),
    ...parts.downloadCalls,
    ...createExportsHandlers(parts),
    ...createFamiliesHandlers(parts),
    ...createFindingsHandlers({ ...parts, waits }),
    ...createFollowingHandlers(parts),
    ...createGlanceHandlers(parts),
    ...createImportsHandlers(parts),
    ...createIncidentsHandlers({ ...parts, waits }),
    ...createLocalServiceHandlers(parts),
    ...createMarksHandlers(parts),
    ...createOutcomeHandlers(parts),
    ...createOverviewHandlers(parts),
    ...createOwnTablesHandlers(parts),
    ...createPlannedHandlers(parts),
    ...createRecordsHandlers(parts),
    ...createDestinationsHandlers(parts),
    ...createSchedulesHandlers(parts),
    ...createSecretsHandlers(parts),
    ...createServiceLevelsHandlers(parts),
    ...createSettingsHandlers(parts),
    ...createSeveralHandlers(parts),
    ...createSharedWorkHandlers(parts),
    ...createSnapshotsHandlers(parts),
    ...sql,
    ...createStatusHandlers(parts),
    ...createSummariesHandlers(parts),
    ...createTasksHandlers(parts),
    ...createUpdatesHandlers(parts),
  };
}
