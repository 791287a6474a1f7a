declare module 'svgcanvas' {
  /** Draws into an SVG element what is drawn on it. */
  export const Context: new (size: { width: number; height: number }) => CanvasRenderingContext2D & {
    getSvg(): SVGSVGElement;
  };
}
