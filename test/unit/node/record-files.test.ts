import { describe, expect, it } from 'vitest';
import { type CsvFormat, type CsvRow, readRows } from '../../../src-main/node/record-files.ts';

const PLAIN: CsvFormat = { kind: 'csv', separator: ',', isSpaced: false };

async function* cut(text: string, size: number): AsyncGenerator<Buffer> {
  await Promise.resolve();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size: number, format = PLAIN, maxBytes = 1_000): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  const limits = {
    maxBytes,
    toError: (fault: string, values = {}) => new Error(`${fault} ${JSON.stringify(values)}`),
  };
  for await (const row of readRows(cut(text, size), format, limits)) rows.push(row);
  return rows;
}

describe('rows of a CSV file', () => {
  it('are the same wherever its bytes are split', async () => {
    const text = 'sep=,\r\n\r\na,b\r\n"1\r\n2","x""y"\n   \n3,é"z"\r"open,4\r"","5,"\r\n6,7';
    const whole = await read(text, 10_000);
    expect(whole).toEqual([
      { line: 3, cells: ['a', 'b'], isEnded: true },
      { line: 4, cells: ['1\r\n2', 'x"y'], isEnded: true },
      { line: 7, cells: ['3', 'é"z"'], isEnded: true },
      { line: 8, fault: 'open-quote' },
      { line: 9, cells: ['', '5,'], isEnded: true },
      { line: 10, cells: ['6', '7'], isEnded: false },
    ]);
    for (let size = 1; size <= text.length; size += 1) expect(await read(text, size)).toEqual(whole);
  });

  it('may have spaces behind their separators, and a quoted cell of several lines there', async () => {
    const rows = await read('a, b\r\n1, "x, y\r\nz"\r\n', 7, { ...PLAIN, isSpaced: true });
    expect(rows).toMatchObject([{ cells: ['a', 'b'] }, { line: 2, cells: ['1', 'x, y\r\nz'] }]);
  });

  it('end within the limit, or the file is given up by the line on which one begins', async () => {
    await expect(read(`a,b\n1,"${'x'.repeat(2_000)}`, 100)).rejects.toThrow(
      'open-row {"line":2,"limit":1000}',
    );
  });
});
