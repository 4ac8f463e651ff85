// What the tests share: tests with a watched window, and ways to use the view of a page.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SITES, closeBrowser, inspect, openWindow } from './session.js'

export * from './session.js'

const LONGEST_TEST = 600_000
after(closeBrowser)

/** What must hold of every window, whatever was done in it. */
export function checkQuiet({ seen }, server) {
  assert.deepEqual(seen.errors, [], 'errors of scripts')
  assert.deepEqual(seen.dialogs, [], 'dialogs')
  assert.deepEqual(seen.windows, [], 'windows that were opened')
  const foreign = seen.requests.filter((url) => !(server ? url.startsWith(server.address) : url.startsWith('file:')) && !/^(data|about|blob):/.test(url))
  assert.deepEqual(foreign, [], 'requests that leave the inspector')
}

/** A test in which a browser looks at `inputs`. */
export function browse(name, { inputs = SITES, options = [], at = '', done = false, ...look }, body) {
  test(name, { timeout: LONGEST_TEST }, async (t) => {
    const server = await inspect(t, typeof inputs === 'function' ? await inputs(t) : inputs, ...options)
    if (done) await server.done()
    const window = await openWindow(t, look)
    await window.page.goto(server.address + at)
    await body({ ...window, window, server, t })
    checkQuiet(window, server)
  })
}

/** A test without a browser of its own. */
export const plainTest = (name, body) => test(name, { timeout: LONGEST_TEST }, body)

/** Waits until a page is shown, with its frame. */
export const shown = (page) => page.locator('#app[data-ready="true"] iframe').waitFor()

/** Evaluates a function of the frame's document, from outside: nothing runs in it. */
export const inFrame = (page, act, argument) =>
  page.evaluate(`(${act})(document.querySelector('iframe').contentDocument, ${JSON.stringify(argument ?? null)})`)

/** The middle of the part of the frame that a selector finds, on the screen. */
export async function pointAt(page, selector) {
  await inFrame(page, (document, selector) => document.querySelector(selector).scrollIntoView({ block: 'center' }), selector)
  const middle = () =>
    page.evaluate((selector) => {
      const frame = document.querySelector('iframe')
      const [outer, inner] = [frame.getBoundingClientRect(), frame.contentDocument.querySelector(selector).getBoundingClientRect()]
      return { x: outer.left + inner.left + inner.width / 2, y: outer.top + inner.top + inner.height / 2 }
    }, selector)
  // On a busy machine the view may still move: what is clicked is where it came to rest.
  let [before, point] = [null, await middle()]
  while (before === null || before.x !== point.x || before.y !== point.y) {
    await page.waitForTimeout(100)
    ;[before, point] = [point, await middle()]
  }
  return point
}

/** The number of the node under a point of the screen. */
export const nodeAtPoint = (page, point) =>
  page.evaluate(({ x, y }) => {
    const frame = document.querySelector('iframe')
    const outer = frame.getBoundingClientRect()
    return frame.contentDocument.elementFromPoint(x - outer.left, y - outer.top).closest('[data-dh]').getAttribute('data-dh')
  }, point)

export const details = (page) => page.getByRole('region', { name: 'The selected part' })
/** The value of a term in the details of the selected part. */
export const detail = (page, term) =>
  details(page).locator('dt').filter({ hasText: new RegExp(`^${term}`) }).first().locator('xpath=following-sibling::dd[1]')
export const slider = (page) => page.getByRole('slider', { name: /Focus/ })
export const content = (page) => page.getByRole('tabpanel').locator('pre').evaluate((element) => element.textContent)
/** Shows the content in a format. */
export const showOutput = (page, name) => page.getByRole('tab', { name, exact: true }).click()
/** Moves the slider and waits until it is there. */
export async function setFocus(page, focus) {
  await slider(page).fill(String(Math.round(focus * 20)))
  await page.waitForFunction((text) => document.querySelector('.toolbar output, output').textContent === text, focus.toFixed(2))
}
