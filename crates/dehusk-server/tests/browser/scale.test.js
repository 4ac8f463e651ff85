// A large page and a large crawl. Nothing here looks at a clock: what is counted is work.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { browse, checkQuiet, content, inFrame, inspect, openWindow, plainTest, setFocus, shown, temporaryFolder, until } from './helpers.js'
import { crawlRecords, pageOfNodes } from './made.js'

plainTest('a page of 10,000 nodes: moving the slider touches only what changes', async (t) => {
  const path = join(temporaryFolder(t), 'large.html')
  writeFileSync(path, pageOfNodes(10_000))
  const server = await inspect(t, path)
  const window = await openWindow(t)
  const { page, seen } = window
  await page.goto(server.address)
  await shown(page)
  const view = await server.ask('page/0')
  assert.ok(view.nodes >= 10_000, `${view.nodes} nodes`)
  const before = seen.requests.length
  const { keep } = view.detectors[0]
  /** The outermost dropped nodes at a position of the slider. */
  const rootsAt = (step) => {
    const isDropped = (at) => !(keep[at] & (1 << step))
    return new Set(view.tree.id.filter((_, at) => isDropped(at) && (view.tree.parent[at] < 0 || !isDropped(view.tree.parent[at]))))
  }
  await page.evaluate(() => {
    globalThis.mutations = 0
    const count = (records) => { globalThis.mutations += records.length }
    globalThis.observer = new MutationObserver(count)
    globalThis.observer.observe(document.querySelector('iframe').contentDocument, { subtree: true, attributes: true, childList: true, characterData: true })
  })
  let step = view.step
  let changes = 0
  let marks = 0
  for (const next of [11, 12, 16, 20, 19, 4, 0, 10]) {
    const [old, now] = [rootsAt(step), rootsAt(next)]
    const changed = [...old].filter((node) => !now.has(node)).length + [...now].filter((node) => !old.has(node)).length
    await page.evaluate(() => { globalThis.mutations = 0 })
    await setFocus(page, next / 20)
    const mutations = await page.evaluate(() => {
      globalThis.mutations += globalThis.observer.takeRecords().length
      return globalThis.mutations
    })
    assert.ok(mutations <= 2 * changed, `${mutations} mutations from ${step} to ${next}, where ${changed} roots change`)
    const marked = await inFrame(page, (document) => document.querySelectorAll('[data-dh-drop]').length)
    assert.ok(marked <= now.size, `${marked} parts are marked, ${now.size} are dropped`)
    changes += changed
    marks += marked
    step = next
  }
  assert.ok(changes > 20 && marks > 20, `the focus hardly changes this page: ${changes} changes, ${marks} marks`)
  assert.equal(seen.requests.length, before)
  checkQuiet(window, server)
})

plainTest('a page of 10,000 nodes: the tree has rows only for what is open', async (t) => {
  const path = join(temporaryFolder(t), 'large.html')
  writeFileSync(path, pageOfNodes(10_000))
  const server = await inspect(t, path)
  const { page, seen } = await openWindow(t)
  await page.goto(server.address)
  await shown(page)
  const rows = () => page.locator('[role=treeitem]').count()
  assert.ok(await rows() < 300, `${await rows()} rows at the start`)
  // The list of comments has 700 items: the first are shown, the others on request.
  await page.keyboard.press('n')
  assert.ok(await rows() < 2000)
  const last = await inFrame(page, (document) => [...document.querySelectorAll('#list > li')].at(-1).dataset.dh)
  await page.evaluate((node) => {
    const { frame } = { frame: document.querySelector('iframe') }
    frame.contentDocument.querySelector(`[data-dh="${node}"]`).scrollIntoView({ block: 'center' })
  }, last)
  const box = await page.evaluate((node) => {
    const frame = document.querySelector('iframe')
    const [outer, inner] = [frame.getBoundingClientRect(), frame.contentDocument.querySelector(`[data-dh="${node}"]`).getBoundingClientRect()]
    return { x: outer.left + inner.left + 5, y: outer.top + inner.top + inner.height / 2 }
  }, last)
  await page.mouse.click(box.x, box.y)
  const selected = page.locator('[role=treeitem][aria-selected=true]')
  assert.equal(await selected.count(), 1)
  assert.ok(await selected.isVisible(), 'the row of the last item')
  assert.ok(await rows() < 4000, `${await rows()} rows`)
  assert.deepEqual(seen.errors, [])
})

browse('a page that is too large to be shown still has its content', {
  inputs: (t) => {
    const path = join(temporaryFolder(t), 'huge.html')
    writeFileSync(path, pageOfNodes(70_000))
    return path
  },
}, async ({ page }) => {
  await page.getByText('too large to be shown').waitFor()
  await until(async () => (await content(page)).length > 1000, 'the content is shown')
})

/** A file of a crawl: 3,000 pages of 30 hosts, and some records that are broken. */
function crawlFile(t, pages = 3000) {
  const path = join(temporaryFolder(t), 'crawl.jsonl.gz')
  const lines = [...crawlRecords(pages, 30)].map((record) => JSON.stringify(record))
  lines.splice(100, 0, '{"url": "http://broken.example/1", "html": ', JSON.stringify({ url: 'http://broken.example/2' }), JSON.stringify({ url: 'http://broken.example/3', html: 7 }))
  writeFileSync(path, gzipSync(lines.join('\n') + '\n', { level: 1 }))
  return path
}

plainTest('a crawl of 3,000 pages: the first rows are there while the job runs', async (t) => {
  // A machine that is done before the browser has drawn anything gets a larger crawl.
  for (const pages of [3000, 12_000, 48_000]) {
    const server = await inspect(t, crawlFile(t, pages), '--threads', '1')
    const window = await openWindow(t)
    const { page } = window
    await page.goto(server.address)
    await page.locator('.rows tbody tr').first().waitFor()
    const isBusy = await page.locator('progress').isVisible()
    const { phase } = await server.ask('progress')
    if (phase === 'done') continue
    assert.ok(isBusy, 'the progress is shown')
    await server.done()
    await page.locator('progress').waitFor({ state: 'hidden' })
    await page.waitForFunction((pages) => {
      const total = /of ([\d,]+) pages/.exec(document.querySelector('.row-count').textContent)?.[1]
      return Number(total?.replaceAll(',', '')) >= pages
    }, pages)
    checkQuiet(window, server)
    return
  }
  assert.fail('rows came only when the job was done')
})

plainTest('a crawl of 3,000 pages: order, filters, parts, errors and hosts', async (t) => {
  const server = await inspect(t, crawlFile(t))
  await server.done()
  const window = await openWindow(t)
  const { page } = window
  await page.goto(server.address)
  const rows = page.locator('.rows tbody tr')
  await rows.first().waitFor()
  const column = async (number) => (await page.locator(`.rows tbody tr > :nth-child(${number})`).allInnerTexts()).map((text) => Number(text.replace(/[^\d.]/g, '')))
  const isSorted = (values, direction) => values.every((value, at) => at === 0 || direction * (value - values[at - 1]) >= 0)
  const headings = await page.locator('.rows thead th').allInnerTexts()
  const place = (name) => headings.findIndex((heading) => heading.startsWith(name)) + 1

  // Lowest confidence first.
  assert.equal(await page.locator('th[aria-sort=ascending]').innerText().then((text) => text.replace(/\W/g, '')), 'Confidence')
  const errors = await page.locator('.rows tbody tr.has-error').count()
  assert.ok(isSorted((await column(place('Confidence'))).slice(errors), 1))
  assert.equal(await rows.count(), 100)

  for (const name of ['Words', 'Dropped']) {
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click()
    await page.locator('th[aria-sort]').filter({ hasText: name }).waitFor()
    const direction = (await page.locator('th[aria-sort]').getAttribute('aria-sort')) === 'ascending' ? 1 : -1
    await until(async () => isSorted((await column(place(name))).filter((value, at, all) => !Number.isNaN(all[at])), direction), `sorted by ${name}`)
  }

  // The parts of the table: all rows, each once.
  const seen = new Set()
  await page.goto(`${server.address}#/?sort=number&order=asc`)
  for (let part = 0; ; part += 1) {
    await page.waitForFunction((start) => document.querySelector('.row-count').textContent.startsWith(start), `${(part * 100 + 1).toLocaleString('en')}–`)
    for (const key of await rows.evaluateAll((rows) => rows.map((row) => row.dataset.key))) seen.add(key)
    const next = page.getByRole('button', { name: 'Next rows' })
    if (await next.isDisabled()) break
    await next.click()
  }
  const { total } = await server.ask('pages?limit=1')
  assert.equal(seen.size, total)
  assert.ok(total >= 3000)

  // A word of the address, and then errors only.
  await page.goto(`${server.address}#/`)
  await page.getByRole('searchbox').fill('host-7.example')
  await page.waitForFunction(() => document.querySelector('.row-count').textContent.includes('of 100 pages'))
  await page.goto(`${server.address}#/`)
  await page.getByLabel('Errors only').check()
  await page.waitForFunction(() => document.querySelectorAll('.rows tbody tr.has-error').length === document.querySelectorAll('.rows tbody tr').length && document.querySelector('.rows tbody tr'))
  const { rows: failed } = await server.ask('pages?errors=1&limit=100')
  assert.ok(failed.length > 0 && failed.every((row) => row.error && row.error_message))
  assert.equal(await rows.count(), failed.length)
  for (const text of await rows.allInnerTexts()) assert.match(text, /Error: \w/)

  // Hosts.
  await page.getByRole('link', { name: 'Hosts' }).click()
  await page.waitForFunction(() => document.querySelector('.rows thead').innerText.includes('Kinds of pages'))
  await page.waitForFunction(() => /of 3\d hosts/.test(document.querySelector('.row-count').textContent))
  await page.getByRole('searchbox').fill('host-12.')
  await page.waitForFunction(() => document.querySelectorAll('.rows tbody tr').length === 1)
  await page.getByRole('link', { name: 'host-12.example', exact: true }).click()
  await page.getByRole('heading', { name: 'host-12.example', level: 1 }).waitFor()
  await page.getByText(/^Learned from 100 pages/).waitFor()
  await page.waitForFunction(() => document.querySelector('.row-count').textContent.includes('of 100 pages'))
  checkQuiet(window, server)
})

plainTest('a crawl of 3,000 pages: opening a page and going back keeps order, filters and part', async (t) => {
  const server = await inspect(t, crawlFile(t))
  await server.done()
  const window = await openWindow(t)
  const { page } = window
  await page.goto(server.address)
  await page.getByRole('button', { name: /^Words/ }).click()
  await page.waitForURL(/sort=words/)
  await page.getByRole('searchbox').fill('example')
  await page.waitForURL(/q=example/)
  await page.getByRole('button', { name: 'Next rows' }).click()
  await page.waitForURL(/offset=100/)
  await page.waitForFunction(() => document.querySelector('.row-count').textContent.startsWith('101–200'))
  const names = await page.locator('.rows tbody .row-link').allInnerTexts()
  const address = page.url()
  await page.locator('.rows tbody .row-link').nth(5).click()
  await shown(page)
  await page.goBack()
  await page.waitForFunction(() => document.querySelector('.row-count')?.textContent.startsWith('101–200'))
  assert.equal(page.url(), address)
  assert.deepEqual(await page.locator('.rows tbody .row-link').allInnerTexts(), names)
  assert.equal(await page.getByRole('searchbox').inputValue(), 'example')
  await page.goBack()
  await page.waitForFunction(() => document.querySelector('.row-count').textContent.startsWith('1–100'))
  checkQuiet(window, server)
})
