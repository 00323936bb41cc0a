// Looks at pages in Chromium: node scripts/check-pages.cjs FOLDER FILE.html...
//
// Called by scripts/check-pages, which says where the browser and the packages are. Every page is opened at two widths, light
// and dark. A finding of axe-core, an error on the console, a request to anywhere else, or a page that scrolls sideways or
// is wider than paper is told, and the status is 1. Screenshots and a print of each page go to FOLDER.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { chromium } = require('playwright-core');

const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const [folder, ...files] = process.argv.slice(2);
const widths = [['desk', 1280, 900], ['phone', 390, 844]];
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
let findings = 0;

function found(words) {
  findings += 1;
  console.error(words);
}

async function look(context, file, name, scheme) {
  const page = await context.newPage();
  const own = pathToFileURL(file).href;
  const place = `${path.basename(file)} (${name}, ${scheme})`;
  page.on('console', (message) => { if (message.type() === 'error') found(`${place}: console: ${message.text()}`); });
  page.on('pageerror', (error) => found(`${place}: error: ${error.message}`));
  page.on('request', (request) => {
    const address = request.url();
    if (address.split('#')[0] !== own && !address.startsWith('data:')) found(`${place}: asks for ${address}`);
  });
  await page.goto(own);
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  if (inner > outer) found(`${place}: scrolls sideways, ${inner} pixels in ${outer}`);
  await page.screenshot({ path: path.join(folder, `${path.basename(file, '.html')}-${name}-${scheme}.png`), fullPage: true });
  // What is folded away is looked at too.
  await page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
  const opened = await page.evaluate(() => document.documentElement.scrollWidth);
  if (opened > outer) found(`${place}: scrolls sideways when all is open, ${opened} pixels in ${outer}`);
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run());
  for (const one of result.violations) {
    found(`${place}: ${one.id} (${one.impact}): ${one.help}\n  ${one.nodes.slice(0, 3).map((node) => node.html).join('\n  ')}`);
  }
  await page.close();
}

// Prints a page; nothing on it may be wider than the paper, A4 upright or, where the body's class says so, across.
async function print(context, file) {
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  const across = await page.evaluate(() => document.body.classList.contains('across'));
  const room = across ? 1032 : 672;
  await page.setViewportSize({ width: room, height: 900 });
  await page.emulateMedia({ media: 'print' });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  if (wide > room) found(`${path.basename(file)} (on paper): ${wide} pixels wide, the paper has ${room}`);
  await page.pdf({ path: path.join(folder, `${path.basename(file, '.html')}.pdf`), preferCSSPageSize: true });
  await page.close();
}

async function main() {
  for (const [name, width, height] of widths) {
    for (const scheme of ['light', 'dark']) {
      const context = await chromium.launchPersistentContext(path.join(process.env.BROWSER_DATA, `${name}-${scheme}`), {
        executablePath: process.env.BROWSER_PATH, headless: true, args: flags, viewport: { width, height }, colorScheme: scheme,
      });
      for (const file of files) await look(context, file, name, scheme);
      if (name === 'desk' && scheme === 'dark') for (const file of files) await print(context, file);
      await context.close();
    }
  }
  if (findings === 0) console.log(`accessible and self-contained: ${files.length} pages, at two widths, light and dark`);
  process.exitCode = findings === 0 ? 0 : 1;
}

main().catch((error) => {
  console.error(`the browser could not be used: ${error.message}`);
  process.exitCode = 1;
});
