/** Names of the characters from U+00A0 to U+00FF, in their order. */
const LATIN_NAMES =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' +
  'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig ' +
  'Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash ' +
  'Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc ' +
  'euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml ' +
  'yacute thorn yuml';
const FIRST_LATIN = 0xa0;

const MARKS: readonly (readonly [names: string, character: string])[] = [
  ['quot QUOT', '"'],
  ['amp AMP', '&'],
  ['apos', "'"],
  ['lt LT', '<'],
  ['gt GT', '>'],
  ['bsol', '\\'],
  ['sol', '/'],
  ['colon', ':'],
  ['semi', ';'],
  ['comma', ','],
  ['period', '.'],
  ['excl', '!'],
  ['num', '#'],
  ['dollar', '$'],
  ['percnt', '%'],
  ['lpar', '('],
  ['rpar', ')'],
  ['ast midast', '*'],
  ['plus', '+'],
  ['equals', '='],
  ['quest', '?'],
  ['commat', '@'],
  ['lsqb lbrack', '['],
  ['rsqb rbrack', ']'],
  ['lcub lbrace', '{'],
  ['rcub rbrace', '}'],
  ['Hat', '^'],
  ['lowbar', '_'],
  ['grave', '`'],
  ['verbar vert', '|'],
  ['Tab', '\t'],
];

/** Characters of HTML by their names, as far as encoders of texts use them. */
export const ENTITY_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...LATIN_NAMES.split(' ').map((name, index) => [name, String.fromCharCode(FIRST_LATIN + index)] as const),
  ...MARKS.flatMap(([names, character]) => names.split(' ').map((name) => [name, character] as const)),
]);
