// Measures the inspector in a browser: how soon a crawl is on the screen, what it takes, and how long a move of the slider takes.
//
//   (cd crates/dehusk-server/tests/browser && npm ci --ignore-scripts)
//   node eval/inspect/measure.js target/quick/dehusk --data DATA [--build "profile `quick`"] [--made 100000] [--nodes 1000,10000,50000] [--out docs/results/inspect.md]
//
// DATA/sites is a folder of crawled sites, a .jsonl.zst file each. CHROMIUM is the path of the browser, if it is not on the PATH under its usual names.

import { spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { crawlRecords, pageOfNodes } from '../../crates/dehusk-server/tests/browser/made.js'
import { launchBrowser } from '../../crates/dehusk-server/tests/browser/session.js'

const { values: given, positionals: [program] } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, build: { type: 'string', default: 'as given' }, made: { type: 'string', default: '100000' }, nodes: { type: 'string', default: '1000,10000,50000' }, out: { type: 'string' } },
})
if (!program || !given.data) {
  console.error('usage: node eval/inspect/measure.js <dehusk> --data <folder> [--build <text>] [--made <pages>] [--nodes <numbers>] [--out <file>]')
  process.exit(2)
}

const MOVES = 40
const NODES = given.nodes.split(',').filter(Boolean).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'dehusk-inspect-'))
const children = new Set()
let version
/** A window of a browser of its own, which runs before anything is measured. */
async function openWindow() {
  const browser = await launchBrowser()
  version = browser.version()
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } })
  page.setDefaultTimeout(900_000)
  await page.goto('about:blank')
  return { page, close: () => browser.close() }
}

/** Starts the inspector and waits for its address. */
async function start(inputs) {
  const began = performance.now()
  const child = spawn(program, ['inspect', '--no-open', '--corrections', join(folder, 'corrections.jsonl'), ...inputs], { stdio: ['ignore', 'ignore', 'pipe'] })
  children.add(child)
  const address = await new Promise((resolve, reject) => {
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (part) => {
      said += part
      const found = /http:\S+\//.exec(said)
      if (found) resolve(found[0])
    })
    child.once('exit', (code) => reject(new Error(`the inspector ended with ${code}: ${said}`)))
  })
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGINT')
    await ended
    children.delete(child)
  }
  return { began, address, stop, child }
}

const memoryOf = (child) => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return ['VmRSS', 'VmHWM'].map((name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024))
}

const seconds = (milliseconds) => (milliseconds / 1000).toFixed(2)

/** How soon a crawl is on the screen, and what it takes until it is done. */
async function crawl(name, inputs) {
  const { page, close } = await openWindow()
  const { began, address, stop, child } = await start(inputs)
  const listening = performance.now()
  await page.goto(address, { waitUntil: 'commit' })
  await page.locator('.rows tbody tr').first().waitFor()
  const shown = performance.now()
  const ask = async (path) => (await fetch(`${address}api/${path}`)).json()
  let progress
  do {
    await new Promise((resolve) => setTimeout(resolve, 500))
    progress = await ask('progress')
  } while (!['done', 'failed'].includes(progress.phase))
  const done = performance.now()
  const [resident, peak] = memoryOf(child)
  // An order over all pages, and the rows in the middle of it.
  const sortBegan = performance.now()
  await ask(`pages?sort=words&order=desc&offset=${Math.floor(progress.pages / 2)}&limit=100`)
  const sorted = performance.now()
  await stop()
  await close()
  const row = [name, progress.pages, progress.sites, seconds(listening - began), seconds(shown - began), seconds(done - began), resident, peak, Math.round(sorted - sortBegan)]
  console.log(row.join(' | '))
  return row
}

const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))]

/** How long a page takes to be shown, and a move of its slider. */
async function slider(nodes) {
  const path = join(folder, `${nodes}.html`)
  writeFileSync(path, pageOfNodes(nodes))
  const { page, close } = await openWindow()
  const { address, stop } = await start([path])
  const began = performance.now()
  await page.goto(address)
  await page.locator('#app[data-ready="true"] iframe').waitFor()
  const shown = performance.now() - began
  const moves = await page.evaluate(async (count) => {
    const slider = document.querySelector('input[type=range]')
    const page = document.querySelector('iframe').contentDocument
    const frames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const moves = []
    for (let move = 0; move < count; move += 1) {
      await frames()
      // Up and down over the whole range, one position at a time.
      slider.value = Math.abs((move % 40) - 20)
      const began = performance.now()
      slider.dispatchEvent(new Event('input', { bubbles: true }))
      // Asking for a height makes the browser compute styles and layout at once.
      const heights = page.documentElement.offsetHeight + document.documentElement.offsetHeight
      const worked = performance.now() - began
      await frames()
      moves.push({ worked, drawn: performance.now() - began, heights })
    }
    return moves
  }, MOVES)
  await close()
  await stop()
  const of = (name) => [0.5, 0.95].map((share) => quantile(moves.map((move) => move[name]), share).toFixed(1))
  const row = [nodes, seconds(shown), ...of('worked'), ...of('drawn')]
  console.log(row.join(' | '))
  return row
}

/** Writes made-up pages to a file, a bit at a time. */
async function writeCrawl(path, pages) {
  const out = createWriteStream(path)
  for (const record of crawlRecords(pages, Math.ceil(pages / 100))) {
    if (!out.write(JSON.stringify(record) + '\n')) await new Promise((resolve) => out.once('drain', resolve))
  }
  await new Promise((resolve) => out.end(resolve))
}

const table = (head, rows) => [head, head.map((_, at) => (at === 0 ? '---' : '--:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

try {
  const sliders = []
  for (const nodes of NODES) sliders.push(await slider(nodes))
  const sites = readdirSync(join(given.data, 'sites')).filter((name) => name.endsWith('.jsonl.zst'))
  const crawls = [await crawl('sites', sites.map((name) => join(given.data, 'sites', name)))]
  const made = Number(given.made)
  if (made > 0) {
    const path = join(folder, 'made.jsonl')
    await writeCrawl(path, made)
    crawls.push(await crawl(`made up (${Math.round(statSync(path).size / 1e6)} MB)`, [path]))
  }
  const report = `# The inspector in a browser

- Date: ${new Date().toISOString().slice(0, 10)}
- Command: \`node eval/inspect/measure.js target/quick/dehusk --data DATA --out docs/results/inspect.md\`
- Build: ${given.build}
- Corpus: sites, and made-up pages
- Browser: Chromium ${version}, without a screen and without a graphics processor

The machine has ${cpus().length} processors and is shared with other work, which the times by the clock include.

## A crawl

From the start of the program, with the browser already running. Memory is that of the program when all pages are judged with the templates
of their sites. The last column is the answer to a request for rows in the middle of all pages, in an order that was not asked for before.

${table(['crawl', 'pages', 'sites', 's until it listens', 's until the first rows', 's until done', 'MB at the end', 'MB at most', 'ms to sort'], crawls)}

## A page

Until shown: from the request to the page in its frame with all decisions, which the program makes at 21 positions of the slider and with
four detectors. A move of the slider by one position: the script, and styles and layout of the page and of the inspector; then the same until
two more frames are drawn. ${MOVES} moves over the whole range, the median and the 95th percentile, in milliseconds.

${table(['nodes', 's until shown', 'ms, median', 'ms, p95', 'with two frames', 'p95'], sliders)}
`
  if (given.out) writeFileSync(given.out, report)
  console.log(report)
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
