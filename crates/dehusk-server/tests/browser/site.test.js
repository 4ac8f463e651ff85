// The view of a site: its kinds of pages, its templates drawn, how well pages fit, and drift.

import assert from 'node:assert/strict'
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SITES, browse, checkQuiet, dehusk, inspect, openWindow, plainTest, shown, temporaryFolder } from './helpers.js'

const HOST = 'harbour-notes.example'

browse('kinds of pages, with the pages of each, and the templates drawn', { done: true, at: `#/site/${HOST}` }, async ({ page, server }) => {
  await page.getByRole('heading', { name: 'Kinds of pages' }).waitFor()
  const { rows } = await server.ask(`pages?site=${HOST}&limit=100`)
  const kinds = new Map()
  for (const { template } of rows) kinds.set(template, (kinds.get(template) ?? 0) + 1)
  assert.ok(kinds.size > 1)
  for (const [template, count] of kinds) {
    const card = page.locator('.kind').filter({ has: page.getByRole('heading', { name: `Template ${template}`, exact: true }) })
    assert.equal(await card.locator('dt', { hasText: 'pages here' }).locator('xpath=following-sibling::dd').innerText(), String(count))
  }
  // The pages of one kind.
  const [template, count] = [...kinds].at(-1)
  await page.locator('.kind').filter({ hasText: `Template ${template}` }).getByRole('button', { name: /Show its pages/ }).click()
  await page.waitForFunction((count) => document.querySelectorAll('.rows tbody tr').length === count, count)
  assert.match(page.url(), new RegExp(`template=${template}`))
  // The drawing has what the pages share. Nothing runs in it, and it shares no origin with the inspector.
  const frame = page.locator('.site-drawing iframe')
  assert.equal(await frame.getAttribute('sandbox'), '')
  await page.frameLocator('.site-drawing iframe').getByText('Journal home').first().waitFor()
  // A page of the site, and back.
  await page.locator('.rows tbody .row-link').first().click()
  await shown(page)
  await page.getByRole('link', { name: 'Site', exact: true }).click()
  await page.getByRole('heading', { name: HOST, level: 1 }).waitFor()
})

browse('the histogram counts every page once', { done: true, at: `#/site/${HOST}` }, async ({ page, server }) => {
  await page.getByRole('heading', { name: 'How well pages fit' }).waitFor()
  const words = await page.locator('#histogram-text').textContent()
  const counted = [...words.matchAll(/: (\d+) pages?/g)].reduce((sum, [, count]) => sum + Number(count), 0)
  assert.equal(counted, (await server.ask(`pages?site=${HOST}&limit=1`)).matching)
})

plainTest('with a template store, a site says whether it drifted', async (t) => {
  const folder = temporaryFolder(t)
  const store = join(folder, 'templates')
  dehusk('clean', SITES, '-o', join(folder, 'records.jsonl'), '--templates', store, '--method', 'treemap')
  // The same pages, and the same texts in another layout.
  const changed = join(folder, 'sites', HOST)
  cpSync(join(SITES, HOST), changed, { recursive: true })
  for (const name of readdirSync(changed, { recursive: true }).filter((name) => name.endsWith('.html'))) {
    const html = readFileSync(join(changed, name), 'utf8')
    const texts = html.replace(/<head[\s\S]*?<\/head>|<script[\s\S]*?<\/script>/g, '').replace(/<[^>]+>/g, '\n').split('\n').filter((line) => line.trim())
    const rows = texts.map((text) => `<tr><td><font>${text}</font></td><td><center>*</center></td></tr>`)
    writeFileSync(join(changed, name), `<!doctype html><title>New</title><body><table><tbody>${rows.join('')}</tbody></table>`)
  }
  for (const [sites, verdict] of [[SITES, 'The templates fit as before.'], [join(folder, 'sites'), 'Drifted: learn the site again.']]) {
    const server = await inspect(t, sites, '--templates', store, '--method', 'treemap')
    await server.done()
    const window = await openWindow(t)
    await window.page.goto(`${server.address}#/site/${HOST}`)
    await window.page.locator('.verdict').waitFor()
    assert.equal(await window.page.locator('.verdict').innerText(), verdict)
    checkQuiet(window, server)
  }
})

browse('a site that is not there is an error in words', { at: '#/site/unknown.example' }, async ({ page }) => {
  await page.getByRole('alert').waitFor()
  assert.match(await page.getByRole('alert').innerText(), /unknown\.example/)
})
