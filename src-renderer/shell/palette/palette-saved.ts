import { Bookmark, FileCode } from '@lucide/vue';
import type { SavedFilter } from '../../../src-main/common/model/records/saved-filter.ts';
import type { SavedStatement } from '../../../src-main/common/model/settings/settings.ts';
import type { PaletteEntry, Translate } from './palette-entries.ts';

/** Returns the entries that open the records of saved filters, each in the direction that it was saved for. */
export function toFilterEntries(saved: readonly SavedFilter[], t: Translate): PaletteEntry[] {
  return saved.map(({ name, direction, query }) => ({
    id: `filter ${name}`,
    group: 'filters',
    label: t('palette.filter', { name, direction: t(`detail.crumb.${direction}`) }),
    icon: Bookmark,
    keys: [],
    action: { kind: 'go', path: `/${direction}/detail?q=${encodeURIComponent(query)}` },
  }));
}

/** Returns the entries that run saved statements on the SQL screen. */
export function toStatementEntries(saved: readonly SavedStatement[]): PaletteEntry[] {
  return saved.map((statement) => ({
    id: `statement ${statement.name}`,
    group: 'statements',
    label: statement.name,
    icon: FileCode,
    keys: [],
    action: { kind: 'statement', statement },
  }));
}
