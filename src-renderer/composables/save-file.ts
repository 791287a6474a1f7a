/** The browser reads a saved blob after the click has returned. */
const KEEP_BLOB_MS = 60_000;

/** Lets the browser save what the host serves at the path. */
export function saveFromPath(path: string, fileName: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = fileName;
  document.body.append(link);
  link.click();
  link.remove();
}

/** Lets the browser, or the desktop window, save a text as a file. */
export function saveText(fileName: string, text: string, type: string): void {
  saveBlob(fileName, new Blob([text], { type }));
}

/** Lets the browser, or the desktop window, save bytes as a file. */
export function saveBlob(fileName: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  saveFromPath(address, fileName);
  setTimeout(() => URL.revokeObjectURL(address), KEEP_BLOB_MS);
}
