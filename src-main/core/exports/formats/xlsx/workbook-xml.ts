const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const STYLES = `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`;

/** The parts of a workbook besides its sheets, by their paths in the file. */
export function writeWorkbookParts(
  sheets: readonly { readonly name: string; readonly filterRange: string | null }[],
): ReadonlyMap<string, string> {
  const list = sheets.map(
    ({ name }, place) => `<sheet name="${name}" sheetId="${place + 1}" r:id="rId${place + 1}"/>`,
  );
  const names = sheets.flatMap(({ name, filterRange }, place) =>
    filterRange === null
      ? []
      : [
          `<definedName name="_xlnm._FilterDatabase" localSheetId="${place}" hidden="1">'${name}'!${filterRange}</definedName>`,
        ],
  );
  const relations = sheets.map(
    (_sheet, place) =>
      `<Relationship Id="rId${place + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${place + 1}.xml"/>`,
  );
  const types = sheets.map(
    (_sheet, place) =>
      `<Override PartName="/xl/worksheets/sheet${place + 1}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
  );
  return new Map([
    [
      'xl/workbook.xml',
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${list.join('')}</sheets>${names.length === 0 ? '' : `<definedNames>${names.join('')}</definedNames>`}</workbook>`,
    ],
    ['xl/styles.xml', STYLES],
    [
      'xl/_rels/workbook.xml.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}<Relationship Id="rId${sheets.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    ],
    [
      '_rels/.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>${types.join('')}<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
    ],
  ]);
}

/** What stands before the rows of a sheet; `widths` are those of its columns, in characters. */
export function beginSheet(widths: readonly number[]): string {
  const columns = widths.map(
    (width, place) => `<col min="${place + 1}" max="${place + 1}" width="${width}" customWidth="1"/>`,
  );
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>`;
}

/** What stands behind them. */
export function endSheet(filterRange: string | null): string {
  return `</sheetData>${filterRange === null ? '' : `<autoFilter ref="${filterRange}"/>`}</worksheet>`;
}
