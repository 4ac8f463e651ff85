// What detectors disagree about, and the segments of a page.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { SITES, browse, dehusk, inFrame, setFocus, shown } from './helpers.js'

const PAGE = join(SITES, 'werkbank-laden.example/kategorie/schaerfen.html')
const DETECTORS = ['fusion', 'pagelevel', 'pagelevel-basic', 'block']

/** For each detector which nodes of the page it keeps, by the words of its blocks. */
function decisions(focus) {
  const of = (detector) => JSON.parse(dehusk('extract', '-f', 'json', '--detector', detector, ...(detector === 'fusion' ? ['--focus', String(focus)] : []), PAGE)).blocks
  return DETECTORS.map((detector) => of(detector))
}

browse('the comparison lists the texts that detectors disagree about, and what each says', { inputs: PAGE }, async ({ page, server }) => {
  await shown(page)
  await page.getByRole('tab', { name: 'Compare', exact: true }).click()
  const view = await server.ask('page/0')
  let [compared, disagreements] = [0, 0]
  for (const focus of [0.5, 0.9]) {
    await setFocus(page, focus)
    const bit = 1 << Math.round(focus * 20)
    const rows = page.locator('#output table tbody tr')
    const head = await page.locator('#output table thead th').allInnerTexts()
    assert.deepEqual(head, ['Text', ...DETECTORS])
    const listed = await rows.evaluateAll((rows) => rows.map((row) => ({
      text: row.cells[0].innerText, marks: [...row.cells].slice(1).map((cell) => cell.querySelector('[role=img]').getAttribute('aria-label')),
    })))
    assert.ok(listed.length > 0)
    // No row says the same for all, and every text on which two detectors disagree is in a row.
    for (const { text, marks } of listed) assert.ok(new Set(marks).size > 1, `${text}: ${marks}`)
    const { text: texts, parent } = view.tree
    const begins = (at) => /^(p|h\d|td|li|dd)\b/.test(view.strings[view.tree.name[parent[at]]] ?? '') && at === parent[at] + 1
    const disputed = texts.filter((text, at) => text && begins(at) && new Set(view.detectors.map((detector) => Boolean(detector.keep[at] & bit))).size > 1)
    disagreements += disputed.length
    for (const text of disputed) assert.ok(listed.some((row) => row.text.startsWith(text.slice(0, 80))), `not listed: ${text}`)
    // Blocks that the program keeps with one detector and drops with another are marked so.
    // Texts that come twice on the page could be mixed up.
    const isOnce = (text) => view.tree.text.filter((other) => other && (other.includes(text) || text.includes(other))).length === 1
    const all = decisions(focus)
    for (const { text, marks } of listed) {
      const found = all.map((blocks) => blocks.find((block) => block.text === text)?.decision)
      if (!isOnce(text) || found.some((decision) => !decision)) continue
      assert.deepEqual(marks, found.map((decision) => (decision === 'keep' ? 'kept' : 'dropped')), text)
      compared += 1
    }
  }
  assert.ok(disagreements > 0, 'the detectors agree about every text')
  assert.ok(compared > 0, 'no row could be compared with what the program says')
  await page.locator('#output').getByLabel('Show all').check()
  const everything = await page.locator('#output table tbody tr').count()
  assert.ok(everything > 20, String(everything))
  await page.locator('#output table tbody tr button').first().click()
  assert.equal(await page.locator('[role=treeitem][aria-selected=true]').count(), 1)
})

browse('a second detector outlines what only one of the two keeps', { inputs: PAGE }, async ({ page, server }) => {
  await shown(page)
  const view = await server.ask('page/0')
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'block' })
  const outlined = await inFrame(page, (document) => [...document.querySelectorAll('[data-dh-only]')].map((element) => [Number(element.getAttribute('data-dh')), element.getAttribute('data-dh-only')]))
  assert.ok(outlined.length > 0)
  const [first, second] = ['fusion', 'block'].map((name) => view.detectors.find((detector) => detector.name === name))
  for (const [node, who] of outlined) {
    const at = view.tree.id.indexOf(node)
    const kept = [first, second].map((detector) => Boolean(detector.keep[at] & (1 << view.step)))
    assert.deepEqual(kept, [who === 'first', who === 'second'], `node ${node}`)
  }
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'nothing' })
  assert.equal(await inFrame(page, (document) => document.querySelectorAll('[data-dh-only]').length), 0)
})

browse('segments lie over the page, with the roles that the program finds', { inputs: PAGE }, async ({ page }) => {
  await shown(page)
  for (const method of ['best', 'gcuts', 'cclus']) {
    await page.getByRole('combobox', { name: 'Segments' }).selectOption(method)
    const { segments } = JSON.parse(dehusk('segment', '--method', method, PAGE))
    // Segments of what takes no room are not drawn.
    const visible = await inFrame(page, (document, all) => all.map((nodes) => nodes.some((node) => {
      const element = document.querySelector(`[data-dh="${node}"]`)
      const box = element?.getBoundingClientRect()
      return box && (box.width > 0 || box.height > 0)
    })), segments.map((segment) => segment.nodes))
    const expected = segments.filter((_, number) => visible[number])
    assert.ok(expected.length > 2)
    await page.waitForFunction((count) => document.querySelectorAll('.overlay .segment').length === count, expected.length)
    const boxes = await page.locator('.overlay .segment').evaluateAll((boxes) => boxes.map((box) => {
      const origin = document.querySelector('iframe').getBoundingClientRect()
      const { left, top, right, bottom } = box.getBoundingClientRect()
      return { role: box.innerText.replace(' (main)', ''), sides: [left - origin.left, top - origin.top, right - origin.left, bottom - origin.top].map(Math.round) }
    }))
    assert.deepEqual(boxes.map((box) => box.role), expected.map((segment) => segment.role), method)
    // Each box surrounds the elements of its segment.
    const around = await inFrame(page, (document, all) => all.map((nodes) => {
      const rects = nodes.map((node) => document.querySelector(`[data-dh="${node}"]`)?.getBoundingClientRect()).filter((rect) => rect && (rect.width > 0 || rect.height > 0))
      return [Math.min(...rects.map((rect) => rect.left)), Math.min(...rects.map((rect) => rect.top)), Math.max(...rects.map((rect) => rect.right)), Math.max(...rects.map((rect) => rect.bottom))].map(Math.round)
    }), expected.map((segment) => segment.nodes))
    assert.deepEqual(boxes.map((box) => box.sides), around, method)
  }
  await page.getByRole('combobox', { name: 'Segments' }).selectOption({ label: 'none' })
  assert.equal(await page.locator('.overlay .segment').count(), 0)
})
