import type { InjectionKey } from 'vue';
import type { ChartColour, ChartColours } from '../use-chart-colours.ts';

/** In CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Draws a chart once more, outside the screen. */
export interface ChartDrawing {
  /** The size on the screen; zero while the chart is hidden. */
  readSize(): Size;
  /**
   * Draws on an empty surface, `scale` device pixels to a CSS pixel. What is returned ends the drawing, after it has been
   * copied.
   */
  draw(context: CanvasRenderingContext2D, size: Size, colours: ChartColours, scale: number): () => void;
}

export interface LegendEntry {
  readonly name: string;
  readonly colour: ChartColour;
  /** Drawn as a line, not as bars. */
  readonly isLine?: boolean;
}

/** What a picture says beside its chart, so that it can stand by itself. */
export interface PictureWords {
  readonly title: string;
  /** The period, the connection, where the figures come from. */
  readonly about: readonly string[];
  readonly legend: readonly LegendEntry[];
}

/** The figures behind a chart. */
export interface ChartFigures {
  readonly columns: readonly {
    readonly name: string;
    readonly kind: 'text' | 'number';
    /** Of a number on the screen; files have it bare. */
    readonly format?: (value: number) => string;
  }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** Through it a chart tells the frame around it how it is drawn; null when the chart ends. */
export const chartFrameKey: InjectionKey<(drawing: ChartDrawing | null) => void> = Symbol('chart frame');
