/** Colours of the window that a report uses, by theme; both have the same names. */
export const LIGHT_TOKENS = {
  canvas: '#f7f8fa',
  surface: '#ffffff',
  sunken: '#f1f3f6',
  track: '#e6e9ee',
  border: '#e0e4e9',
  'border-strong': '#cdd3db',
  'border-subtle': '#eceef2',
  'text-1': '#14171f',
  'text-2': '#4a5160',
  'text-3': '#5e6674',
  accent: '#3a58cc',
  'accent-soft': '#9db0ee',
  'series-in': '#5470d8',
  '2xx': '#35a08f',
  '2xx-ink': '#0b6457',
  '2xx-tint': '#e2f3f0',
  '3xx': '#7e57c2',
  '3xx-ink': '#5d3a9e',
  '3xx-tint': '#efe9f8',
  '4xx': '#c2871a',
  '4xx-ink': '#7a4e00',
  '4xx-tint': '#faefd8',
  '5xx': '#be2f21',
  '5xx-ink': '#a3241a',
  '5xx-tint': '#fbe7e4',
  xxx: '#4e5766',
  'xxx-ink': '#4a5160',
  'xxx-tint': '#eaedf0',
} as const;

export const DARK_TOKENS: Readonly<Record<keyof typeof LIGHT_TOKENS, string>> = {
  canvas: '#101317',
  surface: '#15181e',
  sunken: '#1b1f26',
  track: '#272c35',
  border: '#252a32',
  'border-strong': '#353b46',
  'border-subtle': '#1e2229',
  'text-1': '#e8eaee',
  'text-2': '#a9b0bd',
  'text-3': '#8b93a1',
  accent: '#93a9f7',
  'accent-soft': '#3e539e',
  'series-in': '#6f89ea',
  '2xx': '#2fb0a4',
  '2xx-ink': '#6fd6c7',
  '2xx-tint': '#13302d',
  '3xx': '#8f6ad9',
  '3xx-ink': '#bfa6f2',
  '3xx-tint': '#271f3d',
  '4xx': '#dfae3c',
  '4xx-ink': '#f0ca6e',
  '4xx-tint': '#32290f',
  '5xx': '#e0523f',
  '5xx-ink': '#ff9a8b',
  '5xx-tint': '#3a1c18',
  xxx: '#c3c9d4',
  'xxx-ink': '#b6bdc9',
  'xxx-tint': '#252a33',
};

const toRules = (tokens: Readonly<Record<string, string>>): string =>
  Object.entries(tokens)
    .map(([name, colour]) => `--cs-${name}:${colour};`)
    .join('');

const CLASS_RULES = ['2xx', '3xx', '4xx', '5xx', 'xxx']
  .map(
    (name) =>
      `.c${name}{fill:var(--cs-${name})}.b${name}{background:var(--cs-${name}-tint);color:var(--cs-${name}-ink)}.b${name} svg{fill:var(--cs-${name})}`,
  )
  .join('');

/**
 * The style sheet of a report. Paper is always light. `footer` stands on each printed page, and `page` too, with its
 * number for `{page}` and how many there are for `{pages}`.
 */
export function writeStyle(footer: string, page: string): string {
  return `:root{color-scheme:light;${toRules(LIGHT_TOKENS)}}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${toRules(DARK_TOKENS)}}}
${CLASS_RULES}${LAYOUT}
@page{size:A4;margin:14mm 13mm 17mm;@bottom-left{content:${toCssText(footer)};font:9px ${FONT};color:#5e6674}@bottom-right{content:${toCounter(page)};font:9px ${FONT};color:#5e6674}}
${PRINT}`;
}

const FONT = `'Inter Variable',Inter,system-ui,'Segoe UI',Roboto,'Liberation Sans',sans-serif`;
const MONO = `'JetBrains Mono Variable','JetBrains Mono',ui-monospace,'Cascadia Mono',Menlo,monospace`;

const LAYOUT = `
*{box-sizing:border-box}
body{margin:0;background:var(--cs-canvas);color:var(--cs-text-1);font:13px/20px ${FONT};-webkit-text-size-adjust:100%}
main{max-width:1080px;margin:0 auto;padding:28px 20px 40px;display:flex;flex-direction:column;gap:12px}
h1,h2,h3,p,dl,dd,figure,table{margin:0}
h1{font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.015em}
h2,h3{font-size:13px;line-height:20px;font-weight:600}
.num,td,dd{font-variant-numeric:tabular-nums}
.quiet{color:var(--cs-text-2)}.faint{color:var(--cs-text-3)}.micro{font-size:11px;line-height:16px}
.mono{font:11.5px/18px ${MONO};overflow-wrap:anywhere}
.brand{display:flex;align-items:center;gap:7px;color:var(--cs-text-2);font-size:12px}
.brand svg{fill:var(--cs-accent)}
.panel{background:var(--cs-surface);border:1px solid var(--cs-border);border-radius:8px;padding:12px 14px 14px;min-width:0}
.panel header{display:flex;align-items:baseline;gap:8px;flex-wrap:wrap;padding-bottom:8px}
.panel header .legend{margin-left:auto}
.facts{display:grid;margin-top:12px;grid-template-columns:repeat(3,minmax(0,1fr));gap:10px 20px}
.facts dt{font-size:11px;line-height:16px;color:var(--cs-text-3)}
.facts dd{overflow-wrap:anywhere}
.facts .wide{grid-column:1/-1}
.figures{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:12px}
.figures .panel{padding:10px 14px}
.figure{font-size:22px;line-height:28px;font-weight:600;letter-spacing:-.015em;white-space:nowrap}
.figure small{font-size:12px;font-weight:500;letter-spacing:0;margin-left:3px}
.level{display:flex;flex-direction:column;gap:12px}
.figures.levels{grid-template-columns:repeat(4,minmax(0,1fr))}
.bad{color:var(--cs-5xx-ink)}.warn{color:var(--cs-4xx-ink)}
.chart{display:block;width:100%;height:auto}
.chart text{font:11px ${FONT};fill:var(--cs-text-3);font-variant-numeric:tabular-nums}
.chart .line{stroke:var(--cs-border-subtle);stroke-width:1}
.chart .base{stroke:var(--cs-border-strong);stroke-width:1}
.chart .share{fill:none;stroke:var(--cs-5xx);stroke-width:1.5}
.chart .median{fill:none;stroke:var(--cs-series-in);stroke-width:1.5}
.chart .p95{fill:none;stroke:var(--cs-text-3);stroke-width:1.5;stroke-dasharray:4 3}
.chart .gap{fill:url(#hatch)}
.chart-gap{fill:url(#hatch)}
.chart-key path{fill:none;stroke-width:2}.chart-key .median{stroke:var(--cs-series-in)}.chart-key .p95{stroke:var(--cs-text-3);stroke-dasharray:4 3}
.hatching{stroke:var(--cs-border-strong);stroke-width:1.5}
.definitions{position:absolute;width:0;height:0}
.coverage{display:block;width:100%;height:6px;border-radius:2px;margin:8px 0 4px}
.coverage .held{fill:var(--cs-accent-soft)}.coverage .open{fill:var(--cs-accent-soft);opacity:.55}.coverage .gap{fill:url(#hatch)}
.coverage .empty{fill:var(--cs-sunken)}
.legend{display:flex;flex-wrap:wrap;gap:4px 14px;list-style:none;margin:0;padding:0;font-size:11px;line-height:16px;color:var(--cs-text-2)}
.legend li{display:flex;align-items:center;gap:5px}
.legend svg{flex:none}
.spark{fill:var(--cs-5xx)}
table{border-collapse:collapse;width:100%;font-size:12px;line-height:16px}
th{font-size:11px;font-weight:500;color:var(--cs-text-3);text-align:left;vertical-align:bottom;padding:6px 12px 6px 0;border-bottom:1px solid var(--cs-border);white-space:nowrap}
td{padding:5px 12px 5px 0;border-bottom:1px solid var(--cs-border-subtle);vertical-align:top}
tr:last-child td{border-bottom:0}
th:last-child,td:last-child{padding-right:0}
th.n,td.n{text-align:right;white-space:nowrap}
td.w,tbody th.w{min-width:240px;overflow-wrap:anywhere}
td.t,tbody th.t,tbody th.n{white-space:nowrap}
tbody th{white-space:normal;font-size:12px;color:var(--cs-text-1);border-bottom:1px solid var(--cs-border-subtle);padding:5px 12px 5px 0;vertical-align:top}
tr:last-child th[scope=row]{border-bottom:0}
.scroll{overflow-x:auto}
.bar{width:90px;height:6px;margin-left:10px}
.bar .track{fill:var(--cs-track)}.bar .value{fill:var(--cs-series-in)}
.badge{display:inline-flex;align-items:center;gap:5px;border-radius:4px;padding:0 6px;font-weight:500;line-height:18px}
.badge svg{flex:none}
details{border-top:1px solid var(--cs-border-subtle);margin-top:10px;padding-top:8px}
summary{cursor:pointer;font-size:12px;line-height:16px;color:var(--cs-accent);width:fit-content}
summary:focus-visible{outline:2px solid var(--cs-accent);outline-offset:2px;border-radius:4px}
details[open] summary{margin-bottom:6px}
.list{list-style:none;margin:0;padding:0}
.list>li{padding:8px 0;border-bottom:1px solid var(--cs-border-subtle)}
.list>li:last-child{border-bottom:0;padding-bottom:0}
.list>li:first-child{padding-top:0}
.list h3{font-size:13px;line-height:18px;font-weight:600}
.token{border-radius:3px;background:var(--cs-sunken);color:var(--cs-text-2);padding:0 3px}
.case-head{padding:0 0 4px}.case-head h1{margin-top:8px;overflow-wrap:anywhere}
.text{display:flex;flex-direction:column;gap:8px;overflow-wrap:anywhere}
.text .heading{margin-top:8px}.text h2.heading{font-size:15px}
.points{margin:0;padding-left:22px}.points li{margin:2px 0}
blockquote{margin:0;padding:2px 0 2px 12px;border-left:3px solid var(--cs-border-strong);color:var(--cs-text-2)}
.code{margin:6px 0;padding:8px 10px;border-radius:6px;background:var(--cs-sunken);white-space:pre-wrap;overflow-wrap:anywhere}
code.mono{background:var(--cs-sunken);border-radius:3px;padding:0 3px}
.part h3{overflow-wrap:anywhere}.part .line{margin-bottom:8px;overflow-wrap:anywhere}
.part .facts{margin:4px 0 8px}.part td,.part tbody th{overflow-wrap:anywhere}.part td.w,.part tbody th.w{min-width:0}
.answer{margin-bottom:8px;padding:5px 9px;border-left:3px solid var(--cs-accent);background:var(--cs-sunken);font-size:12px;line-height:18px}
.picture{display:block;max-width:100%;height:auto;margin:4px 0}
a{color:var(--cs-accent)}
.case-foot{display:flex;flex-direction:column;gap:2px;margin-top:8px}.case-foot p{margin:0}
.notes{display:flex;flex-direction:column;gap:4px;margin-top:8px}
footer{font-size:11px;line-height:16px;color:var(--cs-text-3)}
@media (max-width:820px){.figures{grid-template-columns:repeat(3,minmax(0,1fr))}.figures.levels{grid-template-columns:repeat(2,minmax(0,1fr))}.facts{grid-template-columns:repeat(2,minmax(0,1fr))}}
@media (max-width:480px){.figures{grid-template-columns:repeat(2,minmax(0,1fr))}.facts{grid-template-columns:1fr}}`;

const PRINT = `@media print{
body{background:#fff;font-size:11px;line-height:16px;print-color-adjust:exact;-webkit-print-color-adjust:exact}
main{max-width:none;padding:0;gap:9px}
h1{font-size:18px;line-height:24px}
.panel{border-radius:4px;padding:9px 10px 10px}
.panel header{break-after:avoid}
.figures{gap:8px}.figure{font-size:16px;line-height:22px}
figure,.figures,.list>li,tr{break-inside:avoid}
table{font-size:9.5px;line-height:13px}th{font-size:9px}tbody th{font-size:9.5px}
td,tbody th{padding-top:3px;padding-bottom:3px}
thead{display:table-header-group}
.scroll{overflow:visible}
details::details-content{content-visibility:visible;height:auto}
summary{color:var(--cs-text-2);list-style:none}summary::-webkit-details-marker{display:none}
td.w,tbody th.w{min-width:0}
footer:not(.case-foot),.unprinted{display:none}
.text{font-size:11px}.text h2.heading{font-size:13px;break-after:avoid}.part .line,.part header{break-after:avoid}
.code{font-size:9px;line-height:13px}.picture{break-inside:avoid}a{color:inherit}
}`;

/** A CSS string: nothing in it ends the string or the style sheet. */
function toCssText(text: string): string {
  return `"${text.replace(/[^ \p{L}\p{N}.,:;()+\-/·–]/gu, ' ')}"`;
}

function toCounter(page: string): string {
  return page
    .split(/\{(page|pages)\}/)
    .map((part, place) => (place % 2 === 1 ? `counter(${part})` : toCssText(part)))
    .join(' ');
}
