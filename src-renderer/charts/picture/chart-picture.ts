import {
  type InjectionKey,
  computed,
  type ComputedRef,
  inject,
  nextTick,
  onBeforeUnmount,
  type Ref,
  shallowRef,
} from 'vue';
import type { PlotArea } from '../chart-marks.ts';
import { type ChartColours, type LegendEntry, readThemeColours, CHART_FONT } from '../chart-style.ts';
import { useI18n } from 'vue-i18n';
import { formatClock, formatFullDay, formatOffsets } from '../../format/formats.ts';
import { useConnectionsStore } from '../../stores/connections/connections.ts';
import { useConnectionName } from '../../messages/connection-name.ts';

/** In CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What a picture is drawn on. */
export type Ground = 'light' | 'dark';

/** A chart as it stands in a picture, without its title and legend. */
interface DrawnChart {
  readonly svg: SVGSVGElement;
  /** Its plot, over which planned times are laid. */
  readonly area: PlotArea;
}

/** Draws a chart for a picture. */
export interface ChartDrawing {
  /** The size on the screen; zero while the chart is hidden. */
  readSize(): Size;
  draw(size: Size, ground: Ground): Promise<DrawnChart>;
  /** In place of the legend that the frame has. */
  readLegend?(): readonly LegendEntry[] | undefined;
}

/** What lies over a chart on the screen, and so in its picture: planned times and marks. */
export interface ChartOverlay {
  /** Where it lies on the screen; null for all of the plot. */
  readArea(): PlotArea | null;
  draw(ground: Ground): SVGSVGElement | null;
}

/** Through it a chart tells the frame around it how it is drawn. */
export interface ChartDoor {
  /** Null when the chart ends. */
  show(drawing: ChartDrawing | null): void;
  /** Returns what takes it away again. */
  lay(overlay: ChartOverlay): () => void;
}

export const chartFrameKey: InjectionKey<ChartDoor> = Symbol('chart frame');

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

const SVG = 'http://www.w3.org/2000/svg';
const PNG_SCALE = 2;

/** Returns a chart as a PNG with two pixels to each on the screen. */
export async function makePng(...chart: Parameters<typeof composePicture>): Promise<Blob> {
  const root = await composePicture(...chart);
  // An image knows none of the window's fonts.
  const { default: font } =
    await import('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?inline');
  const style = document.createElementNS(SVG, 'style');
  style.textContent = `@font-face{font-family:'Inter Variable';font-weight:100 900;src:url(${font})}`;
  root.prepend(style);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(root))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * PNG_SCALE;
  canvas.height = image.height * PNG_SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The canvas gave no picture.'));
      else resolve(blob);
    }, 'image/png');
  });
}

/** Returns a chart as the text of an SVG file. */
export async function makeSvg(...chart: Parameters<typeof composePicture>): Promise<string> {
  return new XMLSerializer().serializeToString(await composePicture(...chart));
}

type Attributes = Readonly<Record<string, string | number>>;

function setAttributes<Shape extends Element>(element: Shape, attributes: Attributes): Shape {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

function makeShape<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  text = '',
): SVGElementTagNameMap[Name] {
  const shape = setAttributes(document.createElementNS(SVG, name), attributes);
  shape.textContent = toXmlText(text);
  return shape;
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
export async function composePicture(
  words: PictureWords,
  drawing: ChartDrawing,
  ground: Ground,
  overlays: Iterable<ChartOverlay> = [],
): Promise<SVGSVGElement> {
  const colours = readThemeColours(ground);
  const shown = drawing.readSize();
  const size = {
    width: Math.max(LEAST.width, Math.round(shown.width)),
    height: Math.max(LEAST.height, Math.round(shown.height)),
  };
  const legend = drawing.readLegend?.() ?? words.legend;
  const lines = words.about.length + (legend.length > 0 ? 1 : 0);
  const headHeight = TITLE_HEIGHT + lines * LINE_HEIGHT + 8;
  const [width, height] = [size.width + PADDING * 2, size.height + headHeight + PADDING * 2];
  const root = makeShape('svg', { width, height, viewBox: `0 0 ${width} ${height}` });
  const write = (text: string, y: number, font: Attributes, fill: string): void => {
    const fitting = fitText(text, size.width, font);
    root.append(makeShape('text', { x: PADDING, y, fill, ...TEXT, ...font }, fitting));
  };
  root.append(makeShape('rect', { width, height, fill: colours.surface }));
  write(words.title, PADDING + TITLE_HEIGHT / 2, { 'font-size': 14, 'font-weight': 600 }, colours.text);
  let y = PADDING + TITLE_HEIGHT + LINE_HEIGHT / 2;
  for (const line of words.about) {
    write(line, y, {}, colours.quiet);
    y += LINE_HEIGHT;
  }
  root.append(...drawLegend(legend, colours, y));
  const { svg, area } = await drawing.draw(size, ground);
  root.append(setAttributes(svg, { x: PADDING, y: PADDING + headHeight }));
  svg.append(...drawOverlays([...overlays], area, ground));
  return root;
}

const TEXT = {
  'font-family': CHART_FONT.family,
  'font-size': CHART_FONT.size,
  'dominant-baseline': 'central',
} as const;

/** A line of names with their colours. */
function drawLegend(legend: readonly LegendEntry[], colours: ChartColours, y: number): SVGElement[] {
  let x = PADDING;
  return legend.flatMap(({ name, colour, isLine = false, look }) => {
    const [top, height] = isLine ? [y - 1, 2] : [y - 4, 8];
    const swatch =
      look === 'hatched'
        ? makeShape('path', { d: `M${x} ${y}l4-4m4 0l-8 8m4 0l4-4`, stroke: colours[colour] })
        : makeShape('rect', { x, y: top, width: 8, height, fill: colours[colour] });
    if (look !== 'name') x += 13;
    const text = makeShape('text', { x, y, fill: colours.quiet, ...TEXT }, name);
    x += measureText(name) + 14;
    return look === 'name' ? [text] : [swatch, text];
  });
}

/** Those that share a plot, such as two periods one above the other, keep their places in it. */
function drawOverlays(
  overlays: readonly ChartOverlay[],
  area: PlotArea,
  ground: Ground,
): readonly SVGSVGElement[] {
  const places = overlays.map((overlay) => overlay.readArea());
  const known = places.filter((place) => place !== null);
  const right = Math.max(...known.map((place) => place.left + place.width));
  const bottom = Math.max(...known.map((place) => place.top + place.height));
  const left = Math.min(...known.map((place) => place.left));
  const top = Math.min(...known.map((place) => place.top));
  return overlays.flatMap((overlay, index) => {
    const [svg, place] = [overlay.draw(ground), places[index] ?? null];
    if (svg === null) return [];
    if (place === null) return [setAttributes(svg, toBox(area))];
    const [wide, high] = [area.width / Math.max(1, right - left), area.height / Math.max(1, bottom - top)];
    const box = {
      left: area.left + (place.left - left) * wide,
      top: area.top + (place.top - top) * high,
      width: place.width * wide,
      height: place.height * high,
    };
    return [setAttributes(svg, toBox(box))];
  });
}

function toBox({ left, top, width, height }: PlotArea): Attributes {
  return { x: left, y: top, width, height };
}

/** Returns what tells the width of texts in a font. */
function createMeasure(font: Attributes): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return () => 0;
  const { 'font-weight': weight = 400, 'font-size': size = CHART_FONT.size } = font;
  context.font = `${weight} ${size}px ${CHART_FONT.family}`;
  return (text) => context.measureText(text).width;
}

export function measureText(text: string): number {
  return createMeasure({})(text);
}

/** Returns a text that fits into a width, with an ellipsis where it was cut. */
export function fitText(text: string, width: number, font: Attributes = {}): string {
  const measure = createMeasure(font);
  if (measure(text) <= width) return text;
  let end = text.length;
  while (end > 0 && measure(`${text.slice(0, end)}…`) > width) end -= 1;
  return `${text.slice(0, end).trimEnd().toWellFormed()}…`;
}

/** What makes a shape look as it does; style sheets say it in the window. */
const LOOKS = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'paint-order',
];
const TEXT_LOOKS = ['font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline'];
const OWN_ATTRIBUTES = /^(?:class|style|href|tabindex|role|aria-.*|data-.*)$/u;

/** Returns a copy of a drawing of the window that looks the same without its style sheets, in the colours of a theme. */
export function copyDrawing(drawn: SVGSVGElement, ground: Ground): SVGSVGElement {
  const stage = document.createElement('div');
  stage.className = ground;
  const shown = drawn.cloneNode(true) as SVGSVGElement;
  stage.append(shown);
  document.body.append(stage);
  const copy = shown.cloneNode(true) as SVGSVGElement;
  const copies = [copy, ...copy.querySelectorAll('*')];
  const hidden: Element[] = [];
  [shown, ...shown.querySelectorAll('*')].forEach((element, place) => {
    const target = copies[place];
    if (target === undefined) return;
    const style = getComputedStyle(element);
    const around =
      element === shown || element.parentElement === null ? null : getComputedStyle(element.parentElement);
    for (const { name } of [...target.attributes])
      if (OWN_ATTRIBUTES.test(name)) target.removeAttribute(name);
    const isWritten = element === shown || element.matches('text, tspan');
    for (const name of isWritten ? [...LOOKS, ...TEXT_LOOKS] : LOOKS) {
      const value = style.getPropertyValue(name);
      if (value !== '' && value !== around?.getPropertyValue(name))
        target.setAttribute(name, toPlainColour(value));
    }
    if (!['', '1'].includes(style.opacity)) target.setAttribute('opacity', style.opacity);
    if (target.childElementCount === 0) target.textContent = toXmlText(target.textContent);
    if (style.display === 'none' || target.nodeName === 'title') hidden.push(target);
  });
  for (const element of hidden) element.remove();
  stage.remove();
  return copy;
}

/** Returns mixed colours as every reader of SVG knows them. */
function toPlainColour(value: string): string {
  return value.replace(/color\(srgb ([^)]*)\)/gu, (_, parts: string) => {
    const [red, green, blue, alpha = 1] = parts.split(/[ /]+/u).map(Number);
    const bytes = [red, green, blue].map((part) => Math.round((part ?? 0) * 255));
    return alpha === 1 ? `rgb(${bytes.join(', ')})` : `rgba(${bytes.join(', ')}, ${alpha})`;
  });
}

/** How an SVG of the window stands in a picture. */
interface SvgLook {
  /** Of the plot, on the screen. */
  readonly size: Size;
  /** In a picture, where the plot on the screen is too low. */
  readonly heightPx?: number | undefined;
  /** Room for what stands around the plot. */
  readonly margin: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  };
  readonly legend?: readonly LegendEntry[] | undefined;
}

/** Pictures of an SVG are copies of it. Returns the size to draw it in: for a picture another one, which is never painted. */
export function useSvgPicture(
  svg: Readonly<Ref<SVGSVGElement | null>>,
  readLook: () => SvgLook,
): ComputedRef<Size> {
  const door = inject(chartFrameKey, null);
  const wanted = shallowRef<Size | null>(null);
  door?.show({
    readSize: () => {
      const { size, heightPx = size.height, margin } = readLook();
      return {
        width: size.width + margin.left + margin.right,
        height: heightPx + margin.top + margin.bottom,
      };
    },
    readLegend: () => readLook().legend,
    draw: async ({ width, height }, ground) => {
      const { left, right, top, bottom } = readLook().margin;
      const area = { left: 0, top: 0, width: width - left - right, height: height - top - bottom };
      wanted.value = area;
      await nextTick();
      if (svg.value === null) throw new Error('The chart is gone.');
      const copy = copyDrawing(svg.value, ground);
      wanted.value = null;
      await nextTick();
      setAttributes(copy, { width, height, viewBox: `${-left} ${-top} ${width} ${height}` });
      return { svg: copy, area };
    },
  });
  onBeforeUnmount(() => door?.show(null));
  return computed(() => wanted.value ?? readLook().size);
}

const ANCHORS: Readonly<Record<string, string>> = { right: 'end', end: 'end', center: 'middle' };
const BASELINES: Readonly<Record<string, string>> = {
  middle: 'central',
  top: 'text-before-edge',
  hanging: 'hanging',
  bottom: 'text-after-edge',
};

/**
 * Returns a canvas for Chart.js that leaves shapes, and what reads them. Texts are added by itself, above the shapes:
 * svgcanvas sets a style attribute for each, which the content security policy forbids.
 */
export async function createSvgCanvas(
  size: Size,
): Promise<{ readonly context: CanvasRenderingContext2D; finish(): SVGSVGElement }> {
  const { Context } = await import('svgcanvas');
  const context = new Context(size);
  const root = context.getSvg();
  const layer = document.createElementNS(SVG, 'g');
  const clearRect = context.clearRect.bind(context);
  context.clearRect = (left, top, width, height) => {
    layer.replaceChildren();
    clearRect(left, top, width, height);
  };
  context.fillText = (text, left, top) => layer.append(toTextElement(context, text, left, top));
  return {
    context,
    finish: () => {
      const copy = root.cloneNode(true) as SVGSVGElement;
      copy.append(layer.cloneNode(true));
      return setAttributes(copy, { viewBox: `0 0 ${size.width} ${size.height}` });
    },
  };
}

function toTextElement(
  context: CanvasRenderingContext2D,
  text: string,
  left: number,
  top: number,
): SVGTextElement {
  // The style object, other than the attribute, is free to use.
  const { style } = document.createElement('span');
  style.font = context.font;
  const { a, b, c, d, e, f } = context.getTransform();
  return makeShape(
    'text',
    {
      x: left,
      y: top,
      fill: typeof context.fillStyle === 'string' ? context.fillStyle : 'currentColor',
      'font-family': style.fontFamily,
      'font-size': style.fontSize,
      'font-weight': style.fontWeight === '' ? 'normal' : style.fontWeight,
      'text-anchor': ANCHORS[context.textAlign] ?? 'start',
      'dominant-baseline': BASELINES[context.textBaseline] ?? 'alphabetic',
      transform: `matrix(${[a, b, c, d, e, f].join(' ')})`,
    },
    text,
  );
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
