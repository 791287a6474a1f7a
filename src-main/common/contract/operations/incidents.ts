import { Type } from 'typebox';
import { Incident, IncidentChange, IncidentPart } from '../../model/analysis/incident.ts';
import { FindingsReport } from '../../model/analysis/finding.ts';
import { ConnectionId, Nothing, operation } from '../operation.ts';
import { ListId } from './findings.ts';

const OfParts = Type.Object({
  ...ConnectionId.properties,
  parts: Type.Array(IncidentPart, { minItems: 1, maxItems: 200 }),
});

export const incidentsOperations = {
  /**
   * The incidents of a period, the one with the latest onset first: what stood out in it, joined where it came back, with
   * what a person said of it. What came later is left out. Days are judged once and kept: `isKeptOnly` tells at once what is
   * known from them, and `unjudgedDays` how many are missing. `listId` as in `findings/list`.
   */
  'incidents/list': operation(
    Type.Object({
      ...ConnectionId.properties,
      period: Type.Object({ fromMs: Type.Integer(), toMs: Type.Integer() }),
      isKeptOnly: Type.Optional(Type.Boolean()),
      listId: Type.Optional(ListId),
    }),
    Type.Object({
      incidents: Type.Array(Incident),
      unjudgedDays: Type.Integer({ minimum: 0 }),
      ...Type.Pick(FindingsReport, ['untilMs', 'gaps', 'noticed']).properties,
    }),
  ),
  /** Names, notes or dismisses all parts of an incident. Rejects with `incidents.too-many` when too much is said. */
  'incidents/change': operation(Type.Object({ ...OfParts.properties, change: IncidentChange }), Nothing),
  /** Makes findings one incident, or each one of its own again. */
  'incidents/group': operation(Type.Object({ ...OfParts.properties, isOne: Type.Boolean() }), Nothing),
};
