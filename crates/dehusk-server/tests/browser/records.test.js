// The records of a page: outlined in the page, and their columns as tables beside it.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { SITES, browse, dehusk, shown } from './helpers.js'

const PAGE = join(SITES, 'harbour-notes.example/index.html')

browse('records are outlined in the page and have a table each', { inputs: PAGE }, async ({ page }) => {
  await shown(page)
  const { groups } = JSON.parse(dehusk('records', '--all', PAGE))
  assert.ok(groups.length > 0)
  assert.equal(await page.locator('.overlay .record').count(), 0)
  await page.getByRole('tab', { name: 'Records', exact: true }).click()
  const tables = await page.locator('#output .record-group').evaluateAll((sections) => sections.map((section) => ({
    heading: section.querySelector('h3').innerText,
    columns: [...section.querySelectorAll('thead th')].slice(1).map((cell) => cell.innerText),
    rows: section.querySelectorAll('tbody tr').length,
  })))
  assert.deepEqual(tables, groups.map((group) => ({
    heading: `${group.records.length} ${group.kind}, ${group.is_content ? 'content' : 'not content'}`,
    columns: group.columns,
    rows: group.records.length,
  })))
  assert.ok(await page.locator('.overlay .record').count() > 0)
  // A record is selected by its number.
  await page.locator('#output .record-group tbody button').first().click()
  assert.equal(await page.locator('[role=treeitem][aria-selected=true]').count(), 1)
  await page.getByRole('tab', { name: 'Text', exact: true }).click()
  assert.equal(await page.locator('.overlay .record').count(), 0)
})
