import { type InjectionKey, computed, type ComputedRef } from 'vue';
import { type ChartColour, type ChartColours, readThemeColours, CHART_FONT } from '../chart-style.ts';
import type { Context } from 'svgcanvas';
import { useI18n } from 'vue-i18n';
import { formatClock, formatFullDay, formatOffsets } from '../../format/formats.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useConnectionName } from '../../messages/connection-name.ts';

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

/** What a picture is drawn on. */
export type Ground = 'light' | 'dark';

const PNG_SCALE = 2;

/** Returns a chart as a PNG with two pixels to each on the screen. */
export async function makePng(words: PictureWords, drawing: ChartDrawing, ground: Ground): Promise<Blob> {
  const canvas = composePicture(
    (size) => createCanvasSurface(size, PNG_SCALE),
    words,
    drawing,
    readThemeColours(ground),
  );
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The canvas gave no picture.'));
      else resolve(blob);
    }, 'image/png');
  });
}

/** Returns a chart as the text of an SVG file. */
export async function makeSvg(words: PictureWords, drawing: ChartDrawing, ground: Ground): Promise<string> {
  const { Context } = await import('svgcanvas');
  const root = composePicture(
    (size) => createSvgSurface(size, Context),
    words,
    drawing,
    readThemeColours(ground),
  );
  return new XMLSerializer().serializeToString(root);
}

const PADDING = 16;
const TITLE_HEIGHT = 22;
const LINE_HEIGHT = 16;
/** Less is too small to be read where a picture is pasted. */
const LEAST: Size = { width: 640, height: 180 };

/**
 * Draws a chart with its title, what it is about and its legend above it, so that a picture that is passed on says what
 * it shows.
 */
export function composePicture<Result>(
  makeSurface: (size: Size) => Surface<Result>,
  words: PictureWords,
  drawing: ChartDrawing,
  colours: ChartColours,
): Result {
  const shown = drawing.readSize();
  const size = {
    width: Math.max(LEAST.width, Math.round(shown.width)),
    height: Math.max(LEAST.height, Math.round(shown.height)),
  };
  const hasLegend = words.legend.length > 0;
  const headHeight = TITLE_HEIGHT + (words.about.length + (hasLegend ? 1 : 0)) * LINE_HEIGHT + 8;
  const whole = { width: size.width + PADDING * 2, height: size.height + headHeight + PADDING * 2 };
  const surface = makeSurface(whole);
  const { context } = surface;
  context.fillStyle = colours.surface;
  context.fillRect(0, 0, whole.width, whole.height);
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const write = (text: string, top: number, font: string, colour: string): void => {
    context.font = `${font} ${CHART_FONT.family}`;
    context.fillStyle = colour;
    context.fillText(fitText(context, text, whole.width - PADDING * 2), PADDING, top);
  };
  write(words.title, PADDING + TITLE_HEIGHT / 2, '600 14px', colours.text);
  let top = PADDING + TITLE_HEIGHT + LINE_HEIGHT / 2;
  for (const line of words.about) {
    write(line, top, `400 ${CHART_FONT.size}px`, colours.quiet);
    top += LINE_HEIGHT;
  }
  if (hasLegend) drawLegend(context, words, colours, top);
  const part = makeSurface(size);
  const end = drawing.draw(part.context, size, colours, part.scale);
  surface.place(part, PADDING, PADDING + headHeight);
  end();
  return surface.finish();
}

function drawLegend(
  context: CanvasRenderingContext2D,
  { legend }: PictureWords,
  colours: ChartColours,
  top: number,
): void {
  context.font = `400 ${CHART_FONT.size}px ${CHART_FONT.family}`;
  let left = PADDING;
  for (const { name, colour, isLine = false } of legend) {
    context.fillStyle = colours[colour];
    context.fillRect(left, isLine ? top - 1 : top - 4, 8, isLine ? 2 : 8);
    context.fillStyle = colours.quiet;
    context.fillText(name, left + 13, top);
    left += 13 + context.measureText(name).width + 14;
  }
}

/** Returns a text that fits into a width, with an ellipsis where it was cut. */
function fitText(
  context: Pick<CanvasRenderingContext2D, 'measureText'>,
  text: string,
  width: number,
): string {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 0 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return `${text.slice(0, end).trimEnd().toWellFormed()}…`;
}

/** Something to draw on that ends as a picture. */
interface Surface<Result> {
  readonly context: CanvasRenderingContext2D;
  readonly scale: number;
  /** Copies what another surface has at this moment. */
  place(other: Surface<Result>, left: number, top: number): void;
  finish(): Result;
}

const SVG = 'http://www.w3.org/2000/svg';
const ANCHORS: Readonly<Record<string, string>> = { right: 'end', end: 'end', center: 'middle' };
const BASELINES: Readonly<Record<string, string>> = {
  middle: 'central',
  top: 'text-before-edge',
  hanging: 'hanging',
  bottom: 'text-after-edge',
};

/** Returns a surface of pixels, `scale` of them to a CSS pixel. */
function createCanvasSurface({ width, height }: Size, scale: number): Surface<HTMLCanvasElement> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The canvas has no context.');
  context.scale(scale, scale);
  return {
    context,
    scale,
    place: (other, left, top) => {
      const image = other.finish();
      context.drawImage(image, left, top, image.width / scale, image.height / scale);
    },
    finish: () => canvas,
  };
}

/**
 * Returns a surface of shapes. Texts are added by itself, above the shapes: svgcanvas sets a style attribute for each,
 * which the content security policy forbids.
 */
export function createSvgSurface(size: Size, SvgContext: typeof Context): Surface<SVGSVGElement> {
  const context = new SvgContext(size);
  const root = context.getSvg();
  const layer = document.createElementNS(SVG, 'g');
  const clearRect = context.clearRect.bind(context);
  context.clearRect = (left, top, width, height) => {
    layer.replaceChildren();
    clearRect(left, top, width, height);
  };
  context.fillText = (text, left, top) => layer.append(toTextElement(context, text, left, top));
  root.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
  const finish = (): SVGSVGElement => {
    const copy = root.cloneNode(true) as SVGSVGElement;
    copy.append(layer.cloneNode(true));
    return copy;
  };
  return {
    context,
    scale: 1,
    place: (other, left, top) => {
      const part = other.finish();
      part.setAttribute('x', String(left));
      part.setAttribute('y', String(top));
      layer.append(part);
    },
    finish,
  };
}

function toTextElement(
  context: CanvasRenderingContext2D,
  text: string,
  left: number,
  top: number,
): SVGTextElement {
  const element = document.createElementNS(SVG, 'text');
  // The style object, other than the attribute, is free to use.
  const { style } = document.createElement('span');
  style.font = context.font;
  const { a, b, c, d, e, f } = context.getTransform();
  const attributes = {
    x: String(left),
    y: String(top),
    fill: typeof context.fillStyle === 'string' ? context.fillStyle : 'currentColor',
    'font-family': style.fontFamily,
    'font-size': style.fontSize,
    'font-weight': style.fontWeight === '' ? 'normal' : style.fontWeight,
    'text-anchor': ANCHORS[context.textAlign] ?? 'start',
    'dominant-baseline': BASELINES[context.textBaseline] ?? 'alphabetic',
    transform: `matrix(${[a, b, c, d, e, f].join(' ')})`,
  };
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = toXmlText(text);
  return element;
}

/** Returns a text without what no XML may hold: control characters and halves of characters. */
export function toXmlText(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}

/** With the year: a picture is looked at when the year is another. */
function toText(epochMs: number, zone: string): string {
  return `${formatFullDay(epochMs, zone)} ${formatClock(epochMs, zone)}`;
}

/** What a picture of a chart says of itself: whose figures these are, of which time, and where they come from. */
export function usePictureAbout(
  readSpan: () => { readonly fromMs: number; readonly toMs: number; readonly zone: string } | null,
  readSource: () => string,
): ComputedRef<readonly string[]> {
  const { t } = useI18n();
  const toConnectionName = useConnectionName();
  const connections = useConnectionsStore();

  return computed(() => {
    const { active } = connections;
    const span = readSpan();
    const whose =
      active === null ? '' : t('charts.whose', { name: toConnectionName(active), tenant: active.tenant });
    const when =
      span === null
        ? ''
        : t('charts.when', {
            from: toText(span.fromMs, span.zone),
            to: toText(span.toMs, span.zone),
            offset: formatOffsets(span.fromMs, span.toMs, span.zone),
          });
    return [whose, [when, readSource()].filter((part) => part !== '').join(' · ')].filter(
      (line) => line !== '',
    );
  });
}
