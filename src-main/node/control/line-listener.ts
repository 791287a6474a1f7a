import { StringDecoder } from 'node:string_decoder';

/** Returns a listener for chunks that calls `onLine` for each whole line, and `onTooLong` for one that never ends. */
export function createLineListener(
  onLine: (line: string) => void,
  limit: { readonly maxCharacters: number; readonly onTooLong: () => void },
): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  return (chunk) => {
    const pieces = decoder.write(chunk).split('\n');
    for (const [index, piece] of pieces.entries()) {
      parts.push(piece);
      length += piece.length;
      if (length > limit.maxCharacters) {
        limit.onTooLong();
        return;
      }
      if (index === pieces.length - 1) return;
      const line = parts.join('');
      parts = [];
      length = 0;
      onLine(line);
    }
  };
}
