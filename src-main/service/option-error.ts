/** An option that can't be used; the message is for the person at the command line. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}
