import type { HandlersOf } from '../../common/contract/index.ts';
import type { ComparedGroup } from '../../common/model/analysis/comparison.ts';
import type { Engine } from '../analysis/engine/create-engine.ts';
import { judgeChanges } from './judge-change.ts';

const QUANTILES = { median: 0.5, p95: 0.95 } as const;

/** The handlers of `compare/…`. */
export function createCompareHandlers({ engine }: { readonly engine: Engine }): HandlersOf<'compare'> {
  return {
    'compare/compare-groups': async ({ before, after, by, measure, quantile }) => {
      const { groups: found, unlistedCount } = await engine.compareRecords({
        before: { scope: before.scope, filter: before.filter },
        after: { scope: after.scope, filter: after.filter },
        by,
        quantile: measure === 'response' ? QUANTILES[quantile] : null,
        isVolume: measure === 'volume',
      });
      const [total] = found;
      if (total === undefined) throw new Error('All records together are always counted.');
      const question = { measure, quantile, beforeMs: before.lengthMs, afterMs: after.lengthMs };
      const [all, ...judged] = [
        ...judgeChanges([total], total, question),
        ...judgeChanges(
          found.filter(({ key }) => key.length > 0),
          total,
          question,
        ),
      ];
      if (all === undefined) throw new Error('All records together are always judged.');
      const listOf = (fields: number): ComparedGroup[] =>
        judged.filter(({ key }) => key.length === fields).sort(byContribution);
      const groups = listOf(1);
      return { total: { ...all, ...addParts(groups) }, groups, parts: listOf(2), unlistedCount };
    },
  };
}

/** Equal ones stay in the order of their size. */
function byContribution(a: ComparedGroup, b: ComparedGroup): number {
  return Math.abs(b.contribution ?? 0) - Math.abs(a.contribution ?? 0);
}

/** How much of the change of all is rate and how much is mix depends on the groups that it is divided into. */
function addParts(groups: readonly ComparedGroup[]): Pick<ComparedGroup, 'rate' | 'mix'> {
  const add = (name: 'rate' | 'mix'): number | null =>
    groups.reduce<number | null>(
      (sum, group) => (sum === null || group[name] === null ? null : sum + group[name]),
      0,
    );
  return groups.length === 0 ? { rate: null, mix: null } : { rate: add('rate'), mix: add('mix') };
}
