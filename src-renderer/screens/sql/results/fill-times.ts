const TIME = /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d{1,3})?)?$/;
/** More would not be told apart. */
const MAX_FILLED = 2000;

/**
 * Returns times in their order with those that are missing among them, so that an hour without rows leaves a gap. Times
 * that don't follow one another at equal distances are returned as they are.
 */
export function fillTimes(times: readonly string[]): readonly string[] {
  const [first = ''] = times;
  if (times.length < 3 || !times.every((time) => TIME.test(time) && time.length === first.length))
    return times;
  const instants = times.map((time) =>
    Date.parse(`${time.replace(' ', 'T')}${time.includes(' ') ? '' : 'T00:00:00'}Z`),
  );
  const stepMs = instants
    .slice(1)
    .reduce((least, at, place) => Math.min(least, at - (instants[place] ?? at)), Infinity);
  const [beginMs = 0] = instants;
  const count = ((instants.at(-1) ?? beginMs) - beginMs) / stepMs + 1;
  const isEven = stepMs > 0 && instants.every((at) => (at - beginMs) % stepMs === 0);
  if (!isEven || count > MAX_FILLED) return times;
  const filled = Array.from({ length: count }, (_, place) => {
    const text = new Date(beginMs + place * stepMs)
      .toISOString()
      .replace('T', ' ')
      .replace(/(\.000)?Z$/, '');
    return text.slice(0, first.length);
  });
  // A time whose text is another one's would lose its row.
  return times.every((time) => filled.includes(time)) ? filled : times;
}
