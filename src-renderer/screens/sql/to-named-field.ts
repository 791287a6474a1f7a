const FIELDS: Readonly<Record<string, string>> = {
  channel: 'channel',
  service: 'service',
  action_id: 'actionId',
};

/** The field whose values a column of this name most likely holds, for the names that a person gave these. */
export function toNamedField(columnName: string): string {
  return FIELDS[columnName.toLowerCase()] ?? '';
}
