// Small and large windows, light and dark: nothing sticks out, every control can be reached, and axe finds nothing serious.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SITES, checkQuiet, dehusk, inspect, openWindow, plainTest, shown, temporaryFolder } from './helpers.js'

const axe = createRequire(import.meta.url)('axe-core')
const PAGE = join(SITES, 'harbour-notes.example/about.html')
const SIZES = [[360, 740], [768, 1024], [1920, 1080]]

const table = (page) => page.locator('.rows tbody tr').first().waitFor()
/** Selects a part, through the tab of the tree where the window is small. */
async function select(page) {
  await openPane(page, 'Tree')
  await page.getByRole('treeitem').filter({ hasText: 'footer' }).last().locator('.row').first().click()
}
/** Opens a part of the view of a page; in a wide window all are open. */
async function openPane(page, name) {
  const tab = page.getByRole('tab', { name, exact: true })
  if (await tab.isVisible()) await tab.click()
}

/** Each view: where it is, and what to wait for. */
const VIEWS = {
  crawl: { at: '', ready: table },
  'crawl with filters that nothing meets': { at: '#/?q=nothing+has+this', ready: (page) => page.getByText('No page has all').waitFor() },
  hosts: { at: '#/?view=hosts', ready: table },
  site: {
    at: '#/site/harbour-notes.example',
    ready: async (page) => {
      await table(page)
      await page.locator('.site-overview h2').first().waitFor()
    },
  },
  page: { at: '#/page/20', ready: shown },
  'page: tree': { at: '#/page/20', ready: async (page) => { await shown(page); await openPane(page, 'Tree') } },
  'page: part and content': { at: '#/page/20', ready: async (page) => { await shown(page); await select(page); await openPane(page, 'Part and content') } },
  'page: comparison': {
    at: '#/page/20',
    ready: async (page) => { await shown(page); await openPane(page, 'Part and content'); await page.getByRole('tab', { name: 'Compare', exact: true }).click() },
  },
  'page: segments': {
    at: '#/page/20',
    ready: async (page) => { await shown(page); await page.getByRole('combobox', { name: 'Segments' }).selectOption('best'); await page.locator('.overlay .segment').first().waitFor() },
  },
  'page: keys': { at: '#/page/20', ready: async (page) => { await shown(page); await page.getByRole('button', { name: 'Keys' }).click(); await page.getByRole('dialog').waitFor() } },
  'page that is not there': { at: '#/page/9999', ready: (page) => page.getByRole('alert').waitFor() },
}

/** What is wrong with the look of a view, in words. */
async function lookProblems(page) {
  const found = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.scrollingElement
    const found = scrollWidth > clientWidth ? [`${scrollWidth} pixels in a window of ${clientWidth}`] : []
    const top = document.querySelector('dialog[open]') ?? document
    const controls = [...top.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')].filter((element) =>
      element.checkVisibility({ visibilityProperty: true }) && !element.disabled && !element.closest('[inert]'))
    if (controls.length === 0) found.push('no controls')
    for (const element of controls) {
      element.scrollIntoView({ block: 'center', inline: 'center' })
      const rect = element.getClientRects()[0]
      // The middle of what is in the window.
      const y = (Math.max(rect.top, 0) + Math.min(rect.bottom, innerHeight)) / 2
      const x = rect.left + rect.width / 2
      const there = document.elementFromPoint(x, y)
      const isReached = there && (element.contains(there) || there.contains(element) || there.closest('label')?.contains(element))
      if (!isReached) found.push(`${element.outerHTML.slice(0, 120)} at ${Math.round(x)}, ${Math.round(y)} is under ${there?.outerHTML.slice(0, 80)}`)
    }
    window.scrollTo(0, 0)
    return found
  })
  return found
}

/** What axe finds, in words. The page in the frame is a stranger's, and is left out. */
async function axeProblems(page, name) {
  await page.evaluate(`if (!window.axe) { ${axe.source} }`)
  const { violations } = await page.evaluate(() => window.axe.run(document, { iframes: false, resultTypes: ['violations'] }))
  const words = ({ id, impact, nodes }) =>
    `${impact} ${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 150)} ${node.failureSummary.replace(/\s+/g, ' ')}`).join(' | ')}`
  if (process.env.SHOW_AXE) violations.forEach((violation) => console.error(`${name}: ${words(violation)}`))
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(words)
}

const problemsOf = async (page, name) => [...(await axeProblems(page, name)), ...(await lookProblems(page))].map((problem) => `${name}: ${problem}`)

for (const scheme of ['light', 'dark']) {
  for (const [width, height] of SIZES) {
    plainTest(`all views in a ${scheme} window of ${width} × ${height}`, async (t) => {
      const server = await inspect(t, SITES)
      await server.done()
      const problems = []
      for (const [name, { at, ready }] of Object.entries(VIEWS)) {
        const window = await openWindow(t, { width, height, scheme })
        const { page } = window
        await page.goto(server.address + at)
        await ready(page)
        problems.push(...(await problemsOf(page, name)))
        checkQuiet(window, server)
        const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number))
        assert.equal(back[0] > 128, scheme === 'light', `the background of ${name} is ${back}`)
        await page.context().close()
      }
      assert.deepEqual(problems, [])
    })

    plainTest(`a saved view in a ${scheme} window of ${width} × ${height}`, async (t) => {
      const file = join(temporaryFolder(t), 'view.html')
      dehusk('inspect', PAGE, '--save', file)
      const window = await openWindow(t, { width, height, scheme })
      await window.page.goto(pathToFileURL(file).href)
      await shown(window.page)
      await select(window.page)
      assert.deepEqual(await problemsOf(window.page, 'saved view'), [])
      checkQuiet(window, null)
    })
  }
}

plainTest('the colours can be chosen, and stay', async (t) => {
  const server = await inspect(t, SITES)
  const { page } = await openWindow(t, { scheme: 'light' })
  await page.goto(server.address)
  await table(page)
  const isDark = () => page.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]) < 128)
  assert.equal(await isDark(), false)
  const button = page.getByRole('button', { name: /^Colours/ })
  while (!(await button.innerText()).includes('dark')) await button.click()
  assert.equal(await isDark(), true)
  await page.reload()
  await table(page)
  assert.equal(await isDark(), true)
})
