// The view of a page: what it shows agrees with what the program says elsewhere.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SITES, browse, dehusk, detail, details, inFrame, nodeAtPoint, pointAt, shown, temporaryFolder, until } from './helpers.js'

const ARTICLE = join(SITES, 'harbour-notes.example/about.html')

/** For each block of the program's answer, whether its part of the frame is dimmed. */
const dimmed = (page, blocks) =>
  inFrame(page, (document, nodes) => nodes.map((node) => {
    const element = document.querySelector(`[data-dh="${node}"]`)
    return element ? element.closest('[data-dh-drop]') !== null : null
  }), blocks.map((block) => block.node))

/** The records of the example sites as `dehusk clean` writes them, by address. */
function cleaned(t, ...options) {
  const path = join(temporaryFolder(t), 'records.jsonl')
  dehusk('clean', SITES, '-o', path, ...options)
  const records = readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  return new Map(records.map((record) => [record.url, record]))
}

browse('dropped parts are dimmed: those that the program drops, and no others', { inputs: ARTICLE }, async ({ page }) => {
  await shown(page)
  const { blocks } = JSON.parse(dehusk('extract', '-f', 'json', ARTICLE))
  assert.ok(blocks.some((block) => block.decision === 'drop') && blocks.some((block) => block.decision === 'keep'))
  assert.deepEqual(await dimmed(page, blocks), blocks.map((block) => block.decision === 'drop'))
  const opacities = await inFrame(page, (document) => {
    const of = (selector) => Number(document.defaultView.getComputedStyle(document.querySelector(selector)).opacity)
    return [of('[data-dh-drop]'), of('main')]
  })
  assert.ok(opacities[0] < 0.6 && opacities[1] === 1, `opacity of dropped and kept: ${opacities}`)
  assert.match(await page.title(), /^About – Harbour Notes/)
})

browse('a page of a site is judged with the template of its site, and says on how many pages a part is', { done: true }, async ({ page, t }) => {
  await page.getByRole('searchbox').fill('about.html')
  await page.getByRole('link', { name: /About – Harbour Notes/ }).click()
  await shown(page)
  const record = cleaned(t, '-f', 'json').get('http://harbour-notes.example/about.html')
  const answer = typeof record.page === 'string' ? JSON.parse(record.page) : record.page
  assert.deepEqual(await dimmed(page, answer.blocks), answer.blocks.map((block) => block.decision === 'drop'))
  for (const block of answer.blocks.filter((block) => block.reason.name === 'repeated')) {
    const selector = `[data-dh="${block.node}"]`
    const point = await pointAt(page, selector)
    await page.mouse.click(point.x, point.y)
    // The click selects the innermost part; its block is the next one up that has an answer of its own.
    const node = await nodeAtPoint(page, point)
    await selectNode(page, node, block.node)
    assert.match(await detail(page, 'Decision').innerText(), /Dropped/)
    assert.match(await detail(page, 'Seen on').innerText(), new RegExp(`${block.reason.pages} of ${block.reason.of} pages`))
    assert.match(await detail(page, 'Reason').innerText(), /\w/)
  }
})

/** Goes from the selected node up to another one, with the keys of the tree. */
async function selectNode(page, from, to) {
  const steps = await inFrame(page, (document, [from, to]) => {
    let steps = 0
    for (let at = document.querySelector(`[data-dh="${from}"]`); at.getAttribute('data-dh') !== to; at = at.parentElement.closest('[data-dh]')) steps += 1
    return steps
  }, [String(from), String(to)])
  await page.locator('[role=treeitem][aria-selected=true]').focus()
  for (let step = 0; step < steps; step += 1) {
    const isOpen = await page.locator('[role=treeitem][aria-selected=true]').getAttribute('aria-expanded')
    if (isOpen === 'true') await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
  }
}

browse('hovering outlines a part, and clicking selects it in the page and in the tree', { inputs: ARTICLE }, async ({ page }) => {
  await shown(page)
  const point = await pointAt(page, 'footer p, footer')
  await page.mouse.move(point.x, point.y)
  const box = page.locator('.overlay .hover')
  await box.waitFor()
  const node = await nodeAtPoint(page, point)
  const [outline, part] = await page.evaluate((node) => {
    const frame = document.querySelector('iframe')
    const { left, top } = frame.getBoundingClientRect()
    const own = frame.contentDocument.querySelector(`[data-dh="${node}"]`).getBoundingClientRect()
    const box = document.querySelector('.overlay .hover').getBoundingClientRect()
    return [[box.left - left, box.top - top, box.width, box.height], [own.left, own.top, own.width, own.height]].map((sides) => sides.map(Math.round))
  }, node)
  assert.deepEqual(outline, part)
  await page.mouse.click(point.x, point.y)
  const row = page.locator('[role=treeitem][aria-selected=true]')
  assert.equal(await row.count(), 1)
  assert.ok(await row.isVisible())
  await page.locator('.overlay .selected').waitFor()
  await page.mouse.move(5, 5)
  await box.waitFor({ state: 'hidden' })
})

browse('paths and bytes of a part lead to it', { inputs: ARTICLE }, async ({ page }) => {
  await shown(page)
  const source = readFileSync(ARTICLE)
  const { blocks } = JSON.parse(dehusk('extract', '-f', 'json', ARTICLE))
  for (const { node } of blocks) {
    const point = await pointAt(page, `[data-dh="${node}"]`)
    await page.mouse.click(point.x, point.y)
    const clicked = await nodeAtPoint(page, point)
    const [xpath, css, bytes] = await Promise.all(['XPath', 'CSS', 'Bytes'].map((term) => detail(page, term).innerText()))
    const found = await inFrame(page, (document, [xpath, css]) => {
      const by = [document.evaluate(xpath, document, null, 9, null).singleNodeValue, document.querySelector(css)]
      return [...by.map((element) => element?.getAttribute('data-dh')), by[0]?.localName]
    }, [xpath, css].map((text) => text.replace(/\s*Copy$/, '')))
    assert.deepEqual(found.slice(0, 2), [clicked, clicked], `${xpath} and ${css}`)
    const [start, end] = bytes.match(/[\d,]+/g).map((number) => Number(number.replaceAll(',', '')))
    assert.ok(source.subarray(start, end).toString().startsWith(`<${found[2]}`), `bytes ${start} to ${end}`)
  }
})

browse('a part has a score, a reason, the features that weighed most, and what other detectors say', { inputs: ARTICLE }, async ({ page }) => {
  await shown(page)
  const { blocks } = JSON.parse(dehusk('extract', '-f', 'json', ARTICLE))
  const block = blocks.find((block) => block.decision === 'drop')
  const point = await pointAt(page, `[data-dh="${block.node}"]`)
  await page.mouse.click(point.x, point.y)
  const part = details(page)
  assert.match(await detail(page, 'Score').innerText(), new RegExp(`^${block.score.toFixed(2)}`))
  assert.match(await detail(page, 'Decision').innerText(), /Dropped/)
  assert.match(await detail(page, 'Reason').innerText(), /model scores it/)
  const features = part.locator('table').filter({ hasText: 'weighed most' }).locator('tbody tr')
  assert.ok((await features.count()) >= 3)
  const explained = dehusk('explain', ARTICLE).split('\n').find((line) => line.includes(block.text))
  for (const row of await features.all()) {
    const [name, value] = await row.locator('td').allInnerTexts()
    assert.ok(explained.includes(`${name} ${value}: `), `${name} ${value} is not in: ${explained}`)
  }
  const others = await part.locator('table').filter({ hasText: 'each detector' }).locator('tbody tr td:first-child').allInnerTexts()
  assert.deepEqual(others, ['fusion', 'pagelevel', 'pagelevel-basic', 'block'])
})

browse('paths and the content can be copied', { inputs: ARTICLE }, async ({ page, server }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin })
  await shown(page)
  const point = await pointAt(page, 'h1')
  await page.mouse.click(point.x, point.y)
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole('button', { name: 'Copy the XPath' }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
  assert.equal(await copied(), JSON.parse(dehusk('extract', '-f', 'json', ARTICLE)).blocks.find((block) => block.xpath.endsWith('/h1[1]')).xpath)
  await page.getByRole('button', { name: 'Copy the content' }).click()
  await page.waitForFunction(() => navigator.clipboard.readText().then((text) => text.startsWith('#')))
  assert.equal(await copied(), dehusk('extract', '-f', 'markdown', ARTICLE))
})

browse('the styles of a page can be switched off', {
  inputs: (t) => {
    const path = join(temporaryFolder(t), 'page.html')
    writeFileSync(path, '<!doctype html><title>t</title><style>main{display:none}</style><main style="color:rgb(1,2,3)"><p>Nets are mended in May, when the boats come home.</p></main>')
    return path
  },
}, async ({ page }) => {
  await shown(page)
  const look = () => inFrame(page, (document) => {
    const { display, color } = document.defaultView.getComputedStyle(document.querySelector('main'))
    return [display, color]
  })
  assert.deepEqual(await look(), ['none', 'rgb(1, 2, 3)'])
  const button = page.getByRole('button', { name: /^Styles/ })
  await button.click()
  await until(async () => (await look())[0] === 'block', 'the hidden part appears')
  await button.click()
  await until(async () => (await look())[0] === 'none', 'the styles are back')
})
