// Looks at pages in headless Chromium: what they show, whether they can be used without a mouse and read by a screen reader,
// whether the content security policy holds, and how fast they are.
//
//   node check.mjs CHROMIUM FOLDER TIMES DEMO
//
// DEMO is the address of the page of `provstream proxy --demo`. FOLDER has NAME.html, for some pages NAME.txt with the text that has to be shown, and gets screenshots and a PDF.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

const [chromium, folder, times, demonstration] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MOST_MILLISECONDS = 2000;
let faults = 0;

function check(page, what, holds, more = '') {
  if (!holds) faults += 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${page}: ${what}${more === '' ? '' : `: ${more}`}`);
}

// The names of characters that are not shown as they are: Unicode's default ignorable ones, controls and separators. Those that join,
// or select a variant, in the inputs are few, and are named here.
const HIDDEN = /(?:(?!\r\n|\u200d\p{Extended_Pictographic}|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb])+/gu;
const name = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
const shown = (text) => text.replace(HIDDEN, (run) => Array.from(run, name).join(' '));

async function open(browser, file, features = {}) {
  const page = await browser.newPage();
  const heard = [];
  page.on('console', (message) => heard.push(message.text()));
  page.on('pageerror', (error) => heard.push(String(error)));
  page.on('dialog', (dialog) => { heard.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') || !request.url().includes('.html')) heard.push(`request ${request.url()}`);
  });
  await page.setViewport({ width: features.width ?? 1280, height: 1000 });
  const session = await page.createCDPSession();
  await session.send('Emulation.setEmulatedMedia', {
    features: [
      { name: 'prefers-color-scheme', value: features.scheme ?? 'light' },
      { name: 'forced-colors', value: features.forced ?? 'none' },
    ],
  });
  page.setDefaultTimeout(180000);
  await page.goto(file.startsWith('http:') ? file : pathToFileURL(resolve(folder, file)).href);
  return { page, heard };
}

// The session's own evaluation is not subject to the page's policy.
async function axed(page) {
  await page.evaluate(axe);
  return page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
}

async function looks(browser, file) {
  const stem = file.replace(/\.html$/, '');
  const all = [
    { scheme: 'light' },
    { scheme: 'dark', width: 400 },
    { scheme: 'dark' },
    { scheme: 'light', width: 400 },
    { scheme: 'dark', forced: 'active' },
  ];
  // Pages of many sheets differ from others in their sheets alone.
  for (const features of stem.endsWith('paged') ? all.slice(0, 2) : all) {
    const { page, heard } = await open(browser, file, features);
    const of = `${stem}, ${features.scheme}${features.width ? ', narrow' : ''}${features.forced ? ', forced colours' : ''}`;
    const { violations, passes } = await axed(page);
    const found = violations.flatMap((one) => one.nodes.slice(0, 3).map((node) => `${one.id} ${node.html.slice(0, 120)}`));
    check(of, `axe-core, ${passes.length} rules pass`, violations.length === 0, found.join('\n     '));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(of, 'nothing is wider than the window', wide <= 0, wide > 0 ? `${wide} px` : '');
    check(of, 'no message, no request', heard.length === 0, heard.join('; '));
    await page.screenshot({
      path: join(folder, `${stem}-${features.forced ? 'forced' : features.scheme}${features.width ? '-narrow' : ''}.png`),
      fullPage: true,
    });
    await page.close();
  }
}

// The page that streams one answer through three routes.
async function demo(browser, address) {
  for (const features of [{ scheme: 'light' }, { scheme: 'dark', width: 400 }]) {
    const { page, heard } = await open(browser, address, features);
    const of = `demo, ${features.scheme}`;
    await page.waitForFunction(() => !document.getElementById('again').disabled && document.getElementById('gated').textContent !== '');
    const [raw, stripped, gated] = await page.evaluate(() => ['raw', 'stripped', 'gated'].map((id) => document.getElementById(id).textContent));
    check(of, 'shows an answer raw, stripped and gated',
      raw.includes('[substrate.') && !stripped.includes('[') && stripped.includes('bug') && gated.includes('(withheld)') && !gated.includes('bug'));
    const { violations } = await axed(page);
    check(of, 'axe-core', violations.length === 0, violations.map((one) => one.id).join(' '));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(of, 'nothing is wider than the window', wide <= 0);
    const other = heard.filter((one) => !one.startsWith(`request ${new URL(address).origin}/`));
    check(of, 'no message, no request elsewhere', other.length === 0, other.join('; '));
    await page.screenshot({ path: join(folder, `demo-${features.scheme}${features.width ? '-narrow' : ''}.png`), fullPage: true });
    await page.close();
  }
}

async function text(browser, file) {
  const { page, heard } = await open(browser, file);
  const stem = file.replace(/\.html$/, '');
  const expected = shown(readFileSync(join(folder, `${stem}.txt`), 'utf8'));
  const found = await page.evaluate(() => Array.from(document.querySelectorAll('.t'), (text) => text.textContent).join(''));
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at += 1;
  const same = expected === found;
  const where = `at ${at}: ${JSON.stringify(expected.slice(at, at + 40))}, found ${JSON.stringify(found.slice(at, at + 40))}`;
  check(stem, `shows ${expected.length} characters as they are`, same, same ? '' : where);
  const foreign = await page.evaluate(() => document.querySelectorAll(
    'script, img, iframe, object, embed, form, input:not([id^="f-"]), link, base, [style], [onload], [onerror], [onclick]').length);
  const links = await page.evaluate(() => Array.from(document.querySelectorAll('a'), (link) => link.protocol)
    .filter((protocol) => !['file:', 'http:', 'https:', 'mailto:'].includes(protocol)));
  check(stem, 'links lead to the page, the web and mail only', links.length === 0, links.join(' '));
  check(stem, 'has no element or attribute of the answer', foreign === 0);
  const cut = await page.evaluate(() => Array.from(document.querySelectorAll('.t li')).filter((item) => getComputedStyle(item).overflowX !== 'visible').length);
  check(stem, 'markers of lists are not cut off', cut === 0, `${cut} items`);
  check(stem, 'no message, no request', heard.length === 0, heard.join('; '));
  await page.close();
}

async function keyboard(browser, file) {
  const { page } = await open(browser, file);
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('href') ?? document.activeElement.tagName);
  await page.keyboard.press('Tab');
  check(file, 'the first stop is the way past the counts', (await focused()) === '#text');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  check(file, 'from there to the first problem', (await focused()) === '#x1');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  check(file, 'and to the next', (await focused()) === '#x2');
  const dangling = await page.evaluate(() => Array.from(document.querySelectorAll('a[href^="#"]'))
    .map((link) => link.getAttribute('href')).filter((href) => !document.getElementById(href.slice(1))));
  check(file, 'every link leads somewhere', dangling.length === 0, dangling.join(' '));
  const ids = await page.evaluate(() => Array.from(document.querySelectorAll('[id]'), (one) => one.id));
  check(file, 'every identifier is there once', new Set(ids).size === ids.length);
  await page.close();
}

// Check boxes work without script.
async function boxes(browser, file) {
  const { page } = await open(browser, file);
  const visible = (of) => page.evaluate((of) => Array.from(document.querySelectorAll(of)).filter((one) => one.checkVisibility()).length, of);
  const marked = () => page.evaluate(() => Array.from(document.querySelectorAll('mark.v-below-floor'))
    .filter((one) => getComputedStyle(one).textDecorationLine !== 'none').length);
  const before = [await visible('.n > li'), await visible('.v-below-floor:not(mark)'), await marked()];
  await page.click('#f-below-floor');
  const after = [await visible('.n > li'), await visible('.v-below-floor:not(mark)'), await marked()];
  check(file, 'a verdict is hidden on demand', before.every((one) => one > 0) && after[0] > 0 && after[0] < before[0] && after[1] + after[2] === 0,
    `${before}, ${after}`);
  await page.click('#f-markup');
  check(file, 'markup is shown on demand', (await visible('.m')) > 0);
  await page.click('#f-notes');
  check(file, 'entries are hidden on demand', (await visible('.n > li')) === 0);
  const heights = await page.evaluate(() => [document.querySelector('.t').offsetHeight, document.querySelector('.s').offsetHeight]);
  check(file, 'the text alone sets the height', heights[1] - heights[0] < 100, heights.join(' '));
  await page.close();
}

// What the page would not let a part of the answer do, if it were not escaped.
async function policy(browser, file) {
  const { page, heard } = await open(browser, file);
  const ran = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.ran = true';
    document.body.append(script);
    document.body.setAttribute('style', 'color: red');
    const image = document.createElement('img');
    const loaded = new Promise((done) => { image.onload = () => done('loaded'); image.onerror = () => done('refused'); });
    image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
    document.body.append(image);
    return [globalThis.ran === true, getComputedStyle(document.body).color === 'rgb(255, 0, 0)', (await loaded) === 'loaded'];
  });
  check(file, 'the content security policy refuses scripts, styles and images', ran.every((one) => !one), ran.join(' '));
  check(file, 'and reports each', heard.length >= 3, heard.length);
  await page.close();
}

async function print(browser, file) {
  const { page } = await open(browser, file);
  const pdf = Buffer.from(await page.pdf({ format: 'A4', printBackground: false }));
  writeFileSync(join(folder, file.replace(/html$/, 'pdf')), pdf);
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  check(file, 'prints', pdf.subarray(0, 5).toString() === '%PDF-' && pages > 0, `${pages} pages`);
  await page.close();
}

async function speed(chromium, file) {
  const paints = [];
  for (let time = 0; time < Number(times); time += 1) {
    // A browser of its own each time, so that nothing is in a cache.
    const browser = await launch(chromium);
    const { page, heard } = await open(browser, file);
    const found = await page.evaluate(() => ({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity,
      load: performance.timing.loadEventEnd - performance.timing.navigationStart,
      elements: document.getElementsByTagName('*').length,
    }));
    paints.push(found.paint);
    console.log(`     ${file}: first paint ${found.paint.toFixed(0)} ms, loaded ${found.load} ms, ${found.elements} elements`);
    if (time === 0) {
      const hops = await page.evaluate(async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const before = performance.now();
        const all = document.querySelectorAll('.sheet > h3');
        const last = all[all.length - 1];
        last.scrollIntoView();
        await frame();
        return { pages: all.length + 1, took: performance.now() - before, top: Math.abs(last.getBoundingClientRect().top) };
      });
      check(file, `the last of ${hops.pages} pages is reached`, hops.top < 1000, `${hops.took.toFixed(0)} ms`);
      check(file, 'no message, no request', heard.length === 0, heard.join('; '));
    }
    await browser.close();
  }
  const worst = Math.max(...paints);
  check(file, `first paint under ${MOST_MILLISECONDS} ms`, worst < MOST_MILLISECONDS, `${worst.toFixed(0)} ms at worst`);
}

const launch = (executablePath) => puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });

const files = readdirSync(folder).filter((file) => file.endsWith('.html'));
const browser = await launch(chromium);
for (const file of files.filter((file) => /^(answer|audit|index|live|response)/.test(file))) await looks(browser, file);
for (const file of files.filter((file) => /^(answer|hostile)/.test(file))) await text(browser, file);
for (const file of ['answer.html', 'answer-paged.html']) await keyboard(browser, file);
await demo(browser, demonstration);
await boxes(browser, 'answer.html');
await policy(browser, 'answer.html');
await print(browser, 'answer.html');
await print(browser, 'hostile.html');
await browser.close();
await speed(chromium, 'long.html');
if (faults > 0) {
  console.log(`${faults} checks failed`);
  process.exit(1);
}
