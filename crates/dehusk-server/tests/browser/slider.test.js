// The focus slider and the choice of a detector: everything follows at once, and equals what the program writes.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SITES, browse, content, dehusk, inFrame, setFocus, showOutput, shown, slider, temporaryFolder } from './helpers.js'

const PAGE = join(SITES, 'werkbank-laden.example/kategorie/schaerfen.html')
const POSITIONS = [0, 0.15, 0.5, 0.7, 0.85, 1]
const FORMATS = { Markdown: 'markdown', Text: 'text' }

/** The program ends what it prints with a line break. */
const asPrinted = (text) => (text.endsWith('\n') ? text : text + '\n')

/** The numbers of the outermost dropped nodes. */
const dropped = (page) =>
  inFrame(page, (document) => [...document.querySelectorAll('[data-dh-drop]')].map((element) => Number(element.getAttribute('data-dh'))))

browse('at every position the content is what the program extracts at that focus', { inputs: PAGE }, async ({ page, seen }) => {
  await shown(page)
  const before = seen.requests.length
  const contents = new Set()
  const shares = []
  for (const focus of POSITIONS) {
    await setFocus(page, focus)
    for (const [tab, format] of Object.entries(FORMATS)) {
      await showOutput(page, tab)
      const text = await content(page)
      assert.equal(asPrinted(text), dehusk('extract', '--focus', String(focus), '-f', format, PAGE), `${format} at ${focus}`)
      contents.add(text)
    }
    const { blocks } = JSON.parse(dehusk('extract', '--focus', String(focus), '-f', 'json', PAGE))
    const isDropped = await inFrame(page, (document, nodes) =>
      nodes.map((node) => document.querySelector(`[data-dh="${node}"]`).closest('[data-dh-drop]') !== null), blocks.map((block) => block.node))
    assert.deepEqual(isDropped, blocks.map((block) => block.decision === 'drop'), `what is dimmed at ${focus}`)
    shares.push((await dropped(page)).length)
  }
  assert.ok(contents.size > 2, 'the focus changes nothing on this page: it tests nothing')
  assert.equal(seen.requests.length, before, 'moving the slider asks nobody')
})

browse('a page of a site: the content is what a cleaned crawl has at that focus', { done: true }, async ({ page, seen, t }) => {
  await page.getByRole('searchbox').fill('tags.html')
  await page.getByRole('link', { name: /Topics – Harbour Notes/ }).click()
  await shown(page)
  const before = seen.requests.length
  const folder = temporaryFolder(t)
  for (const focus of [0, 0.35, 0.5, 0.8, 1]) {
    const path = join(folder, `${focus}.jsonl`)
    dehusk('clean', SITES, '-o', path, '-f', 'markdown,text', '--focus', String(focus))
    const records = readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
    const record = records.find(({ url }) => url === 'http://harbour-notes.example/tags.html')
    await setFocus(page, focus)
    for (const [tab, format] of Object.entries(FORMATS)) {
      await showOutput(page, tab)
      assert.equal(await content(page), record[format], `${format} at ${focus}`)
    }
  }
  assert.equal(seen.requests.length, before, 'moving the slider asks nobody')
})

browse('a focus that was asked for is where the slider starts', { inputs: PAGE, options: ['--focus', '0.8'] }, async ({ page }) => {
  await shown(page)
  assert.equal(await slider(page).inputValue(), '16')
  assert.equal(asPrinted(await content(page)), dehusk('extract', '--focus', '0.8', '-f', 'markdown', PAGE))
})

browse('other detectors show what they extract', { inputs: PAGE }, async ({ page, seen }) => {
  await shown(page)
  const before = seen.requests.length
  const list = page.getByRole('combobox', { name: 'Detector' })
  const contents = new Set()
  for (const detector of ['pagelevel', 'pagelevel-basic', 'block']) {
    await list.selectOption({ label: detector })
    for (const [tab, format] of Object.entries(FORMATS)) {
      await showOutput(page, tab)
      assert.equal(asPrinted(await content(page)), dehusk('extract', '--detector', detector, '-f', format, PAGE), `${format} by ${detector}`)
    }
    contents.add(await content(page))
    assert.ok(await slider(page).isDisabled(), 'only one detector follows the focus')
  }
  assert.ok(contents.size > 1)
  await list.selectOption({ label: 'fusion' })
  assert.ok(await slider(page).isEnabled())
  assert.equal(seen.requests.length, before)
})

browse('the methods of a site are compared on request', { done: true }, async ({ page, t }) => {
  await page.getByRole('searchbox').fill('about.html')
  await page.getByRole('link', { name: /About – Harbour Notes/ }).click()
  await shown(page)
  const detectors = page.getByRole('combobox', { name: 'Detector' }).locator('option')
  assert.ok(!(await detectors.allInnerTexts()).includes('treemap'))
  await page.getByRole('button', { name: 'Compare site methods' }).click()
  await page.getByRole('combobox', { name: 'Detector' }).locator('option', { hasText: 'treemap' }).waitFor({ state: 'attached' })
  await shown(page)
  await showOutput(page, 'Markdown')
  const names = await detectors.allInnerTexts()
  for (const method of ['sitelevel', 'treemap', 'align']) {
    assert.ok(names.includes(method), names.join())
    await page.getByRole('combobox', { name: 'Detector' }).selectOption({ label: method })
    const path = join(temporaryFolder(t), 'records.jsonl')
    dehusk('clean', SITES, '-o', path, '-f', 'markdown', '--detector', method, '--method', method)
    const records = readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
    const record = records.find(({ url }) => url === 'http://harbour-notes.example/about.html')
    assert.equal(await content(page), record.markdown ?? record.text, `Markdown by ${method}`)
  }
})
