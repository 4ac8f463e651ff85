// The view of a page as a file: works from disk, alone.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SITES, checkQuiet, content, dehusk, detail, details, inFrame, openWindow, plainTest, pointAt, setFocus, showOutput, shown, slider, temporaryFolder } from './helpers.js'

const PAGE = join(SITES, 'werkbank-laden.example/kategorie/schaerfen.html')

async function openSaved(t, ...options) {
  const file = join(temporaryFolder(t), 'view.html')
  dehusk('inspect', PAGE, '--save', file, ...options)
  const window = await openWindow(t)
  await window.page.goto(pathToFileURL(file).href)
  await shown(window.page)
  return { ...window, window, file }
}

plainTest('a saved view opens without a server and without requests, and everything in it works', async (t) => {
  const { page, window, seen, file } = await openSaved(t)
  assert.match(await page.title(), /^Schärfen – Werkbank-Laden/)
  assert.equal(await page.locator('h1').innerText(), 'Schärfen – Werkbank-Laden')
  const { blocks } = JSON.parse(dehusk('extract', '-f', 'json', PAGE))
  const dimmed = await inFrame(page, (document, nodes) => nodes.map((node) => document.querySelector(`[data-dh="${node}"]`).closest('[data-dh-drop]') !== null), blocks.map((block) => block.node))
  assert.deepEqual(dimmed, blocks.map((block) => block.decision === 'drop'))
  for (const focus of [0, 0.5, 0.9]) {
    await setFocus(page, focus)
    await showOutput(page, 'Markdown')
    assert.equal(await content(page), dehusk('extract', '--focus', String(focus), '-f', 'markdown', PAGE))
  }
  const point = await pointAt(page, 'h1')
  await page.mouse.click(point.x, point.y)
  assert.match(await detail(page, 'XPath').innerText(), /h1/)
  for (const method of ['best', 'gcuts', 'cclus']) {
    await page.getByRole('combobox', { name: 'Segments' }).selectOption(method)
    await page.locator('.overlay .segment').first().waitFor()
  }
  await showOutput(page, 'Compare')
  await page.getByRole('columnheader', { name: 'pagelevel', exact: true }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  checkQuiet(window, null)
  assert.deepEqual(seen.requests.filter((url) => !/^(data|about):/.test(url)), [pathToFileURL(file).href])
})

plainTest('a saved view has nothing that needs a server', async (t) => {
  const { page } = await openSaved(t)
  const point = await pointAt(page, 'h1')
  await page.mouse.click(point.x, point.y)
  for (const name of ['Keep', 'Drop', 'Undo']) assert.equal(await details(page).getByRole('button', { name, exact: true }).count(), 0, name)
  assert.equal(await page.getByRole('button', { name: /Save|Network|methods/ }).count(), 0)
  const before = await content(page)
  for (const key of ['d', 'k', 'u', 's']) await page.keyboard.press(key)
  assert.equal(await content(page), before)
  assert.equal(await page.getByRole('link').count(), 0)
  await page.keyboard.press('?')
  assert.ok(!(await page.getByRole('dialog').innerText()).includes('save'))
})

plainTest('a saved view starts at the focus and with the template that were asked for', async (t) => {
  const folder = temporaryFolder(t)
  const template = join(folder, 'site.husk')
  dehusk('learn', join(SITES, 'werkbank-laden.example'), '-o', template)
  const { page } = await openSaved(t, '--focus', '0.8', '--template', template)
  assert.equal(await slider(page).inputValue(), '16')
  assert.equal(await content(page), dehusk('extract', '--focus', '0.8', '--template', template, '-f', 'markdown', PAGE))
  await page.getByText(/site learned from \d+ pages/).waitFor()
})

plainTest('a saved view is whole or not written, and says no more than the page', async (t) => {
  const file = join(temporaryFolder(t), 'view.html')
  dehusk('inspect', PAGE, '--save', file)
  const text = readFileSync(file, 'utf8')
  assert.ok(!text.includes(SITES), 'the folder of the page is told')
  assert.match(text, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'/)
  assert.throws(() => dehusk('inspect', SITES, '--save', file), /one page|single page/i)
  assert.equal(readFileSync(file, 'utf8'), text)
})
