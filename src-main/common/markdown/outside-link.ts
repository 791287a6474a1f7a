/** Where a link of a person's text may lead outside of the window. */
const OUTSIDE = /^(?:https?:\/\/|mailto:)[^\s"<>]+$/iu;

/** Whether a link leads out of the window, to a place that is safe to name. */
export function isOutside(to: string): boolean {
  return OUTSIDE.test(to);
}
