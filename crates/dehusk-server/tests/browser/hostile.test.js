// Pages that attack whoever looks at them: nothing of them runs, nothing is loaded, nobody is told.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkQuiet, dehusk, inFrame, inspect, openWindow, plainTest, pointAt, shown, temporaryFolder } from './helpers.js'
import { known, own } from './vectors.js'

const SENTENCE = 'Nets are mended in May, when the boats come home and the nights are short.'

/** A server that hostile pages point to. It counts connections, and keeps what was asked for. */
async function openTrap(t) {
  const asked = []
  let connections = 0
  const server = http.createServer((request, response) => {
    asked.push(request.url)
    const kinds = { css: 'text/css', js: 'text/javascript', png: 'image/png' }
    const kind = kinds[new URL(request.url, 'http://trap').pathname.split('.').at(-1)] ?? 'text/html'
    response.writeHead(200, { 'content-type': kind, 'access-control-allow-origin': '*' })
    const bodies = {
      'text/css': 'body { color: rgb(1, 2, 3) } p { background: url(from-sheet.png) }',
      'text/javascript': 'top.pwned()',
      'text/html': '<script>top.pwned()</script>',
      'image/png': Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==', 'base64'),
    }
    response.end(bodies[kind])
  })
  server.on('connection', () => { connections += 1 })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${server.address().port}`, asked, connections: () => connections }
}

const pageOf = (payload) => `<!doctype html><title>t</title><main><p>${SENTENCE}</p></main>${payload}`

/** A window whose scripts can call `pwned`. */
async function watchedWindow(t) {
  const window = await openWindow(t)
  await window.page.addInitScript(() => {
    globalThis.hits = 0
    globalThis.pwned = () => { globalThis.hits += 1 }
  })
  return window
}

/** Waits until the browser has nothing left to do, so that what is late has happened. */
const settled = (page) =>
  page.evaluate(async () => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => requestAnimationFrame(() => requestIdleCallback(resolve)))
  })

/** Nothing ran, moved, or left. */
async function checkHarmless({ page, seen }, trap, server) {
  await settled(page)
  assert.equal(await page.evaluate(() => globalThis.hits), 0, 'scripts that ran')
  const own = server ? server.address : 'file:'
  const strange = seen.navigations.filter(({ isTop, url }) => (isTop ? !url.startsWith(own) && url !== 'about:blank' : !['about:srcdoc', 'about:blank', ''].includes(url)))
  assert.deepEqual(strange, [], 'navigations')
  if (server) {
    const unknown = seen.requests.filter((url) => url.startsWith(own) && !/^(web\/[\w.]+|api\/.*)?([?#].*)?$/.test(url.slice(own.length)))
    assert.deepEqual(unknown, [], 'requests to the inspector that are not its own')
  }
  assert.deepEqual(trap.asked, [], 'requests that reached the trap')
  assert.equal(trap.connections(), 0, 'connections to the trap')
}

plainTest('the vectors are live where nothing stops them, and the sandbox and the policy would each stop their scripts', async (t) => {
  const trap = await openTrap(t)
  const window = await watchedWindow(t)
  const { page, seen } = window
  const frames = (payloads, sandbox) => page.evaluate(async ([payloads, sandbox]) => {
    for (const payload of payloads) {
      const frame = document.createElement('iframe')
      if (sandbox !== null) frame.sandbox = sandbox
      frame.srcdoc = payload
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
      document.body.append(frame)
      await loaded
    }
    return globalThis.hits
  }, [payloads, sandbox])
  // Without those that leave the page: they would end the test.
  const payloads = own(trap.origin).filter((payload) => !/top\.location|target=_top|open\(/.test(payload))
  const empty = temporaryFolderWith(t, { 'empty.html': '<!doctype html><body>' })
  await page.goto(pathToFileURL(join(empty, 'empty.html')).href)
  assert.equal(await frames(payloads, 'allow-same-origin'), 0, 'the sandbox alone')
  assert.ok(await frames(payloads, null) > 20, 'without sandbox and policy')
  assert.ok(trap.asked.length > 30, `requests reach the trap: ${trap.asked.length}`)
  const server = await inspect(t, join(temporaryFolderWith(t, { 'page.html': pageOf('') }), 'page.html'))
  await page.goto(server.address)
  await shown(page)
  assert.equal(await frames(payloads, null), 0, 'the policy alone')
  assert.deepEqual(seen.windows, [])
})

function temporaryFolderWith(t, files) {
  const folder = temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

plainTest('hostile pages: nothing runs and nothing is loaded', async (t) => {
  const trap = await openTrap(t)
  const payloads = [...own(trap.origin), ...known(trap.origin)]
  assert.ok(payloads.length > 300)
  const records = payloads.map((payload, number) => JSON.stringify({ url: `http://hostile.example/${number}`, html: pageOf(payload) }))
  const folder = temporaryFolderWith(t, { 'pages.jsonl': records.join('\n') })
  const server = await inspect(t, join(folder, 'pages.jsonl'))
  await server.done()
  const window = await watchedWindow(t)
  const { page, seen } = window
  await page.goto(server.address)
  await page.getByRole('table').waitFor()
  const parts = await Promise.all([0, 500].map((offset) => server.ask(`pages?limit=500&sort=number&offset=${offset}`)))
  const rows = parts.flatMap((part) => part.rows)
  assert.equal(rows.length, payloads.length)
  // The first of three defences: what could run, load or lead elsewhere is not even in the frame. The others are its sandbox and the policy.
  const remains = () => page.evaluate(() => {
    const frame = document.querySelector('iframe')
    const elements = [...Document.prototype.querySelectorAll.call(frame.contentDocument, '*')]
    const live = /^(script|base|meta|link|iframe|frame|frameset|object|embed|applet|portal|fencedframe|template|video|audio|source|track|param)$/
    const liveInSvg = /^(script|animate.*|set|use|foreignObject|image|feImage|iframe|handler)$/
    const isLive = ({ localName, namespaceURI }) => (namespaceURI.endsWith('xhtml') ? live : liveInSvg).test(localName)
    const isBad = ({ name, value }) => /^(on|ping$|action|formaction|srcset|srcdoc|poster|xlink|autofocus|target|data$|manifest|cite|contenteditable|popover|accesskey|tabindex)/i.test(name) ||
      (name === 'href' && value !== '#') || (['src', 'background'].includes(name) && !value.startsWith('data:image/'))
    const found = elements.filter(isLive).map((element) => element.localName)
    for (const element of elements) for (const attribute of Element.prototype.getAttributeNames.call(element)) {
      const value = Element.prototype.getAttribute.call(element, attribute)
      if (isBad({ name: attribute, value })) found.push(`${attribute}=${value}`)
    }
    return [frame.getAttribute('sandbox'), ...found]
  })
  const left = []
  let shownPages = 0
  for (const { number, error } of rows) {
    if (error) continue
    await page.evaluate((number) => { location.hash = `#/page/${number}` }, number)
    await page.waitForFunction((number) => document.getElementById('app').dataset.ready === 'true' && window.Dehusk.view.data.number === number, number)
    assert.deepEqual(seen.errors, [], `errors of scripts at ${payloads[number]}`)
    assert.equal(await page.evaluate(() => globalThis.hits), 0, `scripts that ran at ${payloads[number]}`)
    const [sandbox, ...live] = await remains()
    assert.equal(sandbox, 'allow-same-origin')
    if (live.length > 0) left.push({ payload: payloads[number], live })
    shownPages += 1
  }
  assert.deepEqual(left, [], 'what is left of the pages')
  assert.ok(shownPages > 300, `${shownPages} pages are shown`)
  await checkHarmless(window, trap, server)
  checkQuiet(window, server)
})

plainTest('hostile pages that are clicked, hovered and tabbed through', async (t) => {
  const trap = await openTrap(t)
  const clickable = own(trap.origin).filter((payload) => /<(a|area|button|input|details|form|marquee|select|dialog)\b/.test(payload) && !/<plaintext|inset:0/.test(payload))
  const html = pageOf(clickable.join('\n'))
  const server = await inspect(t, join(temporaryFolderWith(t, { 'page.html': html }), 'page.html'), '--url', `${trap.origin}/page.html`)
  const window = await watchedWindow(t)
  const { page } = window
  await page.goto(server.address)
  await shown(page)
  const nodes = await inFrame(page, (document) =>
    [...document.querySelectorAll('a, area, button, input, summary, label, marquee, p')]
      .filter((element) => Element.prototype.getBoundingClientRect.call(element).width > 0).map((element) => element.dataset.dh))
  assert.ok(nodes.length > 20)
  for (const node of nodes) {
    const point = await pointAt(page, `[data-dh="${node}"]`)
    await page.mouse.move(point.x, point.y)
    await page.mouse.click(point.x, point.y)
    await page.mouse.click(point.x, point.y, { button: 'middle' })
  }
  for (let turn = 0; turn < 60; turn += 1) {
    await page.keyboard.press('Tab')
    assert.notEqual(await page.evaluate(() => document.activeElement.localName), 'iframe', 'the focus is in the page')
  }
  await checkHarmless(window, trap, server)
  checkQuiet(window, server)
})

plainTest('titles, addresses, names and error messages are texts, never markup', async (t) => {
  const trap = await openTrap(t)
  const vectors = [
    `"><img src=${trap.origin}/x.png onerror=top.pwned()>`, `</script><script>top.pwned()</script>`, `'><svg onload=top.pwned()>`, `javascript:top.pwned()`,
    `{{constructor.constructor('top.pwned()')()}}`, `<iframe srcdoc="<script>top.pwned()</script>">`, `&lt;img src=x onerror=top.pwned()&gt;`, `\u202e<b>x</b>`,
  ]
  const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  const html = (vector) => `<!doctype html><title>${escape(vector)}</title><main><p class="${escape(vector)}" id="${escape(vector)}">${SENTENCE}</p><x-${vector.replace(/[\s>]/g, '-')}>${escape(vector)}</x-y></main>`
  const records = vectors.flatMap((vector, number) => [
    { id: vector, url: `http://${number}.example/${vector}`, html: html(vector) },
    { id: vector, url: vector, html: html(vector) },
    { id: vector, url: `http://broken.example/${vector}`, html: null },
    { id: vector, url: `http://broken.example/2/${vector}`, html: '\u0000\u0001\u0002\u0003%PDF-1.4 \u0000\u0000' },
  ])
  const folder = temporaryFolderWith(t, { 'pages.jsonl': [...records.map((record) => JSON.stringify(record)), `{"url": "${vectors[0]}`, 'not json <img src=x onerror=top.pwned()>'].join('\n') })
  const server = await inspect(t, join(folder, 'pages.jsonl'))
  await server.done()
  const window = await watchedWindow(t)
  const { page } = window
  const places = [
    '', '#/?view=hosts', ...vectors.map((vector) => `#/?q=${encodeURIComponent(vector)}`), ...vectors.map((vector) => `#/site/${encodeURIComponent(vector)}`),
    ...vectors.map((vector) => `#/page/${encodeURIComponent(vector)}`), '#/site/', '#/site/%', '#/page/99999', '#/page/-1',
    `#/?sort=${encodeURIComponent(vectors[0])}`, `#/?flag=${encodeURIComponent(vectors[0])}&type=${encodeURIComponent(vectors[1])}&site=${encodeURIComponent(vectors[2])}`,
    ...(await server.ask('hosts?limit=100')).rows.map((row) => `#/site/${encodeURIComponent(row.name)}`),
    ...(await server.ask('pages?limit=100&sort=number')).rows.map((row) => `#/page/${row.number}`),
  ]
  const texts = []
  for (const place of places) {
    await page.goto('about:blank')
    await page.goto(server.address + place)
    await page.waitForFunction(() => document.querySelector('.row-table tbody tr, .row-table .message:not([hidden]), .message.error, #app[data-ready=true] iframe'))
    const strange = await page.evaluate(() => [...document.querySelectorAll('#app img, #app script, #app svg:not(.histogram), #app object, #app b, #app [onerror], #app [onload], #app a[href^=javascript]')].map((element) => element.outerHTML))
    assert.deepEqual(strange, [], place)
    texts.push(await page.locator('#app').innerText())
  }
  for (const vector of vectors) assert.ok(texts.some((text) => text.includes(vector)), `nothing shows ${vector}`)
  await checkHarmless(window, trap, server)
  checkQuiet(window, server)
})

plainTest('a saved view of a hostile page is as harmless', async (t) => {
  const trap = await openTrap(t)
  const payloads = own(trap.origin)
  const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const all = payloads.filter((payload) => !/<plaintext|<frameset|name=createElement/.test(payload)).join('\n')
  const pages = {
    'all.html': pageOf(all),
    'clobber.html': pageOf(payloads.filter((payload) => /name=createElement|name=getAttribute|id=app/.test(payload)).join('')),
    'script.html': pageOf('').replace('<title>t', `<title>${escape('</title><script>top.pwned()</script><!--<script>')}`) + '<p>&lt;/script>&lt;script>top.pwned()&lt;/script>&lt;!--&lt;script></p>',
  }
  const folder = temporaryFolderWith(t, pages)
  for (const name of Object.keys(pages)) {
    const window = await watchedWindow(t)
    const { page } = window
    const file = join(folder, `${name}.view.html`)
    dehusk('inspect', join(folder, name), '--save', file, '--url', `${trap.origin}/${name}`)
    await page.goto(pathToFileURL(file).href)
    await shown(page)
    assert.ok((await inFrame(page, (document) => Document.prototype.querySelector.call(document, 'main').textContent)).includes(SENTENCE))
    await checkHarmless(window, trap, null)
    checkQuiet(window, null)
    assert.deepEqual(window.seen.requests.filter((url) => !/^(data|about):/.test(url)), [pathToFileURL(file).href])
  }
})

plainTest('if the network is switched on, pictures and style sheets are loaded, and still nothing runs', async (t) => {
  const trap = await openTrap(t)
  const html = `<!doctype html><title>t</title><link rel=stylesheet href=look.css><main><p>${SENTENCE}</p><img src=boat.png width=50 height=50 alt=Boat></main>${own(trap.origin).filter((payload) => !/<plaintext|<frameset/.test(payload)).join('\n')}`
  const server = await inspect(t, join(temporaryFolderWith(t, { 'page.html': html }), 'page.html'), '--url', `${trap.origin}/dir/page.html`)
  const window = await watchedWindow(t)
  const { page, seen } = window
  await page.goto(server.address)
  await shown(page)
  await settled(page)
  assert.equal(trap.connections(), 0)
  await page.getByRole('button', { name: /Network/ }).click()
  await page.waitForURL(/network=1/)
  await shown(page)
  await page.waitForFunction(() => {
    const document = globalThis.document.querySelector('iframe').contentDocument
    return Document.prototype.querySelector.call(document, 'img[alt=Boat]').naturalWidth > 0
  })
  assert.ok(trap.asked.includes('/dir/look.css') && trap.asked.includes('/dir/boat.png'), trap.asked.join())
  const wrong = trap.asked.filter((path) => /\.(js|jar|mp4|mp3|vtt|wav|html|json|xml|htc)$|frame|object|embed|refresh|form|submit|ping|fetch|beacon|portal|window|location|top$|prefetch|prerender|speculation|area/.test(path))
  assert.deepEqual(wrong, [], 'what may never be loaded')
  await settled(page)
  assert.equal(await page.evaluate(() => globalThis.hits), 0)
  assert.deepEqual([seen.errors, seen.dialogs, seen.windows], [[], [], []])
  await page.getByRole('button', { name: /Network/ }).click()
  await page.waitForURL((url) => !url.search.includes('network'))
  await shown(page)
  const before = trap.asked.length
  await settled(page)
  assert.equal(trap.asked.length, before)
})
