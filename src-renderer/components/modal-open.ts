/** Returns true while a dialog is open that everything behind it waits for. */
export function isModalOpen(): boolean {
  return document.querySelector('.cs-scrim') !== null;
}
