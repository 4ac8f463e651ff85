// Made-up pages: one of any size, and crawls of any number. The same numbers give the same pages.

const WORDS = ('the boats come home in May when nights are short and nets are mended on the quay by whoever has hands to spare old ones tell how it was done ' +
  'before harbour water rope crane bench notebook tide mooring engine paint timber sail wind current island lamp bell map chart depth stone shelter winter').split(' ')

/** Pseudo-random numbers: mulberry32. */
function generator(seed) {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

const sentence = (random, words) => `${Array.from({ length: words }, () => WORDS[random(WORDS.length)]).join(' ').replace(/^./, (letter) => letter.toUpperCase())}.`

/** A page of at least this many nodes: articles, link lists, tables, forms, comments and advertisements, in turn. */
export function pageOfNodes(nodes) {
  const random = generator(nodes)
  const parts = ['<!doctype html><html lang=en><head><title>A large page</title><style>nav a{padding:4px}.card{border:1px solid #999;margin:4px}</style></head><body>',
    '<header><h1>A large page</h1><nav><ul>']
  let count = 12
  const add = (html, more) => {
    parts.push(html)
    count += more
  }
  for (let link = 0; link < 12; link += 1) add(`<li><a href="/${link}">${WORDS[random(WORDS.length)]}</a></li>`, 3)
  parts.push('</ul></nav></header><main>')
  const kinds = [
    () => add(`<p>${sentence(random, 20 + random(60))} <a href="#">${sentence(random, 3)}</a> ${sentence(random, 10)}</p>`, 5),
    () => add(`<h2>${sentence(random, 4)}</h2><p>${sentence(random, 30)}</p>`, 4),
    () => add(`<div class="related"><h3>Related</h3><ul>${`<li><a href="/x">${sentence(random, 4)}</a></li>`.repeat(5)}</ul></div>`, 19),
    () => add(`<table><tr><th>Name<th>Depth</tr>${`<tr><td>${sentence(random, 2)}<td>${random(90)}</tr>`.repeat(4)}</table>`, 26),
    () => add(`<form><label>Search <input></label><button>Go</button></form><div class="ad">${sentence(random, 5)}</div>`, 8),
    () => add(`<div class="card"><span>${sentence(random, 3)}</span> <b>${sentence(random, 8)}</b> <i>${sentence(random, 2)}</i></div>`, 7),
  ]
  const items = Math.min(700, nodes / 14)
  while (count < nodes - items * 2 - 40) kinds[random(kinds.length)]()
  add('</main><section class="comments"><ul id="list">', 2)
  for (let item = 0; item < items; item += 1) add(`<li>${sentence(random, 6)}</li>`, 2)
  while (count < nodes) add(`<li>${sentence(random, 3)}</li>`, 2)
  parts.push('</ul></section><footer><p>Imprint | Privacy | Contact</p></footer></body></html>')
  return parts.join('')
}

/** Records of a crawl: pages of this many hosts, of two kinds each. */
export function* crawlRecords(pages, hosts) {
  for (let number = 0; number < pages; number += 1) {
    const random = generator(number + 1)
    const host = `host-${number % hosts}.example`
    const isList = number % 7 === 0
    const menu = Array.from({ length: 8 }, (_, link) => `<li><a href="/${link}">${WORDS[((number % hosts) * 5 + link) % WORDS.length]} ${host}</a></li>`).join('')
    const body = isList
      ? `<h1>List ${number}</h1><ul>${Array.from({ length: 10 }, () => `<li><a href="/p${random(pages)}">${sentence(random, 5)}</a></li>`).join('')}</ul>`
      : `<article><h1>${sentence(random, 4)}</h1>${Array.from({ length: 2 + random(6) }, () => `<p>${sentence(random, 15 + random(50))}</p>`).join('')}</article>`
    const html = `<!doctype html><html lang=en><head><title>Page ${number} of ${host}</title></head><body><header><nav><ul>${menu}</ul></nav></header>` +
      `<main>${body}</main><aside><h2>About ${host}</h2><p>We mend nets on the quay of ${host} since 1950.</p></aside><footer><p>© ${host}, all rights reserved</p></footer></body></html>`
    yield { id: String(number), url: `http://${host}/${isList ? 'list' : 'posts'}/${number}`, html }
  }
}
