/** Draws the files in resources/icons from the one drawing there: `node test/support/packaging/draw-icons.ts`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import {
  addMacosMargin,
  fitIcon,
  ICNS_SIZES,
  type Picture,
  writeIcns,
  writeIco,
} from '../../../src-main/packaging/icons.ts';
import { findBrowser } from '../../../src-main/node/print-with-browser.ts';

const WINDOWS_SIZES = [16, 20, 24, 32, 40, 48, 64, 256];
const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512];

const folder = fileURLToPath(new URL('../../../resources/icons/', import.meta.url));
const drawing = await readFile(join(folder, 'channelscope.svg'), 'utf8');
const executablePath = findBrowser();
const browser = await chromium.launch(executablePath === undefined ? {} : { executablePath });
const page = await browser.newPage();

async function draw(svg: string, size: number): Promise<Picture> {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>*{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`);
  return { size, png: await page.screenshot({ omitBackground: true }) };
}

const pictures = new Map<number, Picture>();
for (const size of new Set([...WINDOWS_SIZES, ...LINUX_SIZES])) {
  pictures.set(size, await draw(fitIcon(drawing, size), size));
}
const pick = (sizes: readonly number[]): Picture[] => sizes.flatMap((size) => pictures.get(size) ?? []);
const macos: Picture[] = [];
for (const size of ICNS_SIZES) macos.push(await draw(addMacosMargin(drawing), size));
await browser.close();

await writeFile(join(folder, 'channelscope.ico'), writeIco(pick(WINDOWS_SIZES)));
await writeFile(join(folder, 'channelscope.icns'), writeIcns(macos));
await mkdir(join(folder, 'linux'), { recursive: true });
for (const { size, png } of pick(LINUX_SIZES)) {
  await writeFile(join(folder, 'linux', `${size}x${size}.png`), png);
}
