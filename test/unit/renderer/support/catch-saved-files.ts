import { vi } from 'vitest';

/** Takes what a page saves as a file, by name; `vi.restoreAllMocks` ends it. */
export function catchSavedFiles(): ReadonlyMap<string, Blob> {
  const saved = new Map<string, Blob>();
  let last = new Blob();
  vi.spyOn(URL, 'createObjectURL').mockImplementation((part) => {
    if (part instanceof Blob) last = part;
    return 'blob:saved';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.set(this.download, last);
  });
  return saved;
}
