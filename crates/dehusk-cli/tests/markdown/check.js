// Checks that the Markdown of hostile pages is inert: node check.js <dehusk> [seed [random pages]]
//
// Pages go through `dehusk extract`, with a detector that drops nothing and some of them with the default. Four renderers that people use turn the
// Markdown into HTML, with raw HTML allowed; parse5 reads that as a browser would. An element, attribute or URL that our Markdown cannot
// mean fails the test, and so does a page whose last paragraph is not a paragraph of its own.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HtmlRenderer, Parser } from 'commonmark'
import MarkdownIt from 'markdown-it'
import { marked } from 'marked'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { parse } from 'parse5'
import { SENTINEL, pages } from './vectors.js'

const [program, seed = '1', count = '4000'] = process.argv.slice(2)
if (!program) {
  console.error('usage: node check.js <path of the program dehusk> [seed [random pages]]')
  process.exit(2)
}

const reader = new Parser()
const writer = new HtmlRenderer()
const markdownIt = new MarkdownIt({ html: true, linkify: true })
const RENDERERS = {
  commonmark: (text) => writer.render(reader.parse(text)),
  'markdown-it': (text) => markdownIt.render(text),
  marked: (text) => marked.parse(text, { gfm: true }),
  micromark: (text) =>
    micromark(text, { allowDangerousHtml: true, allowDangerousProtocol: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
}

/** What the Markdown that we write can become, with its attributes. */
const ALLOWED = {
  html: [], head: [], body: [], p: [], h1: [], h2: [], h3: [], h4: [], h5: [], h6: [], ul: ['class'], ol: ['start', 'class'], li: ['class'],
  blockquote: [], pre: [], code: ['class'], em: [], strong: [], del: [], s: [], hr: [], br: [], sup: [], sub: [], a: ['href', 'title'],
  img: ['src', 'alt', 'title'], table: [], thead: [], tbody: [], tr: [], th: ['align', 'style'], td: ['align', 'style'],
  input: ['type', 'disabled', 'checked'],
}
const VALUES = { class: /^(language-[\w+#.-]+|task-list-item|contains-task-list)$/, style: /^text-align:(left|right|center)$/, type: /^checkbox$/ }

/** What is live in a rendered page, or undefined. */
function live(page) {
  const open = [page]
  while (open.length > 0) {
    const node = open.pop()
    if (node.nodeName === '#comment') return `comment ${node.data.slice(0, 80)}`
    if (node.tagName) {
      const allowed = Object.hasOwn(ALLOWED, node.tagName) && node.namespaceURI.endsWith('xhtml') && ALLOWED[node.tagName]
      if (!allowed) return `<${node.tagName}>`
      for (const { name, value } of node.attrs) {
        if (!allowed.includes(name) || (VALUES[name] && !VALUES[name].test(value))) return `<${node.tagName} ${name}="${value.slice(0, 80)}">`
        if ((name === 'href' || name === 'src') && !isHarmless(value, name)) return `<${node.tagName} ${name}="${value.slice(0, 80)}">`
      }
    }
    open.push(...(node.childNodes ?? []))
  }
}

function isHarmless(value, name) {
  try {
    const { protocol } = new URL(value, 'http://page.example/')
    return ['http:', 'https:', ...(name === 'href' ? ['mailto:', 'ftp:'] : [])].includes(protocol)
  } catch {
    return true
  }
}

/** Whether the last block is a paragraph with the sentinel and nothing else. */
function hasSentinel(page) {
  const body = page.childNodes.find((node) => node.tagName === 'html').childNodes.find((node) => node.tagName === 'body')
  const last = body.childNodes.filter((node) => node.tagName).at(-1)
  return last?.tagName === 'p' && last.childNodes.length === 1 && last.childNodes[0].value?.trim() === SENTINEL
}

/** The Markdown of all pages by one run of the program. */
function markdownOf(hostile, detector, folder) {
  const [source, target] = [join(folder, 'pages.jsonl'), join(folder, `${detector}.jsonl`)]
  writeFileSync(source, hostile.map(({ html }, id) => JSON.stringify({ id: String(id), url: `http://page.example/${id}`, html }) + '\n').join(''))
  execFileSync(program, ['extract', source, '-o', target, '-d', detector, '-f', 'markdown', '--heading', 'drop'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const records = readFileSync(target, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  if (records.length !== hostile.length) throw new Error(`${records.length} records of ${hostile.length} pages`)
  const texts = new Array(hostile.length)
  for (const record of records) texts[Number(record.id)] = record.markdown ?? record.text
  return texts
}

const folder = mkdtempSync(join(tmpdir(), 'dehusk-markdown-'))
const counts = { pages: 0, sentinels: 0 }
const failures = []
try {
  const all = pages(Number(seed), Number(count))
  for (const [detector, share] of [['none', 1], ['fusion', 8]]) {
    const hostile = all.filter((_, id) => id % share === 0)
    markdownOf(hostile, detector, folder).forEach((markdown, id) => {
      counts.pages += 1
      const fail = (renderer, what) => failures.push({ detector, renderer, what, html: hostile[id].html, markdown })
      if (typeof markdown !== 'string') return fail('-', 'no Markdown in the record')
      const shown = `\n\n${markdown.trimEnd()}`.endsWith(`\n\n${SENTINEL}`)
      if (detector === 'none' && hostile[id].sure && !shown) fail('-', 'the last paragraph is not at the end of the Markdown')
      counts.sentinels += shown
      for (const [name, render] of Object.entries(RENDERERS)) {
        const page = parse(render(markdown))
        const found = live(page)
        if (found) fail(name, `live: ${found}`)
        else if (shown && !hasSentinel(page)) fail(name, 'the last paragraph is swallowed')
      }
    })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

for (const { detector, renderer, what, html, markdown } of failures.slice(0, Number(process.env.SHOWN ?? 5))) {
  console.log(`${renderer} (detector ${detector}): ${what}\n  page: ${JSON.stringify(html)}\n  Markdown: ${JSON.stringify(markdown)}\n`)
}
const alive = failures.filter(({ what }) => what.startsWith('live')).length
console.log(
  `${counts.pages} pages by ${Object.keys(RENDERERS).length} renderers, ${counts.sentinels} with their last paragraph: ` +
    `${alive} live, ${failures.length - alive} other failures`,
)
if (counts.pages < 8000 || counts.sentinels < counts.pages / 2) throw new Error('too few pages to tell')
process.exit(failures.length > 0 ? 1 : 0)
