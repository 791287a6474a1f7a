/** A piece of a line of the guide. */
export type GuideText =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly parts: readonly GuideText[] }
  /** `to` is an address of the window; in a person's own text also one outside of it. */
  | { readonly kind: 'link'; readonly to: string; readonly parts: readonly GuideText[] };

export type GuideLine = readonly GuideText[];

export type GuideBlock =
  /** `id` is the heading's place in the address; the title of the page has level 1. */
  | { readonly kind: 'heading'; readonly level: number; readonly id: string; readonly line: GuideLine }
  | { readonly kind: 'paragraph'; readonly line: GuideLine }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly GuideBlock[])[] }
  | {
      readonly kind: 'table';
      readonly head: readonly GuideLine[];
      readonly rows: readonly (readonly GuideLine[])[];
    }
  | { readonly kind: 'quote'; readonly blocks: readonly GuideBlock[] }
  | { readonly kind: 'code'; readonly text: string }
  /** `file` lies in the guide's folder of pictures. */
  | { readonly kind: 'picture'; readonly file: string; readonly alt: string };

/** A page of the guide, made of its Markdown when the window is built. */
export interface GuidePage {
  /** The name of the file without its ending; `README` lists the pages. */
  readonly name: string;
  readonly title: string;
  readonly blocks: readonly GuideBlock[];
  /** The ids of the headings whose paragraphs are about error codes, by code. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Returns the words of a line without their formatting. */
export function toPlainText(line: GuideLine): string {
  return line.map((piece) => ('text' in piece ? piece.text : toPlainText(piece.parts))).join('');
}
