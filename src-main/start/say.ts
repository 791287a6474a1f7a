/** Writes a message to standard error: standard output is for the one line that programs read. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
