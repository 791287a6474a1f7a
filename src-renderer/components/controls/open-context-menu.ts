/** Opens the context menu of what an element stands for, below the element, as a right click on it does. */
export function openContextMenu(element: Element): void {
  const { left, bottom } = element.getBoundingClientRect();
  const place = { clientX: left, clientY: bottom, bubbles: true, cancelable: true };
  element.dispatchEvent(new MouseEvent('contextmenu', place));
}
