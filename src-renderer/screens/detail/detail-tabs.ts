/** What a Detail screen shows of its records: themselves, their errors by family, or their texts by pattern. */
export const DETAIL_TABS = ['records', 'errors', 'patterns'] as const;
export type DetailTab = (typeof DETAIL_TABS)[number];
