// Makes the pictures of docs/images: DEHUSK=target/debug/dehusk node screenshots.js [folder]

import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SITES, closeBrowser, inspect, openWindow } from './session.js'

const target = process.argv[2] ?? fileURLToPath(new URL('../../../../docs/images', import.meta.url))
const ends = []
const t = { after: (end) => ends.unshift(end) }

const rows = (page) => page.locator('.rows tbody tr').first().waitFor()
const shown = (page) => page.locator('#app[data-ready="true"] iframe').waitFor()
/** Selects a part in the tree. */
async function select(page, name) {
  await shown(page)
  await page.locator('.tree .row', { hasText: name }).first().click()
}

try {
  const server = await inspect(t, SITES)
  await server.done()
  const { rows: all } = await server.ask('pages?sort=number&limit=100')
  const article = `#/page/${all.find(({ url }) => url.endsWith('/about.html')).number}`
  const large = { width: 1440, height: 860 }
  const pictures = {
    'inspect-page': { at: article, ...large, ready: (page) => select(page, 'header.site-header') },
    'inspect-dark': { at: article, ...large, scheme: 'dark', ready: (page) => select(page, 'header.site-header') },
    'inspect-segments': {
      at: article, ...large,
      ready: async (page) => {
        await shown(page)
        await page.getByRole('combobox', { name: 'Segments' }).selectOption('best')
        await page.locator('.overlay .segment').first().waitFor()
      },
    },
    'inspect-crawl': { at: '', ...large, ready: rows },
    'inspect-site': {
      at: '#/site/harbour-notes.example', ...large,
      ready: async (page) => {
        await rows(page)
        await page.frameLocator('.site-drawing iframe').getByText('Template 0').waitFor()
      },
    },
    'inspect-small': { at: article, width: 360, height: 740, ready: shown },
    'inspect-small-crawl': { at: '', width: 360, height: 740, scheme: 'dark', ready: rows },
  }
  mkdirSync(target, { recursive: true })
  for (const [name, { at, ready, ...look }] of Object.entries(pictures)) {
    const { page } = await openWindow(t, look)
    await page.goto(server.address + at)
    await ready(page)
    const path = join(target, `${name}.png`)
    await page.screenshot({ path, animations: 'disabled' })
    console.log(`${path}: ${Math.round(statSync(path).size / 1000)} KB`)
  }
} finally {
  for (const end of ends) await end()
  await closeBrowser()
}
