import { useClipboard } from '@vueuse/core';
import { computed, shallowRef, watch } from 'vue';
import type { SqlCell, SqlColumn, SqlResult } from '../../../../src-main/common/model/records/sql.ts';
import { useAttempt } from '../../../composables/use-attempt.ts';
import { useTableClipboard } from '../../../composables/use-table-clipboard.ts';
import { useSqlStore } from '../../../stores/records/sql.ts';
import { toHtmlTable, toText, toTsv } from '../../../format/table-text.ts';
import { useNames } from '../../../names/use-names.ts';
import { suggestChoice, type ChartChoice } from './chart-choice.ts';
import { MAX_CHART_POINTS, toResultChart } from './result-chart.ts';
import { toNamedField } from '../to-named-field.ts';

const WINDOW_ROWS = 500;
/** Rows that are copied; a file takes all of them. */
export const MAX_COPIED_ROWS = 10_000;

/** What can be done with a result besides looking at its table. */
export function useResult(readResult: () => SqlResult) {
  const { copy: write } = useClipboard({ legacy: true });
  const writeTable = useTableClipboard();
  const sql = useSqlStore();
  const { isRunning: isBusy, attempt } = useAttempt();
  const names = useNames();
  const chosen = shallowRef<ChartChoice | null>(null);
  const chartRows = shallowRef<readonly (readonly SqlCell[])[] | null>(null);

  /** The first rows of the result; null when they are gone. */
  async function readFirst(count: number, whole: boolean): Promise<SqlCell[][] | null> {
    const { resultId, rowCount } = readResult();
    const rows: SqlCell[][] = [];
    const end = Math.min(count, rowCount);
    while (rows.length < end) {
      const read = await sql.readRows(resultId, rows.length, Math.min(rows.length + WINDOW_ROWS, end), whole);
      if (read === null || read.length === 0) return null;
      rows.push(...read);
    }
    return rows;
  }

  async function copy(): Promise<void> {
    const { columns } = readResult();
    await attempt(async () => {
      const rows = await readFirst(MAX_COPIED_ROWS, true);
      if (rows !== null) await writeTable(toTsv(columns, rows), toHtmlTable(columns, rows));
    });
  }

  /** A value in full; null when it is gone. */
  async function readValue({ row, column }: { row: number; column: number }): Promise<string | null> {
    const rows = await sql.readRows(readResult().resultId, row, row + 1, true);
    const cell = rows?.[0]?.[column];
    return cell === undefined ? null : toText(cell);
  }

  async function copyValue(place: { row: number; column: number }): Promise<void> {
    const value = await readValue(place);
    if (value !== null) await write(value);
  }

  async function loadChart(): Promise<void> {
    const { resultId, rowCount } = readResult();
    const rows = rowCount > MAX_CHART_POINTS ? [] : await readFirst(MAX_CHART_POINTS, false);
    if (readResult().resultId === resultId) chartRows.value = rows;
  }
  const choice = computed({
    get: () => chosen.value ?? suggestChoice(readResult().columns, chartRows.value ?? []),
    set: (next: ChartChoice) => (chosen.value = next),
  });
  const chart = computed(() => {
    if (chartRows.value === null) return null;
    const { columns, rowCount } = readResult();
    const toName = (column: SqlColumn, value: SqlCell): string => {
      // Of several connections each may have its own names.
      const field = sql.ran?.otherConnectionIds === undefined ? toNamedField(column.name) : '';
      return names.find(field, value) === null ? String(value) : names.toText(field, String(value));
    };
    return toResultChart({ columns, rows: chartRows.value, choice: choice.value, toName }, rowCount);
  });
  watch(
    () => readResult().resultId,
    () => {
      chartRows.value = null;
    },
  );
  // A statement that is run again, with other columns or not.
  watch(
    () =>
      readResult()
        .columns.map(({ name, kind }) => `${name} ${kind}`)
        .join(),
    () => {
      chosen.value = null;
    },
  );

  return { isBusy, chart, choice, loadChart, copy, readValue, copyValue };
}
