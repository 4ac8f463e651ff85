// Corrections: made by click and by key, seen at once, saved as labelled pages, and there again later.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SITES, browse, content, detail, details, dehusk, inFrame, inspect, openWindow, plainTest, pointAt, showOutput, shown, temporaryFolder, until } from './helpers.js'

const PAGE = join(SITES, 'harbour-notes.example/about.html')
const linesOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)) : [])

/** A page, and the file that its corrections go to. */
async function openCorrected(t, inputs = PAGE, file = join(temporaryFolder(t), 'corrections.jsonl')) {
  const server = await inspect(t, inputs, '--corrections', file)
  const { page, seen } = await openWindow(t)
  await page.goto(server.address)
  return { server, page, seen, file }
}

async function clickPart(page, selector) {
  const point = await pointAt(page, selector)
  await page.mouse.click(point.x, point.y)
}

const isDropped = (page, selector) =>
  inFrame(page, (document, selector) => document.querySelector(selector).closest('[data-dh-drop]') !== null, selector)
const nodeOf = (page, selector) => inFrame(page, (document, selector) => Number(document.querySelector(selector).dataset.dh), selector)
const button = (page, name) => details(page).getByRole('button', { name, exact: true })
const saveButton = (page) => page.getByRole('button', { name: /^Save|^Saved/ })

plainTest('keep and drop by click: the page, the tree and the content follow, and the file has a labelled page', async (t) => {
  const { page, server, file } = await openCorrected(t)
  await shown(page)
  const before = await content(page)
  assert.ok(before.includes('Who writes') && !before.includes('Skip to the reading'))
  assert.ok(await saveButton(page).isDisabled())

  const heading = await headingNode(page, 'Who writes')
  await clickPart(page, heading)
  await button(page, 'Drop').click()
  assert.ok(await isDropped(page, heading))
  assert.match(await detail(page, 'Decision').innerText(), /Dropped.*you/)
  assert.match(await page.locator('[role=treeitem][aria-selected=true] .sign').first().getAttribute('aria-label'), /dropped/)

  await clickPart(page, 'a.skip-link')
  await button(page, 'Keep').click()
  assert.ok(!(await isDropped(page, 'a.skip-link')))

  await until(async () => (await content(page)).includes('Skip to the reading'), 'the content follows')
  const corrections = [{ node: await nodeOf(page, heading), decision: 'drop' }, { node: await nodeOf(page, 'a.skip-link'), decision: 'keep' }]
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ detector: 'fusion', focus: 0.5, corrections }) }
  const answer = await server.ask('page/0/corrected', asked)
  await until(async () => (await content(page)) === answer.markdown, 'the content is that of the server')
  assert.ok(!answer.markdown.includes('Who writes'))
  await showOutput(page, 'Text')
  assert.equal(await content(page), answer.text)

  assert.deepEqual(linesOf(file), [], 'nothing is written before it is asked for')
  await saveButton(page).click()
  const [line] = await until(() => (linesOf(file).length ? linesOf(file) : null), 'the file is written')
  const source = readFileSync(PAGE, 'utf8')
  assert.equal(line.html, source)
  assert.equal(line.main_content, answer.text)
  assert.equal(line.focus, 0.5)
  assert.deepEqual(line.corrections.map(({ node, decision }) => ({ node, decision })), corrections)
  const [dropped] = line.corrections
  assert.ok(Buffer.from(source).subarray(...dropped.span).toString().includes('Who writes'))
  assert.equal(dropped.text, 'Who writes')
  assert.equal(await inFrame(page, (document, xpath) => document.evaluate(xpath, document, null, 2, null).stringValue, dropped.xpath), 'Who writes')
})

/** A selector of the heading with a text. */
const headingNode = async (page, text) =>
  `[data-dh="${await inFrame(page, (document, text) => [...document.querySelectorAll('h1, h2, h3')].find((element) => element.textContent === text).dataset.dh, text)}"]`

plainTest('keep and drop by key, undo, and save', async (t) => {
  const { page, file } = await openCorrected(t)
  await shown(page)
  const before = await content(page)
  const heading = await headingNode(page, 'Who writes')
  await clickPart(page, heading)
  await page.keyboard.press('d')
  assert.ok(await isDropped(page, heading))
  await page.keyboard.press('u')
  assert.ok(!(await isDropped(page, heading)))
  await until(async () => (await content(page)) === before, 'the content is as before')
  await page.keyboard.press('d')
  await page.keyboard.press('k')
  assert.ok(!(await isDropped(page, heading)))
  await page.keyboard.press('d')
  await page.keyboard.press('s')
  await until(() => linesOf(file).length === 1, 'the file is written')
  assert.deepEqual(linesOf(file)[0].corrections.map(({ decision }) => decision), ['drop'])
  await page.keyboard.press('u')
  await page.keyboard.press('s')
  await until(() => linesOf(file).length === 0, 'the line is gone')
})

plainTest('saved corrections are there again after reloading and in another run; one that is undone is removed', async (t) => {
  const { page, file } = await openCorrected(t)
  await shown(page)
  const heading = await headingNode(page, 'Who writes')
  await clickPart(page, heading)
  await button(page, 'Drop').click()
  await saveButton(page).click()
  await until(() => linesOf(file).length === 1, 'the file is written')
  await page.reload()
  await shown(page)
  assert.ok(await isDropped(page, heading))

  const again = await openCorrected(t, PAGE, file)
  await shown(again.page)
  assert.ok(await isDropped(again.page, heading))
  await until(async () => !(await content(again.page)).includes('Who writes'), 'the content follows')
  await clickPart(again.page, heading)
  assert.match(await detail(again.page, 'Decision').innerText(), /Dropped.*you/)
  await button(again.page, 'Undo').click()
  assert.ok(!(await isDropped(again.page, heading)))
  await saveButton(again.page).click()
  await until(() => linesOf(file).length === 0, 'the line is gone')
  assert.deepEqual(again.seen.errors, [])
})

plainTest('a decision about a part overrules earlier ones about what is in it', async (t) => {
  const { page, file } = await openCorrected(t)
  await shown(page)
  await clickPart(page, await headingNode(page, 'Who writes'))
  await button(page, 'Drop').click()
  // Up to the article, and keep it whole.
  await page.locator('[role=treeitem][aria-selected=true]').focus()
  await page.keyboard.press('ArrowLeft')
  if (!(await details(page).locator('h3').innerText()).startsWith('article')) await page.keyboard.press('ArrowLeft')
  assert.match(await details(page).locator('h3').innerText(), /^article/)
  await page.keyboard.press('k')
  await page.keyboard.press('s')
  await until(() => linesOf(file).length === 1, 'the file is written')
  assert.deepEqual(linesOf(file)[0].corrections.map(({ decision, css }) => [decision, /article$/.test(css)]), [['keep', true]])
})

plainTest('corrections of two pages of a site are two lines of one file', async (t) => {
  const { page, server, file } = await openCorrected(t, SITES)
  await server.done()
  const { rows } = await server.ask('pages?sort=number&limit=40')
  for (const name of ['about.html', 'tags.html']) {
    const { number } = rows.find(({ url }) => url.endsWith(`harbour-notes.example/${name}`))
    await page.goto(`${server.address}#/page/${number}`)
    await page.waitForFunction((name) => document.querySelector('#app[data-ready=true] .address')?.textContent.endsWith(name), name)
    await clickPart(page, 'h1')
    await page.keyboard.press('d')
    await page.keyboard.press('s')
    await until(() => linesOf(file).some(({ url }) => url.endsWith(name)), `${name} is saved`)
  }
  const lines = linesOf(file)
  assert.deepEqual(lines.map(({ url }) => url), ['http://harbour-notes.example/about.html', 'http://harbour-notes.example/tags.html'])
  // The one that is corrected again takes the place of its line.
  await clickPart(page, 'footer')
  await page.keyboard.press('k')
  await page.keyboard.press('s')
  await until(() => linesOf(file).find(({ url }) => url.endsWith('tags.html')).corrections.length === 2, 'the second correction is saved')
  assert.equal(linesOf(file).length, 2)
})

plainTest('a file that cannot be written is an error in words', async (t) => {
  const folder = temporaryFolder(t)
  const { page } = await openCorrected(t, PAGE, join(folder, 'no/such/folder/c.jsonl'))
  await shown(page)
  await clickPart(page, 'h1')
  await page.keyboard.press('d')
  await page.keyboard.press('s')
  await page.getByText(/--corrections/).first().waitFor()
})

browse('corrections hold for the detector and the focus at which they are made', { inputs: PAGE }, async ({ page, server }) => {
  await shown(page)
  await page.getByRole('combobox', { name: 'Detector' }).selectOption({ label: 'block' })
  await clickPart(page, 'h1')
  await page.keyboard.press('d')
  const corrections = [{ node: await nodeOf(page, 'h1'), decision: 'drop' }]
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ detector: 'block', focus: 0.5, corrections }) }
  const answer = await server.ask('page/0/corrected', asked)
  assert.notEqual(answer.text, dehusk('extract', '--detector', 'block', '-f', 'text', PAGE))
  await until(async () => (await content(page)) === answer.markdown, 'the content is that of the server')
})
