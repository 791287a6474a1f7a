import { readThemeColours } from '../use-chart-colours.ts';
import type { ChartDrawing, PictureWords } from './chart-drawing.ts';
import { composePicture } from './compose-picture.ts';
import { createCanvasSurface, createSvgSurface } from './surfaces.ts';

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
