import type { Context } from 'svgcanvas';
import type { Size } from './chart-drawing.ts';

/** Something to draw on that ends as a picture. */
export interface Surface<Result> {
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
export function createCanvasSurface({ width, height }: Size, scale: number): Surface<HTMLCanvasElement> {
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
