import { computed, inject, provide, shallowRef, type Ref, type ShallowRef } from 'vue';
import { MAX_PART_PICTURE, type PartContent } from '../../../src-main/common/model/cases/case.ts';
import {
  chartFrameKey,
  type ChartDrawing,
  type ChartFigures,
  type ChartOverlay,
  type PictureWords,
  makePng,
  makeSvg,
  type Ground,
} from '../../charts/picture/chart-picture.ts';
import { caseDoorKey, caseQuestionKey } from '../../composables/surroundings.ts';
import { saveBlob, saveText, useTableClipboard, useCopied } from '../../composables/copy-and-save.ts';
import { useAttempt } from '../../composables/use-query.ts';
import { NO_CONTENT, toCsv, toHtmlTable, toPartTable, toPartTitle, toTsv } from '../../format/table-text.ts';
import { formatMeasure } from '../../format/formats.ts';
import type { ErrorLike } from '../../messages/error-like.ts';

export type ChartAction = 'copyPng' | 'savePng' | 'saveSvg' | 'copyFigures' | 'saveFigures' | 'addToCase';

/** Returns a name for a file that every system takes: `response-time-by-service.png`. */
export function toFileName(title: string, ending: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return `${words === '' ? 'chart' : words.slice(0, 80)}.${ending}`;
}

/** What the menu of a chart does. */
export interface ChartActions {
  readonly ground: Readonly<Ref<Ground>>;
  readonly drawing: Readonly<ShallowRef<ChartDrawing | null>>;
  readonly copied: Readonly<Ref<ChartAction | null>>;
  readonly error: Readonly<Ref<ErrorLike | null>>;
  /** There is something to take from the chart. */
  readonly hasFigures: Readonly<Ref<boolean>>;
  /** The screen says what its charts are of. */
  readonly canAddToCase: boolean;
  chooseGround(ground: Ground): void;
  run(action: ChartAction): Promise<void>;
}

/** Returns what the menu of a chart does, and is the place where the chart inside says how it is drawn. */
export function useChartActions(
  readWords: () => PictureWords,
  readFigures: () => ChartFigures,
): ChartActions {
  const drawing = shallowRef<ChartDrawing | null>(null);
  const ground = shallowRef<Ground>('light');
  const { copied, copy: confirm } = useCopied<ChartAction>();
  const { error, attempt } = useAttempt();
  const write = useTableClipboard();
  const offer = inject(caseDoorKey, null);
  const readQuestion = inject(caseQuestionKey, null);
  const overlays = new Set<ChartOverlay>();
  provide(chartFrameKey, {
    show: (next) => (drawing.value = next),
    lay: (overlay) => {
      overlays.add(overlay);
      return () => overlays.delete(overlay);
    },
  });

  async function run(action: ChartAction): Promise<void> {
    await attempt(() => act(action));
  }

  async function act(action: ChartAction): Promise<void> {
    const words = readWords();
    const { columns, rows } = readFigures();
    const shown = drawing.value;
    switch (action) {
      case 'copyFigures':
        return confirm(action, () => write(toTsv(columns, rows), toHtmlTable(columns, rows)));
      case 'saveFigures':
        saveText(toFileName(words.title, 'csv'), toCsv(columns, rows), 'text/csv;charset=utf-8');
        break;
      case 'addToCase': {
        const question = readQuestion?.() ?? null;
        if (question === null) return;
        const shownColumns = columns.map(({ name, kind }) => ({ name, isRight: kind === 'number' }));
        const cells = rows.map((row) =>
          row.map((cell, place) => {
            const { format = formatMeasure } = columns[place] ?? {};
            return typeof cell === 'number' ? format(cell) : cell;
          }),
        );
        const table = toPartTable(shownColumns, cells);
        // Drawn now: the screen it is on may be left before a case is chosen.
        const picture = shown === null ? null : await drawBoth(words, shown, overlays);
        offer?.({
          kind: 'chart',
          title: toPartTitle(words.title),
          question,
          readContent: () => ({ ...NO_CONTENT, table, picture }),
        });
        break;
      }
      case 'copyPng':
        if (shown === null) return;
        // Without an await before it: the clipboard must be asked while the press still counts.
        return confirm(action, () =>
          navigator.clipboard.write([
            new ClipboardItem({ 'image/png': makePng(words, shown, ground.value, overlays) }),
          ]),
        );
      case 'savePng':
        if (shown === null) return;
        saveBlob(toFileName(words.title, 'png'), await makePng(words, shown, ground.value, overlays));
        break;
      case 'saveSvg':
        if (shown === null) return;
        saveText(
          toFileName(words.title, 'svg'),
          await makeSvg(words, shown, ground.value, overlays),
          'image/svg+xml;charset=utf-8',
        );
        break;
    }
  }

  return {
    ground,
    drawing,
    copied,
    error,
    hasFigures: computed(() => readFigures().rows.length > 0),
    canAddToCase: offer !== null && readQuestion !== null,
    chooseGround: (next) => (ground.value = next),
    run,
  };
}

/** A chart for either theme; null where it is too large to be kept. */
async function drawBoth(
  words: PictureWords,
  drawing: ChartDrawing,
  overlays: Iterable<ChartOverlay>,
): Promise<PartContent['picture']> {
  const light = await makeSvg(words, drawing, 'light', overlays);
  const dark = await makeSvg(words, drawing, 'dark', overlays);
  return Math.max(light.length, dark.length) > MAX_PART_PICTURE ? null : { light, dark };
}
