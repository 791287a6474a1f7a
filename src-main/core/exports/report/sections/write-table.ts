import type { SpokenKey } from '../../../../common/words/messages.ts';
import type { Words } from '../../../../common/words/words.ts';
import { markup, type Markup, type MarkupPart } from '../markup.ts';

/** A column of a table and how its cells are set: numbers at the right, times in one line, long texts in full. */
export interface TableColumn {
  readonly name: string;
  readonly kind?: 'number' | 'time' | 'long';
}

/** Columns by the keys of their names. */
export function toColumns(
  { t }: Pick<Words, 't'>,
  columns: readonly (Omit<TableColumn, 'name'> & { readonly key: SpokenKey })[],
): readonly TableColumn[] {
  return columns.map(({ key, ...column }) => ({ ...column, name: t(key) }));
}

const CLASSES = { number: 'n', time: 't', long: 'w' } as const;

/** A table whose rows begin with what they are about. */
export function writeTable(
  caption: string,
  columns: readonly TableColumn[],
  rows: readonly (readonly MarkupPart[])[],
): Markup {
  const toClass = ({ kind }: TableColumn): string => (kind === undefined ? '' : CLASSES[kind]);
  const head = columns.map(
    (column) => markup`<th scope="col" class="${toClass(column)}">${column.name}</th>`,
  );
  const body = rows.map((row) => {
    const cells = row.map((cell, place) => {
      const column = columns[place] ?? { name: '' };
      return place === 0
        ? markup`<th scope="row" class="${toClass(column)}">${cell}</th>`
        : markup`<td class="${toClass(column)}">${cell}</td>`;
    });
    return markup`<tr>
      ${cells}
    </tr> `;
  });
  return markup`<div class="scroll" tabindex="0" role="group" aria-label="${caption}">
    <table aria-label="${caption}">
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`;
}

/** The numbers behind a picture, folded away on the screen and printed in full. */
export function writeFolded(summary: string, content: Markup): Markup {
  return markup`<details>
    <summary>${summary}</summary>
    ${content}
  </details>`;
}
