/** Lets the browser save what the host serves under the path. */
export function startDownload(path: string, fileName: string, page: Document = document): void {
  const link = page.createElement('a');
  link.href = path;
  link.download = fileName;
  page.body.append(link);
  link.click();
  link.remove();
}
