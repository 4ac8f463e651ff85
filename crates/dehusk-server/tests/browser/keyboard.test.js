// Whole sessions without a mouse.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SITES, browse, content, dehusk, details, inFrame, inspect, openWindow, plainTest, shown, slider, temporaryFolder, until } from './helpers.js'

const PAGE = join(SITES, 'harbour-notes.example/about.html')

/** What has the focus, in words. */
const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement
    const label = element.getAttribute('aria-label') ?? element.closest('label')?.innerText ?? element.innerText
    return `${element.getAttribute('role') ?? element.localName} ${label}`.replace(/\s+/g, ' ').trim().slice(0, 60)
  })

/** Presses Tab until something has the focus. */
async function tabTo(page, what) {
  const seen = []
  for (let turn = 0; turn < 80; turn += 1) {
    await page.keyboard.press('Tab')
    seen.push(await focused(page))
    if (what.test(seen.at(-1))) return
  }
  throw new Error(`Tab never comes to ${what}: ${seen.join(', ')}`)
}

const selectedRow = (page) => page.locator('[role=treeitem][aria-selected=true] > .row').first()
const press = async (page, ...keys) => { for (const key of keys) await page.keyboard.press(key) }

browse('Tab goes through the view of a page in order, and never into the page', { inputs: PAGE }, async ({ page }) => {
  await shown(page)
  const order = []
  for (let turn = 0; turn < 60; turn += 1) {
    await page.keyboard.press('Tab')
    const now = await page.evaluate(() => document.activeElement.localName)
    if (now === 'body') break
    order.push(await focused(page))
    const isVisible = await page.evaluate(() => {
      const element = document.activeElement
      const shown = element.getAttribute('role') === 'treeitem' ? element.querySelector('.row') : element
      const style = getComputedStyle(shown)
      return element.matches(':focus-visible') && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
    })
    assert.ok(isVisible, `the focus on ${order.at(-1)} cannot be seen`)
  }
  assert.equal(order.filter((name) => /iframe/.test(name)).length, 0)
  const places = [/Detector/, /Focus/, /Compare with/, /Segments/, /Network/, /Keys/, /treeitem/, /The page as it looks/, /The selected part/, /tab Markdown/, /tabpanel/]
    .map((what) => order.findIndex((name) => what.test(name)))
  assert.ok(places.every((place) => place >= 0), `${places}: ${order.join(' | ')}`)
  assert.deepEqual(places, places.toSorted((a, b) => a - b), order.join(' | '))
  assert.equal(order.filter((name) => /^treeitem/.test(name)).length, 1, 'the tree is one stop')
})

browse('the tree: arrows move, open and close', { inputs: PAGE }, async ({ page }) => {
  await shown(page)
  await tabTo(page, /^treeitem/)
  await press(page, 'End')
  const last = await selectedRow(page).innerText()
  await press(page, 'ArrowUp')
  const previous = await selectedRow(page).innerText()
  assert.notEqual(previous, last)
  await press(page, 'ArrowDown')
  assert.equal(await selectedRow(page).innerText(), last)
  await press(page, 'Home')
  assert.match(await selectedRow(page).innerText(), /html/)
  const rows = () => page.locator('[role=treeitem]:visible').count()
  const before = await rows()
  await press(page, 'ArrowLeft')
  assert.equal(await rows(), 1)
  await press(page, 'ArrowRight')
  assert.equal(await rows(), before)
  await press(page, 'ArrowRight')
  assert.match(await selectedRow(page).innerText(), /head/)
  assert.match(await details(page).locator('h3').innerText(), /^head/)
  await press(page, 'ArrowLeft', 'ArrowLeft')
  assert.match(await selectedRow(page).innerText(), /html/)
  const scrolled = await page.locator('[role=treeitem][aria-selected=true]').evaluate((item) => document.activeElement === item)
  assert.ok(scrolled, 'the selected row has the focus')
})

plainTest('a whole session on a page: from the first dropped part to the saved correction', async (t) => {
  const file = join(temporaryFolder(t), 'corrections.jsonl')
  const server = await inspect(t, PAGE, '--corrections', file)
  const { page, seen } = await openWindow(t)
  await page.goto(server.address)
  await shown(page)
  // n and p walk over the outermost dropped parts, in both directions and around.
  const roots = await inFrame(page, (document) => [...document.querySelectorAll('[data-dh-drop]')].filter((element) => element.textContent.trim()).length)
  const visited = []
  for (let turn = 0; turn < roots; turn += 1) {
    await press(page, 'n')
    visited.push(await details(page).locator('h3, p').allInnerTexts())
    assert.match(await details(page).innerText(), /Dropped/)
  }
  assert.equal(new Set(visited.map(String)).size, roots)
  await press(page, 'n')
  assert.deepEqual(await details(page).locator('h3, p').allInnerTexts(), visited[0], 'after the last comes the first')
  await press(page, 'p')
  assert.deepEqual(await details(page).locator('h3, p').allInnerTexts(), visited.at(-1))
  // [ and ] move the focus.
  const start = Number(await slider(page).inputValue())
  await press(page, ']', ']', ']')
  assert.equal(Number(await slider(page).inputValue()), start + 3)
  assert.equal(await content(page), dehusk('extract', '-f', 'markdown', '--focus', String((start + 3) / 20), PAGE))
  await press(page, '[', '[', '[')
  assert.equal(Number(await slider(page).inputValue()), start)
  for (let turn = 0; turn < 30; turn += 1) await press(page, '[')
  assert.equal(await slider(page).inputValue(), '0')
  for (let turn = 0; turn < start; turn += 1) await press(page, ']')
  // m, t, c and r change what is beside the page.
  for (const [key, name] of [['t', 'Text'], ['c', 'Compare'], ['r', 'Records'], ['m', 'Markdown']]) {
    await press(page, key)
    assert.equal(await page.getByRole('tab', { name, exact: true }).getAttribute('aria-selected'), 'true')
  }
  // ? shows the keys, and Escape closes them; meanwhile other keys do nothing.
  await press(page, '?')
  await page.getByRole('dialog').waitFor()
  const selected = await selectedRow(page).innerText()
  await press(page, 'n', 'd')
  assert.equal(await selectedRow(page).innerText(), selected)
  await press(page, 'Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // k keeps the selected part, s saves.
  await press(page, 'k')
  assert.match(await details(page).innerText(), /Kept/)
  await press(page, 's')
  const lines = await until(() => { try { return readFileSync(file, 'utf8') } catch { return null } }, 'the file is written')
  assert.deepEqual(JSON.parse(lines).corrections.map(({ decision }) => decision), ['keep'])
  // The slider and the lists have their own keys, which are not those of the view.
  await tabTo(page, /Focus/)
  await press(page, 'ArrowRight', 'd')
  assert.equal(Number(await slider(page).inputValue()), start + 1)
  assert.match(await details(page).innerText(), /Kept/)
  // Tabs by arrows.
  await tabTo(page, /^tab Markdown/)
  await press(page, 'ArrowRight')
  assert.equal(await focused(page), 'tab Text')
  assert.equal(await page.getByRole('tab', { name: 'Text', exact: true }).getAttribute('aria-selected'), 'true')
  assert.deepEqual(seen.errors, [])
})

browse('the crawl: filter, walk over rows, open a page, come back to the same place', { done: true }, async ({ page }) => {
  await page.locator('.rows tbody tr').first().waitFor()
  await press(page, '/')
  assert.equal(await page.evaluate(() => document.activeElement.type), 'search')
  await page.keyboard.type('harbour')
  await page.waitForURL(/q=harbour/)
  await page.waitForFunction(() => [...document.querySelectorAll('.rows tbody tr')].every((row) => /Harbour/.test(row.textContent)))
  await press(page, 'ArrowDown')
  const first = await focused(page)
  await press(page, 'ArrowDown', 'ArrowDown')
  const third = await focused(page)
  assert.notEqual(first, third)
  await press(page, 'ArrowUp', 'ArrowDown')
  assert.equal(await focused(page), third)
  await press(page, 'Enter')
  await shown(page)
  assert.ok(third.includes((await page.locator('h1').innerText()).slice(0, 20)))
  await page.goBack()
  await page.locator('.rows tbody tr').first().waitFor()
  assert.equal(await page.getByRole('searchbox').inputValue(), 'harbour')
  assert.match(page.url(), /q=harbour/)
  // Sorting by the heading, with Enter.
  await tabTo(page, /^button Words/)
  await press(page, 'Enter')
  await page.locator('th[aria-sort=ascending]').filter({ hasText: 'Words' }).waitFor()
  await press(page, 'Enter')
  await page.locator('th[aria-sort=descending]').filter({ hasText: 'Words' }).waitFor()
  assert.match(await focused(page), /^button Words/)
})
