import type { Command } from '../words/command.ts';
import { ALERT_COMMANDS } from './alerts.ts';
import { casesCommand } from './cases.ts';
import { createCompletionCommand } from './completion.ts';
import { CONNECTION_COMMANDS } from './connections.ts';
import { conversationsCommand } from './conversations.ts';
import { timesCommand } from './times.ts';
import { countCommand } from './count.ts';
import { datasetCommand } from './dataset.ts';
import { errorsCommand } from './errors.ts';
import { evidenceCommand } from './evidence.ts';
import { exportCommand } from './export.ts';
import { fetchCommand } from './fetch.ts';
import { findingsCommand, incidentsCommand } from './findings.ts';
import { followCommand } from './follow.ts';
import { importCommand } from './import.ts';
import { mcpCommand } from './mcp.ts';
import { outcomeCommand } from './outcome.ts';
import { ownTablesCommand } from './own-tables.ts';
import { plannedCommand } from './planned.ts';
import { PRESET_COMMANDS } from './presets.ts';
import { SCHEDULE_COMMANDS } from './schedules.ts';
import { serviceLevelsCommand } from './service-levels.ts';
import { SHARED_COMMANDS } from './shared.ts';
import { SNAPSHOT_COMMANDS } from './snapshots.ts';
import { SECRET_COMMANDS } from './secrets.ts';
import { sqlCommand } from './sql.ts';
import { statusCommand } from './status.ts';
import { summaryCommand } from './summary.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...CONNECTION_COMMANDS,
  ...SECRET_COMMANDS,
  statusCommand,
  fetchCommand,
  followCommand,
  ...SNAPSHOT_COMMANDS,
  countCommand,
  summaryCommand,
  outcomeCommand,
  ownTablesCommand,
  plannedCommand,
  serviceLevelsCommand,
  errorsCommand,
  conversationsCommand,
  timesCommand,
  findingsCommand,
  incidentsCommand,
  ...ALERT_COMMANDS,
  sqlCommand,
  exportCommand,
  evidenceCommand,
  casesCommand,
  ...PRESET_COMMANDS,
  importCommand,
  datasetCommand,
  ...SCHEDULE_COMMANDS,
  ...SHARED_COMMANDS,
  mcpCommand,
  createCompletionCommand(() => COMMANDS),
];
