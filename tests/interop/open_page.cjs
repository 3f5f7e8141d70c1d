// SPDX-License-Identifier: MIT
// Opens a page of `clipmill preview` in a browser without a screen, does the steps of a list,
// and prints what came of it as one JSON object:
//   node open_page.cjs MODULES_FOLDER BROWSER PAGE OPTIONS_JSON < STEPS_JSON
// A step is {eval: expression}, {click: selector, at: [part of width, part of height]},
// {key: name}, {wait: ms}, {drop: path}, which drops a file onto the page, {save: selector, to: path},
// which clicks and keeps what the page then offers to save, or {screenshot: path}; each has a result
// in "results". The option "countWork" adds "work": how often blocks of the page's script ran while
// it opened. (Counted code is slower.)
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const { createRequire } = require('module');

const [modules, browser_path, page_path, options_json] = process.argv.slice(2);
const playwright = createRequire(path.join(path.resolve(modules), 'index.js'))('playwright-core');

const FLAGS = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
// The sandbox of the browser does not start for root, as which containers run.
if (process.getuid() === 0) FLAGS.push('--no-sandbox');

// As the mouse of a person does: the page finds a file in the data of the event.
function dropFile({ name, base64 }) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name));
  for (const type of ['dragover', 'drop']) {
    const event = new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event);
  }
}

async function saveFile(page, selector, to) {
  const [offered] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
  await offered.saveAs(to);
  return offered.suggestedFilename();
}

async function perform(page, step) {
  if (step.eval !== undefined) return page.evaluate(step.eval);
  if (step.click !== undefined) {
    const element = page.locator(step.click).first();
    const box = await element.boundingBox();
    const [x, y] = step.at ?? [0.5, 0.5];
    return element.click({ position: { x: x * box.width, y: y * box.height } });
  }
  if (step.key !== undefined) return page.keyboard.press(step.key);
  if (step.drop !== undefined) {
    const base64 = fs.readFileSync(step.drop).toString('base64');
    return page.evaluate(dropFile, { name: path.basename(step.drop), base64 });
  }
  if (step.save !== undefined) return saveFile(page, step.save, step.to);
  if (step.screenshot !== undefined) {
    await page.screenshot({ path: step.screenshot, fullPage: step.full === true });
    return null;
  }
  return page.waitForTimeout(step.wait);
}

// Counts how often each block of scripts runs, from now on; returns what sums it up.
async function startCounting(context, page) {
  const session = await context.newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return async () => {
    const { result } = await session.send('Profiler.takePreciseCoverage');
    const functions = result.flatMap((script) => script.functions);
    const blocks = functions.flatMap((each) => each.ranges);
    return blocks.reduce((sum, block) => sum + block.count, 0);
  };
}

// Everything that a page may do that this one must not.
function watch(page, seen) {
  page.on('console', (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => seen.console.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => {
    seen.console.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url())) seen.requests.push(request.url());
  });
}

(async () => {
  const steps = JSON.parse(fs.readFileSync(0, 'utf8'));
  const browser = await playwright.chromium.launch({ executablePath: browser_path, args: FLAGS });
  const { countWork, ...options } = JSON.parse(options_json);
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const seen = { console: [], requests: [], results: [] };
  watch(page, seen);
  const countedWork = countWork ? await startCounting(context, page) : null;
  await page.goto(pathToFileURL(path.resolve(page_path)).href);
  seen.ready = await page.evaluate('window.clipmill.ready');
  seen.opened_ms = await page.evaluate('window.clipmill.opened_ms');
  if (countedWork) seen.work = await countedWork();
  for (const step of steps) seen.results.push((await perform(page, step)) ?? null);
  await browser.close();
  process.stdout.write(JSON.stringify(seen));
})();
