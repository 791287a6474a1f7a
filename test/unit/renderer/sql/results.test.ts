import { describe, expect, it } from 'vitest';
import type { SqlCell, SqlColumn } from '../../../../src-main/common/model/records/sql.ts';
import { toCsv, toHtmlTable, toTsv } from '../../../../src-renderer/format/table-text.ts';
import {
  fillTimes,
  suggestChoice,
  toResultChart,
  toRowRecords,
} from '../../../../src-renderer/screens/sql/results/result-chart.ts';

const column = (name: string, kind: SqlColumn['kind']): SqlColumn => ({
  name,
  kind,
  type: kind.toUpperCase(),
});

describe('a chart of a result', () => {
  const hour = column('hour', 'time');
  const requests = column('requests', 'number');
  const channel = column('channel', 'number');
  type Rows = Parameters<typeof suggestChoice>[1];

  const draw = (
    columns: SqlColumn[],
    rows: Rows,
    choice = suggestChoice(columns, rows),
    rowCount = rows.length,
  ) => toResultChart({ columns, rows, choice, toName: (_, value) => String(value) }, rowCount);

  it('draws every column of numbers over the times', () => {
    const rows = [
      ['10:00', 4, 'x', '0.10'],
      ['11:00', null, 'y', 'NaN'],
    ];
    expect(draw([hour, requests, column('word', 'text'), column('share', 'number')], rows)).toEqual({
      kind: 'line',
      labels: ['10:00', '11:00'],
      series: [
        { name: 'requests', values: [4, null], rows },
        { name: 'share', values: [0.1, null], rows },
      ],
      leftOut: 0,
    });
  });

  it('seen: numbers of channels were drawn as heights, and one line went through the values of all', () => {
    const rows = [
      ['2026-11-20 13:00:00', 3, 5],
      ['2026-11-20 10:00:00', 3, 6],
      ['2026-11-20 10:00:00', 7, 30],
      ['2026-11-20 11:00:00', 7, 10],
    ];
    expect(draw([hour, channel, requests], rows)).toMatchObject({
      kind: 'line',
      // The hour without rows is a gap, and time goes from left to right.
      labels: ['10', '11', '12', '13'].map((clock) => `2026-11-20 ${clock}:00:00`),
      series: [
        { name: 'channel 7', value: 7, values: [30, 10, null, null] },
        { name: 'channel 3', value: 3, values: [6, null, null, 5] },
      ],
    });
    expect(draw([channel, requests], [[3, 5]])).toMatchObject({
      labels: ['3'],
      series: [{ name: 'requests', values: [5] }],
    });
    expect(draw([column('client', 'text'), channel], [['Ann', 3]])).toMatchObject({
      series: [{ name: 'channel' }],
    });
  });

  it('is of what a person chose', () => {
    const columns = [hour, channel, requests, column('failed', 'number')];
    const rows = [
      ['a', 3, 5, 1],
      ['a', 7, 6, 2],
      ['b', 7, 6, 3],
    ];
    expect(draw(columns, rows, { over: 1, split: 0, measure: 3 })).toMatchObject({
      kind: 'bar',
      labels: ['3', '7'],
      series: [
        { name: 'a', values: [1, 2] },
        { name: 'b', values: [null, 3] },
      ],
    });
    expect(draw(columns, [...rows, ['a', 7, 1, 1]], { over: 0, split: 1, measure: 2 })).toBe('repeated');
    // Rows that nothing tells apart are each drawn.
    expect(draw(columns, [...rows, ['a', 7, 1, 1]])).toMatchObject({
      kind: 'bar',
      labels: ['a · 3', 'a · 7', 'a · 7', 'b · 7'],
    });
  });

  it('has bars over categories, and no more series than can be told apart', () => {
    const many = Array.from({ length: 10 }, (_, index) => column(`n${index}`, 'number'));
    const chart = draw([channel, ...many], [[1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]);
    expect(chart).toMatchObject({ kind: 'bar', labels: ['1'], leftOut: 2 });
  });

  it('says why a result can’t be drawn', () => {
    expect(draw([hour, requests], [])).toBe('empty');
    expect(draw([requests], [[1]])).toBe('one-column');
    expect(draw([hour, column('word', 'text')], [['a', 'b']])).toBe('no-numbers');
    expect(draw([hour, requests], [], undefined, 5001)).toBe('too-many');
  });

  it.each([
    [['2026-01-01', '2026-01-02', '2026-01-04'], 4],
    [['2026-01-01', '2026-02-01', '2026-03-01'], 3],
    [['2026-01-01 00:00:00.5', '2026-01-01 00:00:01', '2026-01-01 00:00:02'], 3],
    [['2026-01-01 00:00:00', '2026-01-01 00:00:01', '2040-01-01 00:00:00'], 3],
  ])('fills times at equal distances only: %j', (times, count) => {
    const filled = fillTimes(times);
    expect(filled).toHaveLength(count);
    expect(filled).toEqual(expect.arrayContaining(times));
  });
});

describe('a value of a chart', () => {
  const EXAMPLE = `SELECT date_trunc('hour', date) AS hour, channel, count(*) AS requests FROM inbound GROUP BY ALL`;
  const columns = [column('hour', 'time'), column('channel', 'number'), column('requests', 'number')];
  const fromMs = Date.UTC(2026, 10, 20);
  const find = (text: string, row: readonly SqlCell[], own = columns, zone = 'UTC') =>
    toRowRecords({ connectionId: 'one', fromMs, toMs: fromMs + 86_400_000, zone, text }, own, row);

  it('leads to the records that its row names: of a channel, in the hour that the statement cuts', () => {
    expect(find(EXAMPLE, ['2026-11-20 13:00:00', 3, 41])).toEqual({
      name: 'inbound-detail',
      query: {
        q: 'channel:3 date:2026-11-20T13:00..2026-11-20T14:00',
        period: '2026-11-20T00:00..2026-11-20T23:59:59',
      },
    });
    // In Bogota it is that hour five hours later.
    expect(find(EXAMPLE, ['2026-11-20 13:00:00', null, 41], columns, 'America/Bogota')?.query.q).toContain(
      'date:2026-11-20T18:00..2026-11-20T19:00',
    );
    const five = EXAMPLE.replace("date_trunc('hour', date)", 'time_bucket(INTERVAL 5 MINUTES, date)');
    expect(find(five, ['2026-11-20 13:00:00', 3, 41])?.query.q).toContain('T13:00..2026-11-20T13:05');
  });

  it('of several connections leads to the one that its row names, and nowhere where it names none', () => {
    const text = 'SELECT connection_id, channel, count(*) AS requests FROM inbound GROUP BY ALL';
    const asked = {
      connectionId: 'one',
      otherConnectionIds: ['two'],
      fromMs,
      toMs: fromMs + 86_400_000,
      zone: 'UTC',
      text,
    };
    const own = [column('connection_id', 'text'), column('channel', 'number'), column('requests', 'number')];
    expect(toRowRecords(asked, own, ['two', 3, 41])?.query).toMatchObject({
      q: 'channel:3',
      connection: 'two',
    });
    expect(toRowRecords(asked, own.slice(1), [3, 41])).toBeNull();
  });

  it('is filtered by no time whose length the statement does not say', () => {
    for (const text of [
      EXAMPLE.replace("date_trunc('hour', date)", 'date'),
      EXAMPLE.replace("'hour'", "'month'"),
      `${EXAMPLE} HAVING date_trunc('day', max(date)) = hour`,
    ]) {
      expect(find(text, ['2026-11-20 13:00:00', 3, 41])?.query.q).toBe('channel:3');
    }
  });

  it('leads nowhere where its row or its statement does not say which records it is of', () => {
    const other = [column('hour', 'time'), column('month', 'number'), column('requests', 'number')];
    expect(find(EXAMPLE.replace("'hour'", "'month'"), ['2026-11-01 00:00:00', 3, 41], other)).toBeNull();
    const row = ['2026-11-20 13:00:00', 3, 41];
    expect(find(EXAMPLE.replace('FROM inbound', 'FROM inbound, outbound'), row)).toBeNull();
    expect(find(EXAMPLE.replace('FROM inbound', 'FROM summaries'), row)).toBeNull();
  });
});

describe('a copied result', () => {
  const columns = [column('a\tb', 'text'), column('n', 'number')];

  it('is HTML besides, in which texts keep their zeros and digits, and numbers are numbers', () => {
    const html = toHtmlTable(columns, [
      ['0049170', '0.50'],
      ['<b>&"\n=1', 7],
      ['=1+1', null],
    ]);
    const table = new DOMParser().parseFromString(html, 'text/html').querySelector('table');
    const cells = [...(table?.rows ?? [])].map((row) => [...row.cells]);
    expect(cells.map((row) => row.map(({ textContent }) => textContent))).toEqual([
      ['a\tb', 'n'],
      ['0049170', '0.50'],
      ['<b>&"=1', '7'],
      ["'=1+1", ''],
    ]);
    expect(cells[1]?.map((cell) => cell.getAttribute('x:num'))).toEqual([null, '0.50']);
    expect(cells[1]?.[0]?.getAttribute('style')).toContain("mso-number-format:'\\@'");
    expect(cells[2]?.[0]?.querySelector('br')).not.toBeNull();
  });

  it('quotes what would open a cell or a row', () => {
    expect(toTsv(columns, [['x\n"y"', null]])).toBe('"a\tb"\tn\n"x\n""y"""\t\n');
  });

  it('guards texts that a spreadsheet would run, and leaves numbers bare', () => {
    const rows = [
      ['=1+1', -5],
      ['a,b"c', '-0.10'],
      [null, 'NaN'],
    ];
    expect(toTsv(columns, rows)).toBe('"a\tb"\tn\n\'=1+1\t-5\n"a,b""c"\t-0.10\n\tNaN\n');
    expect(toCsv(columns, [['\u0001=1+1', 1]])).toContain('"\'\u0001=1+1"');
    expect(toCsv(columns, rows)).toBe('"a\tb","n"\r\n"\'=1+1",-5\r\n"a,b""c",-0.10\r\n,"NaN"\r\n');
  });
});
