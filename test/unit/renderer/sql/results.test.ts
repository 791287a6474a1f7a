import { describe, expect, it } from 'vitest';
import type { SqlColumn } from '../../../../src-main/common/model/records/sql.ts';
import { toCsv, toTsv } from '../../../../src-renderer/format/table-text.ts';
import { toResultChart } from '../../../../src-renderer/screens/sql/results/result-chart.ts';

const column = (name: string, kind: SqlColumn['kind']): SqlColumn => ({
  name,
  kind,
  type: kind.toUpperCase(),
});

describe('a chart of a result', () => {
  const hour = column('hour', 'time');
  const requests = column('requests', 'number');

  it('draws every column of numbers over the first column', () => {
    const rows = [
      ['10:00', 4, 'x', '0.10'],
      [null, null, 'y', 'NaN'],
    ];
    const columns = [hour, requests, column('word', 'text'), column('share', 'number')];
    expect(toResultChart(columns, rows, 2)).toEqual({
      kind: 'line',
      labels: ['10:00', '–'],
      series: [
        { name: 'requests', values: [4, null] },
        { name: 'share', values: [0.1, null] },
      ],
      leftOut: 0,
    });
  });

  it('has bars over categories, and at most six series', () => {
    const many = Array.from({ length: 8 }, (_, index) => column(`n${index}`, 'number'));
    const chart = toResultChart([column('channel', 'number'), ...many], [[1, 1, 2, 3, 4, 5, 6, 7, 8]], 1);
    expect(chart).toMatchObject({ kind: 'bar', labels: ['1'], leftOut: 2 });
  });

  it('says why a result can’t be drawn', () => {
    expect(toResultChart([hour, requests], [], 0)).toBe('empty');
    expect(toResultChart([requests], [[1]], 1)).toBe('one-column');
    expect(toResultChart([hour, column('word', 'text')], [['a', 'b']], 1)).toBe('no-numbers');
    expect(toResultChart([hour, requests], [], 1001)).toBe('too-many');
  });
});

describe('a copied result', () => {
  const columns = [column('a\tb', 'text'), column('n', 'number')];

  it('quotes what would open a cell or a row', () => {
    expect(toTsv(columns, [['x\n"y"', null]])).toBe('"a\tb"\tn\n"x\n""y"""\t\n');
  });

  it('guards texts that a spreadsheet would run, and leaves numbers bare', () => {
    const rows = [
      ['=1+1', -5],
      ['a,b"c', '-0.10'],
      [null, 'NaN'],
    ];
    expect(toCsv(columns, rows)).toBe('"a\tb","n"\r\n"\'=1+1",-5\r\n"a,b""c",-0.10\r\n,"NaN"\r\n');
  });
});
