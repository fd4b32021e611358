import { createHash } from 'node:crypto'
import { CONCERN_CODES } from '../contract/concerns.ts'
import { ERROR_CODES, ERROR_STATUS } from '../contract/errors.ts'
import { FAILURE_CODES } from '../contract/failures.ts'
import { en } from '../words/en/index.ts'
import { callsInLanguages } from './docs-calls.ts'
import {
  block,
  bodyOf,
  type Content,
  code,
  html,
  type Parameter,
  parametersOf,
  prose,
  type Resolve,
  type Schema,
  table,
} from './docs-parts.ts'
import type { createOpenApi } from './openapi.ts'

type Document = Awaited<ReturnType<typeof createOpenApi>>
interface Operation {
  summary: string
  description?: string
  tags: string[]
  operationId: string
  security: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { headers?: Record<string, { description: string }>; content?: Content }>
}
interface Route {
  path: string
  method: string
  operation: Operation
}

const isFor = ({ security }: Operation, who: 'ownerToken' | 'apiKey'): boolean => security.some((each) => who in each)

function keyFor(operation: Operation): string {
  if (operation.security.length === 0) return 'Needs no key.'
  if (!isFor(operation, 'apiKey')) return 'Needs the owner’s token, on this PC.'
  return `Needs an API key.${isFor(operation, 'ownerToken') ? ' On this PC the owner’s token does as well.' : ''}`
}

/** Values that exist in a fresh Kurir. `id` stands for a message of the reader. */
const SHOWN: Record<string, string> = {
  code: 'SND-SANDBOX',
  id: '01a1feab-e730-7000-9982-5ab6c206febe',
  phone: '6281234567890',
}
const shownValue = ({ name, schema }: Parameter): string => {
  const { examples, enum: allowed } = schema.anyOf?.[0] ?? schema
  return encodeURIComponent(String(SHOWN[name] ?? examples?.[0] ?? allowed?.[0] ?? name))
}

/** Returns the address of an example call, with the parameters that it needs. */
function addressOf({ path, operation: { parameters } }: Route): string {
  const needed = parameters.filter(
    ({ in: place, required, schema }) => place === 'query' && (required || schema['x-needed'] === true),
  )
  const query = needed.map((each) => `${each.name}=${shownValue(each)}`).join('&')
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((address, each) => address.replace(`{${each.name}}`, shownValue(each)), path)
  return query === '' ? filled : `${filled}?${query}`
}

/** Renders a call in each language. Radio buttons choose the language, without a script. */
function callsOf(route: Route): string {
  const { method, operation } = route
  const content = operation.requestBody?.content
  const calls = callsInLanguages({
    method: method.toUpperCase(),
    address: addressOf(route),
    body: content?.['application/json']?.example,
    isFile: content?.['application/octet-stream'] !== undefined,
    needsKey: isFor(operation, 'apiKey'),
  })
  const tabs = calls.map(
    ({ language, code: text }, place) =>
      `<label><input type="radio" name="call-${operation.operationId}"${place === 0 ? ' checked' : ''}> ${language}</label><pre tabindex="0">${html(text)}</pre>`,
  )
  return `<div class="calls">${tabs.join('')}</div>`
}

function section(route: Route, resolve: Resolve): string {
  const { method, path, operation } = route
  const { summary, description, parameters, requestBody, responses } = operation
  const answer = responses['200'] ?? responses['201']
  const errors = Object.keys(responses).filter((status) => Number(status) >= 400)
  const links = errors.map((status) => `<a href="#error-${status}">${status}</a>`).join(', ')
  const headers = Object.entries(answer?.headers ?? {}).map(([name, header]) => [code(name), prose(header.description)])
  return `<section id="${operation.operationId}"><h3><b>${method.toUpperCase()}</b> ${code(path)}</h3>
<p>${prose(summary)}. ${keyFor(operation)}</p>
${description === undefined ? '' : `<p>${prose(description)}</p>`}
${isFor(operation, 'apiKey') ? callsOf(route) : ''}
${parametersOf(parameters)}${bodyOf('Request body', requestBody?.content, resolve, 'caller')}${bodyOf('Response', answer?.content, resolve, 'kurir')}
${headers.length === 0 ? '' : table(['response header', 'meaning'], headers)}
${links === '' ? '' : `<p>Errors: ${links}.</p>`}</section>`
}

function errorsOf(example: unknown): string {
  const statuses = [...new Set(Object.values(ERROR_STATUS))].toSorted((a, b) => a - b)
  const rows = statuses.flatMap((status) =>
    ERROR_CODES.filter((each) => ERROR_STATUS[each] === status).map((each, place) => [
      place === 0 ? `<span id="error-${status}">${status}</span>` : String(status),
      code(each),
      prose(en.refusals[each]),
    ]),
  )
  return `<h2 id="errors">Errors</h2><p>Decide by <code>error.code</code>; <code>message</code> is for people. 429 and 503 have the header
<code>Retry-After</code>: the seconds to wait.</p>${block(example)}
${table(['status', 'code', 'what to do'], rows)}`
}

const FAILURES = `<h2 id="failures">Why a message failed</h2><p>Codes in <code>error</code> of a message and of its callback.</p>
${table(
  ['code', 'meaning', 'what to do'],
  FAILURE_CODES.map((each) => [code(each), prose(en.failures[each].message), prose(en.failures[each].hint)]),
)}`

const CONCERNS = `<h2 id="concerns">What needs the owner’s attention</h2><p>Codes in <code>concerns</code> of <code>GET /health</code>.</p>
${table(
  ['code', 'what to do'],
  CONCERN_CODES.map((each) => [code(each), prose(en.concerns[each].advice)]),
)}`

function schemasOf(schemas: Document['components']['schemas']): string {
  const each = Object.entries(schemas).map(
    ([name, schema]) =>
      `<details><summary>${code(name)}</summary><div id="schema-${html(name)}">${block(schema)}</div></details>`,
  )
  return `<h2 id="schemas">Schemas</h2>${each.join('')}`
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2430;background:#fff}
pre{background:#f3f4f6;padding:1rem;overflow:auto;font-size:13px}code,td{overflow-wrap:anywhere}h3,p{overflow-wrap:anywhere}td:first-child code{overflow-wrap:normal}section{border-top:1px solid #d8dce3;padding:.5rem 0}
code{font-size:.95em}summary{cursor:pointer;padding:.25rem 0}table{border-collapse:collapse;font-size:14px}td,th{text-align:left;padding:.15rem .75rem .15rem 0;vertical-align:top}
nav ul{columns:2;font-size:14px;list-style:none;padding:0}h4{margin:.75rem 0 .25rem}
.calls{display:flex;flex-wrap:wrap;gap:0 1rem}.calls pre{display:none;order:1;width:100%;box-sizing:border-box}.calls label:has(:checked)+pre{display:block}
#search{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;position:sticky;top:.5rem}[hidden]{display:none!important}
@media(max-width:48rem){nav ul{columns:1}nav a{overflow-wrap:anywhere}table{table-layout:fixed;width:100%}td:first-child code{overflow-wrap:anywhere}}
@media(prefers-color-scheme:dark){body{color:#e6e9ef;background:#14171c}pre{background:#1e232b}section{border-color:#333a45}a{color:#8ab4f8}}`

const REFUSED = {
  success: false,
  message: 'Please correct: message: must not be empty without a file',
  error: {
    code: 'invalid_request',
    details: [{ field: 'message', code: 'empty_without_file', message: 'must not be empty without a file' }],
  },
}

/** Hides calls that lack one of the typed words. The page is complete without this script. */
const SEARCH = `const box=document.getElementById('search'),folded=document.getElementById('of-owner');box.hidden=false
box.addEventListener('input',()=>{const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);folded.open=words.length>0
for(const each of document.querySelectorAll('section'))each.hidden=!words.every((word)=>each.textContent.toLowerCase().includes(word))})`

/** Content security policy of the page: its own style and script, nothing else. */
export const DOCS_POLICY = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${createHash('sha256').update(SEARCH).digest('base64')}'; frame-ancestors 'none'`

/** Renders the interface as one page without external files. Routes for programs come first. */
export function renderDocs(document: Document): string {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ path, method, operation: operation as Operation })),
  )
  const schemas: Record<string, Schema> = document.components.schemas
  const resolve: Resolve = (schema) => schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema

  function part(isOfWindow: boolean): { contents: string; sections: string } {
    const groups = document.tags.flatMap((tag) => {
      const its = routes.filter(
        ({ path, operation }) => operation.tags.includes(tag.name) && path.startsWith('/api/') === isOfWindow,
      )
      return its.length === 0 ? [] : [{ ...tag, routes: its }]
    })
    const linkTo = ({ method, path, operation }: Route) =>
      `<li><a href="#${operation.operationId}">${method.toUpperCase()} ${html(path)}</a></li>`
    const contents = groups.map(
      (group) => `<p><b>${html(group.name)}</b></p><ul>${group.routes.map(linkTo).join('')}</ul>`,
    )
    const sections = groups.map(
      (group) =>
        `<h3>${html(group.name)}</h3><p>${prose(group.description)}</p>${group.routes.map((route) => section(route, resolve)).join('')}`,
    )
    return { contents: contents.join(''), sections: sections.join('') }
  }
  const programs = part(false)
  const owner = part(true)
  const { post: callback } = document.webhooks.callback
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kurir API</title><style>${STYLE}</style></head><body><main><h1>Kurir API ${html(document.info.version)}</h1>
<p>${prose(document.info.description)} Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
<p>Programs send <code>Authorization: Bearer &lt;API_KEY&gt;</code>; a key is made in the window. See also the <a href="#callback">callback</a>,
the <a href="#errors">errors</a>, <a href="#failures">why a message failed</a>, <a href="#concerns">what needs the owner’s attention</a>, the <a href="#schemas">schemas</a> and
<a href="#owner">what the window calls</a>.</p>
<input id="search" type="search" placeholder="Search the calls" aria-label="Search the calls" hidden>
<nav aria-label="Calls of programs">${programs.contents}</nav>
<h2 id="programs">For programs</h2>${programs.sections}
<h2 id="callback">Callback</h2><p>${prose(callback.summary)}: headers ${callback.parameters.map(({ name }) => code(name)).join(', ')}.</p>
<h3>Body</h3>${bodyOf('Example', callback.requestBody.content as Content, resolve, 'caller')}
${errorsOf(REFUSED)}
${FAILURES}
${CONCERNS}
<h2 id="owner">For the owner</h2><details id="of-owner"><summary>What the window calls, with the owner’s token and on this PC only</summary>
<nav aria-label="Calls of the owner">${owner.contents}</nav>${owner.sections}</details>
${schemasOf(document.components.schemas)}</main><script>${SEARCH}</script></body></html>`
}
