/** Runs what a key without modifiers does to the rows of the table. */
export function onRowKey(event: KeyboardEvent, actions: Readonly<Record<string, () => unknown>>): void {
  const isInTable = event.target instanceof Element && event.target.closest('[role=gridcell]') !== null;
  const action = actions[event.key.toLowerCase()];
  if (!isInTable || action === undefined) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  action();
}
