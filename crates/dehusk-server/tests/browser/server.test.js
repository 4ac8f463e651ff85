// The server of the inspector: who gets an answer, and what strange requests get.

import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { SITES, inspect, plainTest } from './helpers.js'

/** Sends a request as it is: `fetch` would mend paths and set headers by itself. */
const send = (server, path, { method = 'GET', headers = {}, body } = {}) =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(server.address)
    const request = http.request({ hostname, port, path, method, headers: { host, ...headers }, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => { text += part })
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
    request.on('error', reject)
    request.setTimeout(60_000, () => request.destroy(new Error(`no answer to ${method} ${path}`)))
    request.end(body)
  })

/** What the server says to these bytes until it closes the connection. */
const talk = (server, bytes) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.address)
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes))
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => { text += part })
    socket.on('error', reject).on('close', () => resolve(text))
    socket.setTimeout(60_000, () => socket.destroy(new Error('no answer')))
  })

const PAGE = join(SITES, 'harbour-notes.example/about.html')

plainTest('only requests that know the token and name this host are answered', async (t) => {
  const server = await inspect(t, PAGE)
  const own = `/${server.token}/`
  const { host, port } = new URL(server.address)
  assert.equal((await send(server, own)).status, 200)
  assert.equal((await send(server, `${own}api/start`, { headers: { origin: `http://${host}` } })).status, 200)
  const wrong = {
    'no token': ['/', '/api/start', '/web/base.js', '//', '/favicon.ico'].map((path) => [path, {}]),
    'another token': [`/${'0'.repeat(server.token.length)}/`, `/${server.token.slice(1)}/api/start`, `/${server.token}0/api/start`, `/${server.token.toUpperCase()}x/`].map((path) => [path, {}]),
    'another host': ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, '127.0.0.1', `127.0.0.1:${Number(port) + 1}`, `0.0.0.0:${port}`, 'x'].map((name) => [`${own}api/start`, { headers: { host: name } }]),
    'another origin': ['http://evil.example', 'null', `https://${host}`, `http://${host}.evil.example`, `http://evil.example:${port}`, 'file://'].map((origin) => [`${own}api/start`, { headers: { origin } }]),
  }
  for (const [what, requests] of Object.entries(wrong)) {
    for (const [path, options] of requests) {
      const answer = await send(server, path, options)
      assert.equal(answer.status, 403, `${what}: ${path} ${JSON.stringify(options)}`)
      assert.ok(!answer.text.includes(server.token), 'an answer tells the token')
    }
  }
  const raw = await talk(server, `GET ${own}api/start HTTP/1.1\r\nConnection: close\r\n\r\n`)
  assert.match(raw, /^HTTP\/1\.1 40[03]/, 'no host')
  const post = await send(server, `${own}api/page/0/corrections`, { method: 'POST', headers: { origin: 'http://evil.example', 'content-type': 'application/json' }, body: '{}' })
  assert.equal(post.status, 403)
})

plainTest('there is nothing beside what was opened', async (t) => {
  const server = await inspect(t, PAGE)
  const own = `/${server.token}/`
  const paths = [
    'web/../../../../etc/passwd', 'web/..%2f..%2f..%2fetc%2fpasswd', 'web/%2e%2e/%2e%2e/etc/passwd', 'web/..\\..\\etc\\passwd', 'web//etc/passwd', 'web/%00', 'web/',
    'web/../src/lib.rs', '../', '../../', '%2e%2e/', 'api/../../etc/passwd', 'api/page/..%2f..', 'etc/passwd', 'index.html', 'web/index.html', 'file:///etc/passwd', 'web/base.js/..',
    'web/base.js%00.css', 'api', 'api/', 'api/pages/', 'api/page/', 'api/page/1', 'api/page/-1', 'api/page/1e9', 'api/page/99999999999999999999999', 'api/page/0/../1', 'api/unknown', 'x'.repeat(5000),
  ]
  for (const path of paths) {
    const answer = await send(server, own + path)
    assert.ok([400, 403, 404, 414].includes(answer.status), `${path}: ${answer.status}`)
    assert.ok(!/root:|\[package\]/.test(answer.text), `${path} shows a file`)
  }
})

plainTest('all answers have the headers that guard the browser', async (t) => {
  const server = await inspect(t, PAGE)
  const own = `/${server.token}/`
  const requests = [
    [own], [`${own}web/base.js`], [`${own}web/inspect.css`], [`${own}api/start`], [`${own}api/page/0`], [`${own}api/pages`], [`${own}api/page/7`], [`${own}nothing`], ['/'],
    [`/${server.token}`], [own, { headers: { host: 'evil.example' } }], [`${own}api/page/0/corrections`, { method: 'POST', body: 'x' }], [own, { method: 'DELETE' }], [`${own}?network=1`],
  ]
  for (const [path, options] of requests) {
    const { headers, status } = await send(server, path, options)
    const policy = Object.fromEntries((headers['content-security-policy'] ?? '').split(';').map((part) => part.trim().split(/ (.*)/)))
    assert.equal(policy['default-src'], "'none'", path)
    if (status === 403) {
      assert.deepEqual(Object.keys(policy), ['default-src'], path)
    } else {
      assert.equal(policy['script-src'], `${server.address}web/`, path)
      assert.equal(policy['connect-src'], `${server.address}api/`, path)
      for (const name of ['base-uri', 'form-action', 'frame-ancestors']) assert.equal(policy[name], "'none'", `${name} of ${path}`)
      const isOpen = path.includes('network=1')
      assert.equal(/\*|http:/.test(policy['img-src']), isOpen, `pictures of ${path}: ${policy['img-src']}`)
    }
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    assert.equal(headers['referrer-policy'], 'no-referrer', path)
    assert.equal(headers['x-frame-options'], 'DENY', path)
    assert.match(headers['cache-control'], /no-store/, path)
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin', path)
    assert.equal(headers['access-control-allow-origin'], undefined, path)
  }
})

plainTest('other methods are refused', async (t) => {
  const server = await inspect(t, PAGE)
  const own = `/${server.token}/`
  for (const path of ['', 'web/base.js', 'api/start', 'api/progress', 'api/pages', 'api/hosts', 'api/page/0']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
      assert.equal((await send(server, own + path, { method })).status, 405, `${method} ${path}`)
    }
  }
  for (const path of ['api/page/0/corrected', 'api/page/0/corrections']) {
    for (const method of ['GET', 'PUT', 'DELETE']) assert.equal((await send(server, own + path, { method })).status, 405, `${method} ${path}`)
  }
})

plainTest('bodies and queries that make no sense are refused with a reason', async (t) => {
  const server = await inspect(t, PAGE)
  const own = `/${server.token}/`
  const json = { 'content-type': 'application/json' }
  const good = { detector: 'fusion', focus: 0.5, corrections: [] }
  const bodies = [
    '', '{', '[]', 'null', '{}', '"x"', '\u0000', '{"corrections":{}}', JSON.stringify({ ...good, focus: 2 }), JSON.stringify({ ...good, focus: -1 }), JSON.stringify({ ...good, focus: 'x' }),
    '{"detector":"fusion","focus":1e999,"corrections":[]}', JSON.stringify({ ...good, detector: 'x' }), JSON.stringify({ ...good, corrections: [{ node: 4_000_000_000, decision: 'keep' }] }),
    JSON.stringify({ ...good, corrections: [{ node: -1, decision: 'keep' }] }), JSON.stringify({ ...good, corrections: [{ node: 3, decision: 'maybe' }] }),
    JSON.stringify({ ...good, corrections: Array.from({ length: 20_000 }, () => ({ node: 3, decision: 'keep' })) }), '['.repeat(100_000), `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  ]
  for (const path of ['corrected', 'corrections']) {
    for (const body of bodies) {
      const answer = await send(server, `${own}api/page/0/${path}`, { method: 'POST', headers: json, body })
      assert.ok(answer.status >= 400 && answer.status < 500, `${path} ${body.slice(0, 80)}: ${answer.status}`)
      assert.ok(JSON.parse(answer.text).message, body.slice(0, 80))
    }
    const plain = await send(server, `${own}api/page/0/${path}`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: JSON.stringify(good) })
    assert.equal(plain.status, 415, 'a form of another site could send text')
    const long = await send(server, `${own}api/page/0/${path}`, { method: 'POST', headers: json, body: ' '.repeat(8 << 20) }).catch((error) => ({ status: error.code }))
    assert.ok([413, 'ECONNRESET', 'EPIPE'].includes(long.status), `a body of 8 MB: ${long.status}`)
  }
  for (const query of ['pages?limit=-1', 'pages?limit=x', 'pages?offset=x', 'pages?sort=x', 'pages?min_confidence=x', 'hosts?sort=x', 'page/0?network=x', 'page/0/segments', 'page/0/segments?method=x', 'site']) {
    const answer = await send(server, `${own}api/${query}`)
    assert.equal(answer.status, 400, query)
    assert.ok(JSON.parse(answer.text).message, query)
  }
  assert.equal((await send(server, `${own}api/site?name=unknown.example`)).status, 404)
  assert.equal((await send(server, own)).status, 200, 'it still answers')
})

plainTest('many connections, and ones that say nothing or nonsense, do not keep others from being answered', async (t) => {
  const server = await inspect(t, PAGE)
  const { hostname, port } = new URL(server.address)
  const idle = []
  t.after(() => idle.forEach((socket) => socket.destroy()))
  const says = ['', 'GET / HT', 'GET / HTTP/1.1\r\nHost: x\r\nX: ', '\u0000\u0001\u0002', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']
  for (let number = 0; number < 300; number += 1) {
    const socket = net.connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(says[number % says.length])
    idle.push(socket)
  }
  const answers = await Promise.all(Array.from({ length: 200 }, () => send(server, `/${server.token}/api/pages?limit=1`)))
  assert.ok(answers.every((answer) => answer.status === 200))
  const views = await Promise.all(Array.from({ length: 6 }, () => send(server, `/${server.token}/api/page/0`)))
  assert.ok(views.every((answer) => answer.status === 200 && JSON.parse(answer.text).nodes > 0))
})
