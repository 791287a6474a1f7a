/** One choice of a list of checkboxes. */
export interface CheckItem<Value extends string | number> {
  readonly value: Value;
  readonly label: string;
  readonly count?: number | undefined;
  readonly disabled?: boolean | undefined;
}
