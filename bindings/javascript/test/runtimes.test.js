// Browsers, workerd, Bun, Deno and the program `provstream` beside Node. What is not installed is skipped.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
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
test('Chromium agrees', { skip: skipped('Chromium', chromium) }, async () => {
  const types = { '.js': 'text/javascript', '.wasm': 'application/wasm' }
  const page = `<body><script type="module">
    import * as provstream from '/web.js'
    import { digest } from '/test/agree.js'
    document.body.textContent = 'digest ' + (await digest(provstream, ${COUNT}))
  </script>`
  const server = createServer(async (request, response) => {
    try {
      const body = request.url === '/' ? page : await readFile(new URL(`.${request.url}`, root))
      response.setHeader('content-type', types[extname(request.url)] ?? 'text/html')
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const profile = mkdtempSync(join(tmpdir(), 'provstream-'))
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`, '--virtual-time-budget=100000', '--dump-dom']
  try {
    let found
    // On a busy machine the page may be read before it has run.
    for (let attempt = 0; attempt < 3 && found === undefined; attempt++) {
      const { stdout } = await run(chromium, [...flags, `http://127.0.0.1:${server.address().port}/`])
      found = /digest (\w+)/.exec(stdout)?.[1]
    }
    assert.equal(found, expected)
  } finally {
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
