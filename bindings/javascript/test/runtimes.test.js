// Browsers, workerd, Bun, Deno and the program `provstream` beside Node. What is not installed is skipped.
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { promisify } from 'node:util'
import * as provstream from 'provstream'
import { digest, stripped, textOf } from './agree.js'

const COUNT = Number(process.env.PROVSTREAM_TEXTS ?? 1_000)
const root = new URL('..', import.meta.url)
const expected = await digest(provstream, COUNT)
const run = promisify(execFile)
const find = (...names) => names.find((name) => spawnSync(name, ['--version']).status === 0)
const skipped = (name, found) => (found ? false : `SKIPPED: ${name} is not installed`)

const program = process.env.PROVSTREAM
test('the program strips the same', { skip: skipped('PROVSTREAM, the program,', program) }, async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'provstream-')), 'texts.ndjson')
  const texts = Array.from({ length: COUNT }, (_, at) => JSON.stringify({ text: textOf(at + 1).toWellFormed() }))
  writeFileSync(file, `${texts.join('\n')}\n`)
  const { stdout } = await run(program, ['strip', '--field', '/text', file], { maxBuffer: 1 << 30 })
  const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line).text)
  assert.equal(lines.length, COUNT)
  lines.forEach((line, at) => assert.equal(stripped(provstream, at + 1), line, `text ${at + 1}`))
})

const chromium = find('chromium', 'chromium-browser', 'google-chrome')
test('Chromium agrees', { skip: skipped('Chromium', chromium), timeout: 300_000 }, async () => {
  const types = { '.js': 'text/javascript', '.wasm': 'application/wasm' }
  // The page says itself that it is done, since a first start of a browser takes any time.
  const page = `<script type="module">
    const answer = (body) => fetch('/answer', { method: 'POST', body })
    try {
      const [provstream, { digest }] = await Promise.all([import('/web.js'), import('/test/agree.js')])
      await answer(await digest(provstream, ${COUNT}))
    } catch (error) {
      await answer(String(error))
    }
  </script>`
  let answer, fail
  const answered = new Promise((resolve, reject) => ([answer, fail] = [resolve, reject]))
  const server = createServer(async (request, response) => {
    try {
      if (request.url === '/answer') answer(await text(request))
      const body = ['/', '/answer'].includes(request.url) ? page : await readFile(new URL(`.${request.url}`, root))
      response.setHeader('content-type', types[extname(request.url)] ?? 'text/html')
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const profile = mkdtempSync(join(tmpdir(), 'provstream-'))
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`]
  const browser = spawn(chromium, [...flags, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' })
  browser.once('exit', (status) => fail(new Error(`Chromium ended with status ${status} before an answer`)))
  try {
    assert.equal(await answered, expected)
  } finally {
    browser.kill()
    server.closeAllConnections()
    server.close()
  }
})

const Miniflare = await import('miniflare').then((module) => module.Miniflare, () => undefined)
test('workerd agrees', { skip: skipped('miniflare', Miniflare) }, async () => {
  const main = `import * as provstream from './workerd.js'
    import { digest } from './test/agree.js'
    export default { async fetch() { return new Response(await digest(provstream, ${COUNT})) } }`
  const source = (path) => ({ type: 'ESModule', path, contents: readFileSync(new URL(path, root), 'utf8') })
  const wasm = { type: 'CompiledWasm', path: 'provstream.wasm', contents: readFileSync(new URL('provstream.wasm', root)) }
  const files = ['workerd.js', 'core.js', 'instance.js', 'offsets.js', 'pieces.js', 'test/agree.js'].map(source)
  const worker = new Miniflare({ modulesRoot: '.', modules: [{ type: 'ESModule', path: 'main.js', contents: main }, ...files, wasm], compatibilityDate: '2026-01-01' })
  try {
    const response = await worker.dispatchFetch('http://a.example/')
    assert.equal(await response.text(), expected)
  } finally {
    await worker.dispose()
  }
})

for (const [name, args] of [
  ['bun', ['-e']],
  ['deno', ['eval']],
]) {
  const found = find(join(root.pathname, `node_modules/.bin/${name}`), name)
  test(`${name} agrees`, { skip: skipped(name, found) }, async () => {
    const code = `import * as provstream from '${root.pathname}node.js'; import { digest } from '${root.pathname}test/agree.js'; console.log(await digest(provstream, ${COUNT}))`
    const { stdout } = await run(found, [...args, code])
    assert.equal(stdout.trim(), expected)
  })
}
