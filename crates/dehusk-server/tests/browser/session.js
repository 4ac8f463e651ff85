// The program and the browser, as the tests and the script for screenshots use them. What they start goes with `t`, a test or the like.
//
// DEHUSK is the path of the program. CHROMIUM is that of the browser, if it is not on the PATH under its usual names. DEHUSK_WEB is a
// folder whose files take the place of the inspector's own, to try a change of them without building.

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

export const SITES = fileURLToPath(new URL('../../../../examples/sites', import.meta.url))
/** Waits end when their condition holds; these only end the test of what never will, also on a busy machine. */
const LONGEST_WAIT = 60_000

export const program = () => {
  if (!process.env.DEHUSK) throw new Error('DEHUSK must be the path of the program dehusk')
  return process.env.DEHUSK
}

/** What the program prints. */
export const dehusk = (...options) =>
  execFileSync(program(), options, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] })

/** A folder that goes with the test. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'dehusk-browser-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts `dehusk inspect` on any free port. */
export async function inspect(t, inputs, ...options) {
  const corrections = options.includes('--corrections') ? [] : ['--corrections', join(temporaryFolder(t), 'corrections.jsonl')]
  const child = spawn(program(), ['inspect', '--no-open', '--port', '0', ...corrections, ...options, ...[inputs].flat()], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  t.after(async () => {
    child.kill('SIGINT')
    const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_WAIT)
    await ended
    clearTimeout(late)
  })
  const said = { text: '' }
  const address = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part) => {
        said.text += part
        const found = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\//.exec(said.text)
        if (found) resolve(found[0])
      })
    }
    child.once('error', reject)
    ended.then((code) => reject(new Error(`dehusk inspect ended with ${code}: ${said.text}`)))
  })
  const ask = async (path, request) => {
    const answer = await fetch(`${address}api/${path}`, request)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  /** Waits until all pages are read and judged. */
  const done = () => until(async () => ['done', 'failed'].includes((await ask('progress')).phase), 'the job is done')
  return { address, origin: new URL(address).origin, token: new URL(address).pathname.split('/')[1], ask, done, child }
}

/** Waits for a condition. */
export async function until(condition, what) {
  const end = Date.now() + LONGEST_WAIT
  for (;;) {
    const value = await condition()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

function browserPath() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = process.env.CHROMIUM ?? folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path))
  if (!found) throw new Error('Chromium is neither on the PATH nor named by CHROMIUM')
  return found
}

export function launchBrowser() {
  // Chromium needs its sandbox off where root runs the tests; nothing of it may speak to the network by itself.
  const quiet = ['--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--no-sandbox']
  // Chromium also keeps strangers from servers of this machine, and would hide requests that the inspector should have stopped.
  const open = '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests'
  return chromium.launch({ executablePath: browserPath(), args: [...quiet, open] })
}

let launched
/** The browser: one for all windows. */
const browser = () => (launched ??= launchBrowser())
export const closeBrowser = async () => (await launched)?.close()

/** A window, and what happens in it: requests, errors of scripts, dialogs, and windows that pages open. */
export async function openWindow(t, { width = 1600, height = 1000, scheme = 'light' } = {}) {
  const context = await (await browser()).newContext({ viewport: { width, height }, colorScheme: scheme })
  t.after(() => context.close())
  context.setDefaultTimeout(LONGEST_WAIT)
  const page = await context.newPage()
  const seen = { requests: [], errors: [], dialogs: [], windows: [], navigations: [] }
  context.on('page', (other) => seen.windows.push(other.url()))
  page.on('request', (request) => seen.requests.push(request.url()))
  // What the browser forbids by the policy or the origin has these events, too, but is never sent.
  page.on('requestfailed', (request) => {
    if (/^(csp|origin)$/.test(request.failure()?.errorText)) seen.requests.splice(seen.requests.lastIndexOf(request.url()), 1)
  })
  page.on('pageerror', (error) => seen.errors.push(error.stack ?? error.message))
  page.on('framenavigated', (frame) => seen.navigations.push({ isTop: frame === page.mainFrame(), url: frame.url() }))
  page.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message())
    dialog.dismiss().catch(() => {})
  })
  if (process.env.DEHUSK_WEB) {
    await page.route('**/web/*', (route) => {
      const path = join(process.env.DEHUSK_WEB, new URL(route.request().url()).pathname.split('/').at(-1))
      return existsSync(path) ? route.fulfill({ path }) : route.continue()
    })
  }
  return { page, seen }
}
